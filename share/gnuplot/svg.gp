W = 960; H = 608 * HEIGHT; LINE = 22.0; KEYROOM = 6; LEFT = 0.02
BIG = 'Sans:Bold,16'; SMALL = 'Sans,12'; HUGE = 'Sans:Bold,70'
set terminal svg noenhanced size W, H font 'Sans,13' background rgb 'white' name NAME
