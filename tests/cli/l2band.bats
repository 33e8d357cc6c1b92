#!/usr/bin/env bats
# l2band: bandwidths, TLB reach and persisting windows from rows; and the experiments that make these rows.
load ../common

setup()
{
    cd "$BATS_TEST_TMPDIR" || return 1
}

# value PARAM [METHOD] FILE: of the findings.
value()
{
    awk -F '\t' -v p="$1" -v m="${3:+$2}" '$1 == p && (m == "" || $6 == m) { print $2 }' "${3:-$2}"
}

# rates KIND SIZE GBPS SAME...: rows of one launch each.
rates()
{
    printf '#l2tsv 1\n#l2_bytes 1048576\n#sms 10\n#clock_measured_after 1000\n'
    printf 'exp\tseq\top\tkind\tsize\tblocks\tthreads\twidth\tunroll\tsame\ttake\tevery\tset\tpass\tns\tcycles\tbytes\tgbps\tbpc\n'
    while [ $# -gt 0 ]; do
        printf 'bandwidth\t0\tread\t%s\t%s\t10\t256\t16\t4\t%s\t0\t0\tall\t0\t1\t1\t1\t%s\t1\n' "$1" "$2" "$4" "$3"
        shift 4
    done
    echo "#end rows=$(($#)) status=ok" | sed 's/rows=0/rows=ROWS/'
}

whole()
{
    awk '{ if (sub(/rows=ROWS/, "rows=" n)) ; print } /^bandwidth/ { n++ }'
}

@test "the best counts, but not what L1 or the same bytes may have answered; memory is 3 times the L2" {
    rates no_allocate 524288 100 1 no_allocate 524288 110 1 ca 524288 900 1 no_allocate 524288 800 4 \
        no_allocate 3145728 40 1 no_allocate 2097152 70 1 | whole >in
    l2band -s 2 in >out
    [ "$(value read_bw out)" = 105 ]
    [ "$(value dram_bw out)" = 40 ]
    awk -F '\t' '$1 == "read_bw" { exit !($3 == 100 && $4 == 110 && $7 == 2) }' out
    # 2 slices of 64 bytes at 1000 MHz are 128 GB/s.
    awk -F '\t' '$1 == "read_bw_share" { exit !($2 > 0.8202 && $2 < 0.8204) }' out
    rates ca 524288 900 1 | whole | l2band >out
    [ "$(value read_bw out)" = 900 ]
    grep -q 'L1 or one answer for several SMs may be in it' out
    [ -z "$(value read_bw_share out)" ]
}

@test "a working set that is all in flight at once counts only alone" {
    rates no_allocate 131072 200 1 no_allocate 524288 100 1 ca 524288 900 1 | whole | l2band >out
    [ "$(value read_bw out)" = 100 ]
    rates no_allocate 131072 200 1 ca 524288 900 1 | whole | l2band >out
    [ "$(value read_bw out)" = 200 ]
    grep -q 'less than all SMs have in flight' out
}

@test "slices come from findings, too" {
    rates no_allocate 524288 96 1 | whole >in
    printf '#l2tsv 1\nparam\tvalue\tlo\thi\tunit\tmethod\tn\tnote\nslices\t3\t3\t3\tslices\tcontention\t9\t-\n#end rows=1 status=ok\n' >found
    l2band in found >out
    [ "$(value read_bw_share out)" = 0.5 ]
}

@test "a hyperbola and a step are told apart; the stride is in the method" {
    awk 'BEGIN { print "#l2tsv 1\nexp\tstride\tpages\tsize\tcycles\tn"; m = 2097152; R = 3e9
        for (p = 8; p < 20000; p *= 1.1) { q = int(p); s = q * m
            printf "tlb\t%d\t%d\t%.0f\t%.3f\t100\n", m, q, s, 290 + (s > R ? 100 * (1 - R / s) : 0) + 0.2 * (n++ % 3)
            printf "tlb\t%d\t%d\t%.0f\t%.3f\t100\n", 2 * m, q, 2 * s, (2 * s > R ? 340 : 290) + 0.2 * (n % 3) }
        print "#end rows=" 2 * n " status=ok" }' >in
    l2band in >out
    cat out
    awk -F '\t' '$1 == "tlb_reach" && $6 == "pages_of_2M" { exit !($3 <= 3e9 && $4 >= 3e9 && $4 < 1.2 * $3 && /growing/) }' out
    awk -F '\t' '$1 == "tlb_reach_stride" && $6 == "pages_of_4M" { exit !($3 <= 3e9 && $4 >= 3e9 && $4 < 1.3 * $3 && /a step/) }' out
}

