W = 9.0; H = 5.7 * HEIGHT; LINE = 0.21; KEYROOM = 6; LEFT = 0.02
BIG = 'Sans:Bold,12'; SMALL = 'Sans,9'; HUGE = 'Sans:Bold,52'
set terminal pdfcairo noenhanced size W, H font 'Sans,9.5' background rgb 'white'
