W = 960; H = 608 * HEIGHT; LINE = 22.0; KEYROOM = 6; LEFT = 0.02
BIG = 'sans-serif,18'; SMALL = 'sans-serif,12'; HUGE = 'sans-serif,74'
set terminal svg noenhanced size W, H font 'sans-serif,13' background rgb 'white' name NAME