@test "no rise is no reach: none, and how far it was looked for" {
    awk 'BEGIN { print "#l2tsv 1\nexp\tstride\tpages\tsize\tcycles\tn"
        for (p = 8; p < 2000; p *= 1.2) { printf "tlb\t2097152\t%d\t%.0f\t%.3f\t100\n", p, int(p) * 2097152, 290 + n++ % 3 }
        print "#end rows=" n " status=ok" }' >in
    l2band in >out
    [ "$(value tlb_reach out)" = none ]
    grep -q 'no rise of 5 % up to 3.[0-9]*G' out
}

@test "controls that do not part leave the window open" {
    {
        printf '#l2tsv 1\nexp\tpersist\tsize\tratio\tstream\tcase\tsm\trep\tcycles\tn\n'
        for c in kept loaded plain; do printf 'persist\t100\t1000\t1\t5000\t%s\t0\t0\t300\t50\n' $c; done
        echo '#end rows=3 status=ok'
    } | l2band >out
    [ "$(value persist_kept out)" = "not decided" ]
}

@test "errors: other experiments, words and numbers that are none" {
    printf 'exp\tcycles\nlatency\t3\n' >in
    fails 1 "not a row of bandwidth, tlb or persist: 'latency'" l2band in
    printf 'exp\tpersist\tsize\tratio\tcase\tcycles\tn\npersist\t1\t1\t1\tlost\t3\t1\n' >in
    fails 1 "column case: no case of persist: 'lost'" l2band in
    rates no_allocate 524288 0 1 | whole >in
    fails 1 "column gbps: not above 0: '0'" l2band in
    fails 2 "not between 1 and" l2band -s 0 in
    fails 1 "the input is empty" l2band </dev/null
}

@test "tlb: sizes are pages times stride; a translation that reaches far enough is none" {
    l2collect -q -d sim:tiny -o run.tsv tlb stride=2M pages=4,8,16 passes=1 hops=64
    body run.tsv | awk -F '\t' 'NR > 1 { n += $10; if ($5 != $3 * $4) exit 1 } END { exit n != 3 * 64 }'
    fails 1 "pages=100 of 2M: the buffer of 60M has 29" l2collect -q -d sim:tiny tlb stride=2M pages=100
    fails 1 "memory has 67108864" l2collect -q -d sim:tiny tlb memory=1G
    fails 2 "stride=4100 is not a multiple of 8" l2collect -q -d sim:tiny tlb stride=4100
}

@test "tlb: more lines than the cache holds are warned of" {
    { grep -v '^memory ' "$L2TOOLS_SHARE/devices/tiny.dev"; echo memory 4G; } >my.dev
    l2collect -d sim:./my.dev tlb stride=2M pages=4,800 passes=1 hops=64 2>err >run.tsv
    grep -q '800 lines fill a large part of the L2' err
}

# tlb_chip PAGES CYCLES: my.dev, a tiny chip with that translation.
tlb_chip()
{
    { grep -v '^memory ' "$L2TOOLS_SHARE/devices/tiny.dev"; printf 'memory 512M\ntlb_pages %s\ntlb_cycles %s\n' "$1" "$2"; } >my.dev
}

@test "tlb: the reach of simulated translations is recovered" {
    for pages in 40 101 150; do
        tlb_chip $pages 60
        l2collect -q -d sim:./my.dev tlb stride=2M passes=1 hops=1000 | l2band >out
        awk -F '\t' -v want=$((pages * 2097152)) '$1 == "tlb_reach" { print; found = $3 <= want && want <= $4 && $4 < 1.3 * $3 }
            END { exit !found }' out
    done
    tlb_chip '20 120' '12 80'
    l2collect -q -d sim:./my.dev tlb stride=2M passes=1 hops=1000 | l2band >out
    awk -F '\t' '$1 == "tlb_reach" { a = $3 <= 120 * 2097152 && 120 * 2097152 <= $4 }
        $1 == "tlb_reach_inner" { b = $3 <= 20 * 2097152 && 20 * 2097152 <= $4 } END { exit !(a && b) }' out
}

