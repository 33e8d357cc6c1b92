#!/usr/bin/env bats
# l2report: the page that it makes, what it does again, and what becomes of hostile names and words.
load ../common

setup()
{
    PATH=$TOP/bin:$PATH
    export LC_ALL=C.UTF-8
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir run
    latency run/latency.tsv no 'Test GPU'
}

# latency FILE SIMULATED DEVICE [LINE...]: a curve with a knee at 1 MiB.
latency()
{
    local file=$1 simulated=$2 device=$3
    shift 3
    {
        printf '#l2tsv 1\n#by l2collect 0.1.0: l2collect latency\n#device %s\n#simulated %s\n' "$device" "$simulated"
        [ $# -eq 0 ] || printf '%s\n' "$@"
        printf 'exp\tsize\tstride\top\torder\twindow\tsm\tchains\tcarveout\tcycles\tn\n'
        awk 'BEGIN { for (i = 0; i < 40; i++) { s = int(65536 * 2 ^ (i / 5)); c = s < 1048576 ? 250 : 600
            for (k = 0; k < 8; k++) printf "latency\t%d\t128\tcg\tcycle\t0\t0\t1\tauto\t%d\t100\n", s, c + k } }'
        echo '#end rows=320 status=ok'
    } >"$file"
}

bandwidth()
{
    {
        printf '#l2tsv 1\n#device Test GPU\n#l2_bytes 2097152\n#simulated no\n'
        printf 'exp\tseq\top\tsize\tblocks\tthreads\twidth\tunroll\ttake\tset\tpass\tgbps\n'
        printf 'bandwidth\t0\t%s\t%d\t8\t512\t16\t2\t0\tall\t%d\t%s\n' read 1048576 0 100 read 1048576 1 110 read 8388608 0 40 \
            read 8388608 1 42 write 1048576 0 50
        echo '#end rows=5 status=ok'
    } >run/bandwidth.tsv
}

# What a reader sees: the page without its pictures.
text_of()
{
    sed 's/base64,[^"]*//' "$1"
}

lacks()
{
    not grep -E -- "$1" "$2" || return 1
}

# settle DIR ARCHIVE...: all of the report is of one time, its archives are older; what is made from now on is newer than mark.
settle()
{
    touch mark
    find "$1" -type f -exec touch -r mark {} +
    shift
    touch -d '1 hour ago' "$@"
    sleep 0.05
    touch mark
}

@test "one page: knees, pictures inside, commands, provenance, nothing from outside" {
    bandwidth
    gzip run/bandwidth.tsv
    run l2report run
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "$PWD/run/report/index.html" ]
    text_of run/report/index.html >page
    grep -q '<h1>The L2 cache of Test GPU</h1>' page
    grep -q 'knee 1 of latency' page
    grep -q 'read bandwidth, best.*105 GB/s' page
    grep -q 'read bandwidth, memory.*41 GB/s' page
    grep -q '^l2collect latency$' page
    [ "$(grep -c 'src="data:image/svg+xml' page)" -ge 4 ]
    lacks 'https?://|<script|src="[^d]' page
    lacks 'SIMULATED: ' page
    grep -o 'base64,[^"]*' run/report/index.html | cut -c 8- | head -n 1 | base64 -d | grep -q '</svg>'
}

@test "a simulated archive is called so in the title, at the top and across every page" {
    latency run/latency.tsv yes Toy
    l2report run
    text_of run/report/index.html >page
    grep -q '<title>SIMULATED: ' page
    grep -q 'class=banner.*SIMULATED: nothing here was measured' page
    grep -q '<body class="sim' page
}

@test "only what depends on a changed archive is done again" {
    bandwidth
    l2report -j 1 run
    settle run/report run/*.tsv
    l2report run
    [ -z "$(find run/report -type f -newer mark)" ]
    sleep 0.05
    latency run/latency.tsv no 'Test GPU'
    l2report -j 1 run
    find run/report -type f -newer mark | sed 's,.*/,,' >redone
    grep -q '^latency.curve.svg$' redone
    grep -q '^index.html$' redone
    # Its section shows the verdict, which is new; its pictures and findings are not.
    lacks '^bandwidth.*(gp|svg|tsv)$|^found.band' redone
}

@test "an archive that goes leaves the page, one that comes enters it" {
    bandwidth
    l2report run
    rm run/bandwidth.tsv
    latency run/latency-ca.tsv no 'Test GPU'
    l2report run
    text_of run/report/index.html >page
    lacks 'id="bandwidth"' page
    grep -q 'id="latency-ca"' page
}

