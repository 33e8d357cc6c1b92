W = 100; H = 32 * HEIGHT; LINE = 1.0; KEYROOM = 5; LEFT = 0.0
BIG = ''; SMALL = ''; HUGE = ''
set terminal dumb noenhanced size W, H
