# The look of pictures made of letters (-T dumb).
set encoding utf8
set datafile missing 'NaN'
set datafile separator '\t'
do for [i=1:7] { set style line i pointtype i linecolor i }
set style line 20 linecolor 0
set style line 21 linecolor 0
set style line 22 linecolor 0
set border 3
set tics nomirror out scale 0.5
set key outside bottom center horizontal noenhanced
set xlabel noenhanced
set ylabel noenhanced offset 0,0