@test "a broken archive: the page says what is missing, exit 1, and it is tried again" {
    bandwidth
    sed -i '20s/.*/latency\t1/' run/latency.tsv
    run l2report run
    [ "$status" -eq 1 ]
    [[ $output == *'l2report: latency: '*'short row'* ]]
    text_of run/report/index.html >page
    grep -q 'class=missing.*short row' page
    grep -q 'id="bandwidth"' page
    latency run/latency.tsv no 'Test GPU'
    l2report run
    text_of run/report/index.html >page
    lacks 'class=missing' page
}

@test "hostile words of the data are shown, and run nowhere" {
    # shellcheck disable=SC2016
    evil='<script>alert(1)</script> $(touch pwned) `touch pwned` "x" '\''y'\'' &amp; $(shell touch pwned)'
    latency run/latency.tsv no "$evil" "#warning $evil" "#note $evil" "#host $evil" "#by x 1: $evil" "#time $evil"
    sed -i "s/	cg	/	<b>\$(touch pwned)\`touch pwned\`	/" run/latency.tsv
    l2report run || true
    [ -z "$(find . -name pwned)" ]
    text_of run/report/index.html >page
    lacks '<script|<b>\$|<b>&' page
    grep -qF '<h1>The L2 cache of &lt;script&gt;alert(1)&lt;/script&gt; $(touch pwned) `touch pwned` &quot;x&quot; &#39;y&#39; &amp;amp; $(shell touch pwned)</h1>' page
}

