W = 1200; H = 760 * HEIGHT; LINE = 26.0; KEYROOM = 6; LEFT = 0.02
BIG = 'Sans:Bold,17'; SMALL = 'Sans,12'; HUGE = 'Sans:Bold,70'
set terminal pngcairo noenhanced size W, H font 'Sans,13' background rgb 'white'
