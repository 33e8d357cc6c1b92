#!/usr/bin/env bats
# l2plot: the script that it writes, and the picture that gnuplot makes of it.
load ../common

setup()
{
    cd "$BATS_TEST_TMPDIR" || return 1
}

# latency 'KEY VALUE': a raw latency table with two sizes and a provenance line.
latency()
{
    printf '#l2tsv 1\n#device Test GPU\n'
    [ $# -eq 0 ] || printf '#%s\n' "$@"
    printf 'exp\tsize\top\tcycles\tn\n'
    printf 'latency\t%d\tcg\t%d\t%d\n' 1048576 200 3 1048576 210 1 2097152 400 2 8388608 500 4
    echo '#end rows=4 status=ok'
}

knees()
{
    printf 'knee\tx_onset\tx_mid\tx_end\tx_lo\tx_hi\tconf\n1\t1500000\t1800000\t2000000\t1700000\t1900000\t%s\n' "$1"
}

drawn()
{
    LC_ALL=C.UTF-8 gnuplot 2>&1
}

@test "latency: mean, quantiles and median of the weighted samples" {
    latency | l2plot >script
    # R: x <- c(200,200,200,210); mean 202.5, quantile(x, c(.05,.25,.5,.75,.95)) 200 200 200 202.5 208.5
    grep -q "^1048576	202.5	200	200	200	202.5	208.5$" script
    grep -q "^2097152	400	400	400	400	400	400$" script
}

@test "latency: size by the driver, device, conditions and size labels are in the script" {
    latency 'l2_bytes 4194304' | l2plot -T svg >script
    grep -q "'L2 by the driver: 4 MiB' at 4194304," script
    grep -q "'Test GPU'" script
    grep -q "'op=cg'" script
    grep -q "'2 MiB' 2097152" script
}

@test "latency: a statistics table draws like the raw rows" {
    printf 'exp\tsize\tmedian\tmean\tq05\n' >stat.tsv
    printf 'latency\t%d\t%d\t%d\t%d\n' 1024 200 202 190 2048 300 303 290 >>stat.tsv
    l2plot stat.tsv >script
    grep -q "^1024	202	190	NaN	200	NaN	NaN$" script
    drawn <script | grep -q 'working set'
}

@test "parameters that vary make curves, those that follow from the size do not" {
    printf 'exp\tsize\top\tpages\tcycles\tn\n' >two.tsv
    printf 'latency\t%d\t%s\t%d\t%d\t1\n' 1024 cg 1 10 2048 cg 2 20 1024 ca 1 5 2048 ca 2 6 >>two.tsv
    l2plot two.tsv >script
    [ "$(grep -c '^\$curve' script)" -eq 2 ]
    grep -q "title 'op=ca'" script
    l2plot -g pages two.tsv >script
    grep -q "title 'pages=2'" script
}

@test "knees among the inputs are marked, in either order" {
    latency >run.tsv
    knees high >knees.tsv
    l2plot -T png knees.tsv run.tsv >script
    grep -q 'set arrow from 1800000, graph 0' script
    grep -q 'rectangle from 1700000, graph 0 to 1900000, graph 1' script
    grep -q "'knee 1: 1.72 MiB'" script
    knees low >low.tsv
    l2plot -T png run.tsv low.tsv >script
    grep -q "low confidence" script
    grep -q 'arrow from 1800000.* dashtype 3' script
}

@test "a simulated device is on the picture in every format" {
    latency 'simulated yes' >run.tsv
    for t in png svg pdf dumb; do
        l2plot -T "$t" run.tsv | grep -q "SIMULATED DEVICE"
    done
    l2plot -T dumb run.tsv | drawn | grep -q 'SIMULATED DEVICE: nothing here was measured on a chip'
    l2plot -T svg run.tsv | drawn | grep -q '<text>SIMULATED</text>'
    latency 'simulated no' | l2plot -T svg | { ! grep -q SIMULATED; }
}

@test "gnuplot draws every kind in every format" {
    latency >latency.tsv
    printf 'exp\tsize\top\tgbps\nbandwidth\t1024\tread\t10\nbandwidth\t2048\tread\t11\n' >bandwidth.tsv
    printf 'size\tlo\thi\tn\tweight\n1024\t1\t2\t3\t0.75\n1024\t2\t3\t1\t0.25\n' >histogram.tsv
    printf 'size\tmode\tcentre\tweight\tiqr\tlo\thi\n1024\t1\t200\t0.9\t3\t190\t210\n2048\t1\t300\t1\t3\t290\t310\n' >modes.tsv
    printf 'exp\tsize\tlevel\tshare\tmean\nlevel\t1024\tlocal\t1\t200\nlevel\t2048\tlocal\t0.5\t200\nlevel\t2048\tdram\t0.5\t500\n' >levels.tsv
    printf 'exp\twhat\tsm\tstep\tvalue\tn\nclock\tmhz\t0\t0\t1980\t1\nclock\tmhz\t1\t0\t1981\t1\nclock\ttimer\t0\t0\t33\t9\nclock\tnoise\t0\t0\t280\t99\nclock\tnoise\t0\t0\t900\t1\n' >clock.tsv
    printf 'exp\tfetch\top\ttouch\tprobe\trep\tcycles\nsector\t32\tcg\t0\t0\t0\t390\nsector\t32\tcg\t0\t32\t0\t700\nsector\t64\tcg\t0\t0\t0\t390\n' >sector.tsv
    printf 'exp\tstride\tpages\tsize\tcycles\tn\ntlb\t2097152\t4\t8388608\t280\t9\ntlb\t2097152\t8\t16777216\t300\t9\n' >tlb.tsv
    printf 'param\tvalue\tlo\thi\tunit\tmethod\tn\tnote\nread_bw\t9000\t8990\t9010\tGB/s\tstream\t3\t-\n' >roofline.tsv
    for k in latency bandwidth histogram modes levels clock sector tlb roofline; do
        for t in png svg pdf dumb; do
            l2plot -T "$t" "$k.tsv" >script
            drawn <script >picture || { echo "$k $t"; cat picture; return 1; }
            [ "$(wc -c <picture)" -gt 1000 ]
            not grep -aq 'line [0-9]*:' picture || { echo "$k $t"; cat picture; return 1; }
        done
    done
    printf 'exp\tthreads\twidth\tgbps\nbandwidth\t32\t4\t10\nbandwidth\t32\t16\t41\nbandwidth\t64\t4\t20\n' >surface.tsv
    l2plot -t surface -T svg surface.tsv | drawn | grep -q '>41<'
    printf '#cc 9.0\n#sms 132\n#clock_measured_after 1980\n' | cat - roofline.tsv | l2plot -T svg | drawn | grep -q 'Roof: 66.9 TFLOP'
    printf '#cc 9.0\n' | cat - roofline.tsv | l2plot -T svg | drawn | grep -q 'No roof'
    sed 's/read_bw/ways/' roofline.tsv >none.tsv
    fails 1 'no bandwidth among the findings' l2plot none.tsv
    l2plot -t density -T svg latency.tsv | drawn | grep -q '</svg>'
    l2plot -t histogram -T svg latency.tsv | drawn | grep -q '8 MiB'
    l2plot -T svg -x probe -y touch -z cycles sector.tsv | drawn | grep -q '545'
}

@test "density of several curves: a warning names them" {
    { latency; latency | sed 's/	cg	/	ca	/'; } >two.tsv
    l2plot -t density two.tsv 2>err >script
    grep -q '2 curves are drawn as one (op=ca, op=cg): choose one' err
}

@test "a histogram of many sizes shows those where the mean moves" {
    awk 'BEGIN { print "exp\tsize\tcycles\tn"; for (s = 1; s <= 60; s++) printf "latency\t%d\t%d\t9\n", s * 1024, s < 50 ? 200 : 200 + 30 * (s - 49) }' >many.tsv
    l2plot -t histogram -T svg many.tsv >script
    n=$(grep -c '^\$row' script)
    [ "$n" -ge 6 ] && [ "$n" -le 12 ]
    grep 'set ytics (' script | grep -q "'1 KiB' 0,.*'60 KiB'"
    [ "$(grep 'set ytics (' script | grep -oE '5[0-9] KiB' | wc -l)" -ge 3 ]
}

@test "nothing in the data runs, and all of it is shown as it is" {
    # shellcheck disable=SC2016
    evil='$(touch pwned) `touch pwned` '\''"; system("touch pwned") @m %s {x}^2_y \n <b>&'
    {
        printf '#l2tsv 1\n#device %s\n#driver %s\n#time !touch pwned\n#simulated no\n' "$evil" "$evil"
        printf 'exp\tsize\top\tcycles\tn\n'
        printf 'latency\t%d\t%s\t100\t1\n' 1024 "$evil" 2048 "$evil" 1024 "'; !touch pwned #" 2048 EOD
        printf '#end rows=4 status=ok\n'
    } >evil.tsv
    for o in '-t latency' '-t histogram' '-t density' '-x op -y size -z cycles' '-x size -y cycles -g op'; do
        for t in svg dumb; do
            # shellcheck disable=SC2086
            l2plot -T $t $o evil.tsv | drawn >picture || { echo "$o"; cat picture; return 1; }
            [ ! -e pwned ]
        done
    done
    l2plot -T svg evil.tsv | drawn | grep -qF '@m %s {x}^2_y \n &lt;b>&amp;'
    l2plot -T svg -t histogram evil.tsv | drawn | grep -qF '@m %s {x}^2'
    # No quote or backquote of the data is left in the script.
    l2plot evil.tsv | { ! grep -F '`'; }
}

@test "output: the name is a file and never a command" {
    latency >run.tsv
    l2plot -T svg -o '|touch pwned' run.tsv | drawn
    [ ! -e pwned ]
    [ -s '|touch pwned' ]
    l2plot -o "it's.svg" run.tsv | drawn
    [ -s "it's.svg" ]
    fails 2 '-o: a control character' l2plot -T svg -o $'a\nb' run.tsv
}

@test "nothing to draw: which file, which column, exit 1" {
    latency | grep -v '^latency' | grep -v '^#end' >none.tsv
    echo '#end rows=0 status=ok' >>none.tsv
    fails 1 'none.tsv: nothing to draw: the table has no rows' l2plot none.tsv
    printf 'exp\tsize\tcycles\tn\nlatency\t1024\tnan\t3\n' >nan.tsv
    fails 1 'nan.tsv: nothing to draw: no row with a finite size and cycles' l2plot nan.tsv
    printf 'exp\tsize\tcycles\tn\nlatency\t1024\tfast\t3\n' >word.tsv
    fails 1 "word.tsv:2: column cycles: not a number: 'fast'" l2plot word.tsv
    printf 'a\tb\n1\t2\n' >plain.tsv
    fails 1 'plain.tsv: nothing to draw: no kind of picture fits' l2plot plain.tsv
    fails 1 "plain.tsv: no column 'c'" l2plot -x a -y c plain.tsv
    fails 1 "plain.tsv: nothing to draw: sector needs a column 'fetch'" l2plot -t sector plain.tsv
    knees high >knees.tsv
    fails 1 "knees.tsv: nothing to draw: knees mark a curve" l2plot knees.tsv
    fails 1 "no header row" l2plot /dev/null
}

@test "values that are not finite are left out and counted" {
    printf 'exp\tsize\tcycles\tn\nlatency\t1024\tnan\t3\nlatency\t1024\t7\t3\nlatency\t2048\t-nan\t3\nlatency\t4096\tinf\t1\n' >nan.tsv
    l2plot nan.tsv >script 2>err
    grep -q '^1024	7	' script
    grep -q 'nan.tsv: .* values that are not finite are left out' err
}

@test "usage: terminals, kinds, the list" {
    latency >run.tsv
    fails 2 "-T: not png, svg, pdf or dumb: 'gif'" l2plot -T gif run.tsv
    fails 2 "-o without -T" l2plot -o run.gif run.tsv
    fails 2 "-t: no such kind" l2plot -t pie run.tsv
    l2plot -l | grep -q '^latency'
}

@test "an incomplete table: a warning, an error with --strict" {
    latency | grep -v '^#end' >cut.tsv
    l2plot cut.tsv 2>err >script
    grep -q 'truncated' err
    fails 1 'truncated' l2plot --strict cut.tsv
}

@test "a full disk and a closed pipe" {
    latency >run.tsv
    run bash -c 'l2plot run.tsv >/dev/full'
    [ "$status" -eq 1 ]
    bash -c 'set -o pipefail; yes | l2plot run.tsv 2>err | true' || true
    [ ! -s err ] || { cat err; return 1; }
}

# matrix: 4 lines x 4 SMs, lines 0 and 256 on the side of SMs 0 and 2.
matrix()
{
    printf '#l2tsv 1\n#device Test GPU\nexp\top\tsm\toffset\trep\tcycles\tn\n'
    for sm in 0 1 2 3; do
        for line in 0 1 2 3; do
            printf 'matrix\tatom\t%d\t%d\t0\t%d\t9\n' $sm $((128 * line)) $((200 + line / 2 + 200 * ((sm + line) % 2)))
        done
    done
    echo '#end rows=16 status=ok'
}

@test "matrix: lines and SMs by address, or in the order that l2slice tells" {
    matrix >matrix.tsv
    l2plot matrix.tsv >script
    grep -q "4 lines in the order of address from 4 SMs" script
    sed -n '/^\$matrix0/,/^EOD/p' script | cut -f 3 | sed '1d;$d' | tr '\n' ' ' | grep -qx '200 400 200 400 400 200 400 200 201 401 201 401 401 201 401 201 '
    printf 'offset\tslice\tside\tlocation\n0\t0\t0\t-1\n128\t1\t1\t-1\n256\t0\t0\t-1\n384\t1\t1\t-1\n' >map
    printf 'sm\tside\tgroup\tlocal\tremote\n0\t0\t0\t200\t400\n1\t1\t0\t200\t400\n2\t0\t0\t200\t400\n3\t1\t0\t201\t401\n' >sms
    l2plot matrix.tsv map sms >script
    grep -q "4 lines in the order of side and slice from 4 SMs in the order of side and group" script
    sed -n '/^\$matrix0/,/^EOD/p' script | cut -f 3 | sed '1d;$d' | tr '\n' ' ' | grep -qx '200 200 400 400 201 201 401 401 400 400 200 200 401 401 201 201 '
    drawn <script | grep -q 'by atomics'
    l2plot sms | drawn | grep -q 'SMs of side 1'
    l2plot -T svg -o sms.svg sms | drawn
    grep -q '</svg>' sms.svg
}

@test "fingerprints: distances of pairs of lines and the gap between them" {
    matrix >matrix.tsv
    l2plot -t fingerprints matrix.tsv >script
    # Two pairs differ by 1 from every SM, four by 199 to 201.
    grep -q "6 pairs of lines; the widest gap is from 1 to 200 cycles: 33.3 % of the pairs are nearer" script
    # With the map of l2slice the two that are of one place stand out.
    printf 'offset\tslice\tside\tlocation\n0\t0\t0\t0\n' >map.tsv
    awk -F'\t' '/^matrix/ && !seen[$4]++ && $4 > 0 { n++; print $4 "\t" n % 2 "\t" n % 2 "\t" n % 2 }' matrix.tsv >>map.tsv
    l2plot -t fingerprints -T svg matrix.tsv map.tsv >script
    grep -q '33.3 % of one location, up to 1 cycles apart' script
    grep -q '^\$distance1' script
    l2plot -T svg -t fingerprints -o f.svg matrix.tsv | drawn
    grep -q '</svg>' f.svg
}

@test "contend: pairs of two lines, and of one with itself" {
    printf 'exp\ta\tb\tcycles\n' >contend.tsv
    printf 'contend\t%d\t%d\t%d\n' 0 0 900 0 128 600 0 256 601 128 256 899 >>contend.tsv
    l2plot contend.tsv >script
    [ "$(grep -c '^\$contend' script)" -eq 2 ]
    drawn <script | grep -q 'two lines'
    printf 'exp\ta\tb\tcycles\ncontend\t0\t0\t9\n' >one.tsv
    fails 1 'no pair of two lines' l2plot one.tsv
}

@test "diff: shifts in percent; points when there are no parameters" {
    printf 'one\tother\tabout\tarchive\tparam\tpoint\tshift\tlo\thi\tpercent\tresult\n' >diff.tsv
    printf 'A\tB\tcondition\t-\tdriver\t-\tnan\tnan\tnan\tnan\tdiffers\n' >>diff.tsv
    cp diff.tsv points.tsv
    printf 'A\tB\tparameter\t-\tlatency_local\t-\t4\t2\t6\t2\tdiffers\nA\tB\tparameter\t-\tways\t-\t0\tnan\tnan\t0\tsame\n' >>diff.tsv
    printf 'A\tB\tpoint\tlatency\tcycles\tsize=1\t1\t-1\t3\t0.5\tunsure\n' | tee -a points.tsv >>diff.tsv
    l2plot diff.tsv >script
    grep -q "'B against A'" script
    grep -q "^2	1	1	3$" script
    grep -q "^0	0	0	0$" script
    ! grep -q 'size=1' script || return 1
    l2plot points.tsv | grep -q "'latency: size=1'"
    head -n 2 points.tsv >none.tsv
    fails 1 'no comparison of numbers' l2plot none.tsv
}
