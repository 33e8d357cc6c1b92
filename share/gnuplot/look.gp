# The look of every picture of l2plot. Colours: Okabe and Ito's, told apart by colour-blind people; a light-to-dark viridis for maps.
set encoding utf8
set datafile missing 'NaN'
set datafile separator '\t'
set style line 1 linecolor rgb '#0072B2' linewidth 2 pointtype 7
set style line 2 linecolor rgb '#D55E00' linewidth 2 pointtype 5
set style line 3 linecolor rgb '#009E73' linewidth 2 pointtype 9
set style line 4 linecolor rgb '#AA4499' linewidth 2 pointtype 13
set style line 5 linecolor rgb '#E69F00' linewidth 2 pointtype 11
set style line 6 linecolor rgb '#56B4E9' linewidth 2 pointtype 4
set style line 7 linecolor rgb '#444444' linewidth 2 pointtype 6
set style line 20 linecolor rgb '#D8D8D8' linewidth 1
set style line 21 linecolor rgb '#606060' linewidth 1
set style line 22 linecolor rgb '#A02020' linewidth 2
set palette defined (0 '#F1F1E4', 1 '#CFE5A5', 2 '#7CCB74', 3 '#2FA789', 4 '#24828E', 5 '#3B528B', 6 '#440154')
set border 3 linestyle 21
set tics nomirror out scale 0.6 textcolor rgb '#303030'
set grid xtics ytics linestyle 20
set key outside bottom center horizontal Left reverse noenhanced samplen 2.5
set style textbox opaque fillcolor rgb '#FFFFFF' noborder margins 0.4, 0.2
set style fill solid 1.0 noborder
set xlabel noenhanced
set ylabel noenhanced