@test "hostile names: of folders they are words, of archives they are left alone" {
    # shellcheck disable=SC2016
    dir='a b $(touch pwned) `touch pwned` '\''q'\'' $(shell touch pwned)'
    mv run "$dir"
    # shellcheck disable=SC2016
    cp "$dir/latency.tsv" "$dir/"'latency-$(touch pwned).tsv'
    cp "$dir/latency.tsv" "$dir/b c.tsv"
    l2report -o "out $dir" "$dir"
    [ -z "$(find . -name pwned)" ]
    text_of "out $dir/index.html" >page
    grep -q 'id="latency"' page
    [ "$(grep -c '<section id="' page)" -eq 1 ]
}

@test "an experiment without a section is named with its provenance" {
    printf '#l2tsv 1\n#device Test GPU\nexp\tx\nnovel\t1\n#end rows=1 status=ok\n' >run/novel.tsv
    l2report run
    text_of run/report/index.html >page
    grep -q 'id="novel"' page
    grep -q 'draws no picture of this experiment' page
}

@test "the makefile alone does the same" {
    PATH=$BIN:$PATH make -s -f "$TOP/share/report/report.mk" RUN=run OUT=out
    text_of out/index.html | grep -q 'knee 1 of latency'
    sed -i '20s/.*/latency\t1/' run/latency.tsv
    run env PATH="$BIN:$PATH" make -s -f "$TOP/share/report/report.mk" RUN=run OUT=out
    [ "$status" -ne 0 ]
}

@test "usage and folders that are none" {
    fails 2 'usage: l2report' l2report
    fails 2 '-j: not a number of jobs' l2report -j x run
    fails 1 'nowhere: no such folder' l2report nowhere
    mkdir none
    fails 1 'no archive EXPERIMENT.tsv' l2report none
    fails 1 'cannot make this folder' l2report -o /dev/null/x run
}

@test "the verdict comes first, each parameter in its section with what it means" {
    bandwidth
    l2report run
    text_of run/report/index.html >page
    # The first table holds what l2verdict says of all findings, and leads to the sections.
    [ "$(grep -n 'id=found' page | cut -d : -f 1)" -lt "$(grep -n '<section id="latency"' page | cut -d : -f 1)" ]
    grep -q '<a href="#bandwidth">read bandwidth, best</a></td><td class=v>105 GB/s <span class="badge single">single' page
    sed -n '/<section id="bandwidth"/,/<\/section>/p' page >section
    grep -q '<div class="card single"><h3>read bandwidth, best</h3><p class=value>105 GB/s' section
    grep -q 'All SMs read what fits their own side' section
    grep -q '^l2band bandwidth.tsv$' section
    grep -q 'l2plot -T svg bandwidth.tsv | gnuplot' section
    grep -q 'Not measured, or not decided by any method:.*replacement policy' page
    cut -f 1,2 run/report/parts/verdict.tsv | grep -qx 'read_bw	105'
}

@test "report.md: the same as Markdown, pictures linked, nothing of the data typeset" {
    bandwidth
    latency run/latency.tsv yes '[x](http://y) <b>`z`|w'
    sed -i 's/^#device .*/#device [x](http:\/\/y) <b>`z`|w/' run/bandwidth.tsv
    l2report run
    grep -qF '# The L2 cache of \[x\](http://y) &lt;b&gt;\`z\`\|w' run/report/report.md
    grep -q '^\*\*SIMULATED' run/report/report.md
    grep -q '^- \*\*read bandwidth, best: 105 GB/s\*\* (single)' run/report/report.md
    grep -q '^    l2collect latency$' run/report/report.md
    sed -nE 's/^!\[.*\]\((.*)\)$/\1/p' run/report/report.md >pictures
    [ "$(wc -l <pictures)" -ge 4 ]
    while read -r f; do grep -q '</svg>' "run/report/$f"; done <pictures
}

@test "two runs side by side, with what differs" {
    bandwidth
    cp -r run other
    sed -i 's/Test GPU/Other GPU/' other/*.tsv
    sed -i 's/	\(10[05]\|110\)$/	7\1/' other/bandwidth.tsv
    l2report -o out run other
    text_of out/index.html >page
    grep -q '<h1>The L2 cache of Test GPU and Other GPU</h1>' page
    grep -q '<td class=v>105 GB/s .*<td class=v>7105 GB/s .*<td class="says-differs">differs by' page
    grep -q 'first and second differ: read_bw' page
    grep -q 'conditions differ: device' page
    [ "$(grep -c '<section id="\(second-\)\?bandwidth"' page)" -eq 2 ]
    # Done again: nothing of either changes, and one that changes alone is redone.
    settle out run/*.tsv other/*.tsv
    l2report -o out run other
    [ -z "$(find out -name '*.svg' -newer mark)" ]
    touch other/bandwidth.tsv
    l2report -o out run other
    find out -name '*.svg' -newer mark | sort | tr '\n' ' ' >redone
    lacks 'out/parts/(bandwidth|latency)|latency' redone
    grep -q 'out/second/parts/bandwidth.picture.svg' redone
    rm -rf out
    fails 1 'nowhere: no such folder' l2report run nowhere
}

@test "every parameter of the verdict has a name, a section and a sentence" {
    l2verdict -l | cut -f 1 | while read -r name; do
        case $name in
        policy_agreement | policy_repeats | policy_misread | slice_lines | slice_agreement) continue ;; # of the data
        esac
        grep -qE "^$name\\|[^|]+\\|[a-z_ ]+\\|[^|]+\\.$" "$L2TOOLS_SHARE/report/parameters.txt" || echo "$name"
    done >lacking
    diff /dev/null lacking
    [ "$(l2verdict -l | wc -l)" -gt 40 ]
    # A section that a parameter stands in has words.
    sed '/^#/d' "$L2TOOLS_SHARE/report/parameters.txt" | cut -d '|' -f 3 | tr ' ' '\n' | sort -u | while read -r e; do
        [ -f "$L2TOOLS_SHARE/report/${e%%_*}.txt" ] || echo "$e"
    done | diff /dev/null -
}

# predictions FILE: two of them, one 4 points off.
predictions()
{
    {
        printf '#l2tsv 1\n#device Test GPU\n#simulated no\n'
        printf 'pattern\tlocal\tlocal_measured\tremote\tremote_measured\thit\thit_measured\tcycles\tcycles_measured\toff\tspread\n'
        printf 'cyclic,size=4M\t1\t0.99\t0\t0.01\t1\t1\t280\t284.6\t0.01\t0\n'
        printf 'random,<b>\t0.5\t0.46\t0.25\t0.25\t0.75\t0.71\t400\t410\t0.04\t0.002\n'
        printf '#note 1 of 2 patterns within 3 points\n#end rows=2 status=ok\n'
    } >"$1"
}

@test "predictions that lie beside the archives are a table, misses marked" {
    predictions run/predictions.tsv
    l2report run
    text_of run/report/index.html >page
    grep -q '<td>cyclic,size=4M</td><td class=n>100.0 / 99.0</td>' page
    grep -q '<tr class=low><td>random,&lt;b&gt;</td><td class=n>50.0 / 46.0</td>.*400 / 410' page
    grep -q '1 of 2 patterns within 3 points' page
    [ -z "$(l2check run/predictions.tsv)" ]
}

@test "from pool to policy: tips, survival, agreement, strides and copies have their pictures" {
    for e in 'evict targets=8' survive 'replace sets=2' 'stride lines=16 buffer=16M' 'copies sets=2'; do
        # shellcheck disable=SC2086 # words
        l2collect -q -d sim:tiny -o "run/${e%% *}.tsv.gz" $e
    done
    l2report run 2>err || { cat err; return 1; }
    for p in evict.tips survive.survival replace.agreement stride.strides copies.depth; do
        grep -q '</svg>' "run/report/parts/$p.svg"
        grep -q "parts/$p.svg" run/report/report.md
    done
}