@test "bandwidth: own side, other side, atomics; one side only says so" {
    l2collect -q -d sim:tiny -o run.tsv bandwidth op=read,atom set=all,own,other size=60K bytes=1M passes=1
    [ "$(body run.tsv | cut -f 13 | sort | uniq -c | awk '$2 != "set" { printf "%s%s ", $2, $1 }')" = "all2 other2 own2 " ]
    l2band run.tsv >out
    awk -F '\t' '$1 == "read_bw_own" { own = $2 } $1 == "read_bw_other" { other = $2 } END { exit !(own > other && other > 0) }' out
    fails 1 "this device has one side only" l2collect -q -d sim:v100flat bandwidth set=own size=1M bytes=1M passes=1
    fails 2 "same=64 is more than blocks=8" l2collect -q -d sim:tiny bandwidth same=64 blocks=8 size=1M
}

@test "bandwidth: bytes in flight that fill an SM" {
    l2collect -q -d sim:tiny bandwidth op=read size=30K blocks=8,16,32,64,128 threads=32,64,256 bytes=1M passes=1 | l2band >out
    # 200 cycles and the way between sides for 64 bytes a cycle of an SM, or 6 slices of 32 bytes for 8 SMs.
    awk -F '\t' '$1 == "bw_inflight" { print; found = $2 > 2000 && $2 < 12000 } END { exit !found }' out
}

@test "persist: what the set-aside holds stays, nothing does without one; the limit is put back" {
    l2collect -q -d sim:tiny -o run.tsv persist
    l2band run.tsv >out
    cat out
    [ "$(value persist_kept set_aside_0 out)" = 0 ]
    awk -F '\t' '$1 == "persist_kept" && $6 == "set_aside_60K" { exit !($2 > 40000) }' out
    awk -F '\t' '/windows up to 30K stay as a whole/ { found = $6 == "set_aside_30K" } END { exit !found }' out
    grep -q '^#persisting_after 0$' run.tsv
    fails 1 "an access-policy window has at most 1M" l2collect -q -d sim:tiny persist size=100M
    l2collect -d sim:v100 persist 2>err | tail -n 1 | grep -qx '#end rows=0 status=ok'
    grep -q 'warning: this device cannot set L2 aside' err
}

@test "persist: the limit is put back after an error and an interruption" {
    { cat "$L2TOOLS_SHARE/devices/tiny.dev"; echo fail_after 60; } >my.dev
    fails 1 "simulated failure" l2collect -q -d sim:./my.dev -o run.tsv persist
    tail -n 1 run.tsv | grep -q 'status=error: .*simulated failure'
    # Another file: rows of the first would let the signal come before the program minds it.
    l2collect -q -d sim:tiny -o stopped.tsv persist reps=20000 2>err 3>&- &
    for _ in $(seq 1200); do
        grep -q ^persist stopped.tsv 2>/dev/null && break
        sleep 0.05
    done
    kill -INT $!
    wait $! || [ $? -eq 1 ]
    grep -q '^#persisting_after 0$' stopped.tsv
    tail -n 1 stopped.tsv | grep -q 'status=interrupted$'
}

@test "inclusion: every case and operator, as often as asked" {
    l2collect -q -d sim:tiny -o run.tsv inclusion targets=2 reps=3
    [ "$(body run.tsv | awk -F '\t' 'NR > 1 { n[$6 $7]++ } END { for (k in n) { c++; if (n[k] != 6) exit 1 } exit c != 10 }' && echo ok)" = ok ]
}

@test "one slice: what the device file says, on one and two sides; what cannot be told" {
    for bytes in 20 36; do
        { grep -v slice_bytes "$L2TOOLS_SHARE/devices/tiny.dev"; echo slice_bytes $bytes; } >my.dev
        { grep -v '^side\|^sm_split\|^sm_run' my.dev; echo sides 1; } >one.dev
        for chip in my one; do
            l2collect -q -d "sim:./$chip.dev" bandwidth set=slice op=read,write,atom kind=cg threads=32,64 unroll=1,2,4 \
                slices=3 bytes=64M | l2band >out
            body out | awk -F '\t' -v b=$bytes '$1 == "slice_bw" || $1 == "slice_write_bw" { n += $2 > 0.98 * b && $2 < 1.005 * b }
                $1 == "slice_atom_bw" { n += $2 > 0.49 * b && $2 < 0.5025 * b } END { exit n != 3 }'
        done
    done
    { cat "$L2TOOLS_SHARE/devices/tiny.dev"; echo 'service_atom 0.001'; } >my.dev
    fails 1 "contention of atomics shows nothing here" l2collect -q -d sim:./my.dev bandwidth set=slice op=read
}
