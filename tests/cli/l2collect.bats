#!/usr/bin/env bats
# l2collect on the simulated device: parameters, tables, errors, interruption, files.
load ../common

setup()
{
    cd "$BATS_TEST_TMPDIR" || return 1
    quick=(hops=64 passes=2 warm=0)
}

# chip KEY VALUE: ./my.dev, the tiny chip with one key changed.
chip()
{
    awk -v key="$1" '$1 != key' "$L2TOOLS_SHARE/devices/tiny.dev" >my.dev
    echo "$1 $2" >>my.dev
}

# column NAME FILE: the values of a column, a line each.
column()
{
    body "$2" | awk -F '\t' -v name="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }'
}

@test "latency: one table, whole, every row with its conditions" {
    l2collect -q -d sim:tiny -o run.tsv latency size=4K,64K "${quick[@]}"
    [ "$(head -n 1 run.tsv)" = "#l2tsv 1" ]
    [ "$(body run.tsv | head -n 1 | tr '\t' ' ')" = \
        "exp seq size stride op timing order window sm chain chains carveout fresh pass cycles n" ]
    [ "$(tail -n 1 run.tsv)" = "#end rows=$(($(body run.tsv | wc -l) - 1)) status=ok" ]
    [ "$(column size run.tsv | sort -nu | tr '\n' ' ')" = "4096 65536 " ]
    [ "$(column exp run.tsv | sort -u)" = latency ]
    [ "$(column n run.tsv | awk '{ n += $1 } END { print n }')" -eq $((2 * 2 * 64)) ]
    for key in by device uuid cc sms l2_bytes mem_bytes bus_width driver host time seed clock_sm_before \
        clock_sm_after clock_mem_before clock_mem_after clock_locked clock_measured_before clock_measured_after \
        temperature_before temperature_after processes ecc mig persisting fetch buffer throttle simulated parameters; do
        [ "$(grep -c "^#$key " run.tsv)" -eq 1 ] || { echo "no #$key"; return 1; }
    done
    grep -q '^#simulated yes$' run.tsv
    grep -q '^#by l2collect .*: l2collect -q -d sim:tiny -o run.tsv latency size=4K,64K hops=64 ' run.tsv
    grep -q '^#parameters latency size=4K,64K stride=128 ' run.tsv
}

@test "latency: the same seed gives the same rows, another seed another order" {
    for i in 1 2 3; do
        l2collect -q -d sim:tiny -s $((i / 2)) latency size=4K:256K:2 "${quick[@]}" | body - >"$i"
    done
    cmp 2 3
    if cmp -s 1 2; then return 1; fi
}

@test "latency: sizes are measured in random order, each once" {
    l2collect -q -d sim:tiny -o run.tsv latency size=1K:1M:2,4K,4096 "${quick[@]}"
    [ "$(column size run.tsv | uniq | wc -l)" -eq 21 ]
    [ "$(column size run.tsv | sort -nu | wc -l)" -eq 21 ]
    if column size run.tsv | sort -nc 2>/dev/null; then return 1; fi
    column seq run.tsv | sort -nc
}

@test "latency: a working set beyond the cache is slower than one inside" {
    l2=$(l2collect -q -d sim:tiny latency size=4K "${quick[@]}" | awk '$1 == "#l2_bytes" { print $2 }')
    l2collect -q -d sim:tiny -o run.tsv latency size="4K,$((4 * l2))" hops=1000
    body run.tsv | awk -F '\t' 'NR > 1 { c[$3] += $15 * $16; n[$3] += $16 }
        END { for (s in c) print s, c[s] / n[s] }' | sort -n >means
    cat means
    awk '{ m[NR] = $2 } END { exit !(m[2] > 1.5 * m[1]) }' means
}

@test "latency: default sizes reach from 4K to 4 x L2, 64M at least; 10 000 hops a size" {
    l2collect -q -d sim:tiny -o run.tsv latency warm=0
    [ "$(column size run.tsv | sort -n | head -n 1)" -eq 4096 ]
    [ "$(column size run.tsv | sort -n | tail -n 1)" -ge $((64 << 20)) ]
    [ "$(column size run.tsv | sort -nu | wc -l)" -ge 90 ]
    body run.tsv | awk -F '\t' 'NR > 1 { n[$3] += $16 } END { for (s in n) if (n[s] < 10000) exit 1 }'
}

@test "latency: timing=total gives the mean of a pass, close to that of its hops" {
    for t in each total; do
        l2collect -q -d sim:tiny -o $t.tsv latency size=16K hops=4096 passes=1 timing=$t
        body $t.tsv | awk -F '\t' 'NR > 1 { c += $15 * $16; n += $16 } END { print c / n }' >$t
    done
    [ "$(column n total.tsv)" -eq 4096 ]
    awk '{ v[NR] = $1 } END { print v[1], v[2]; exit !(v[2] <= v[1] && v[2] > 0.5 * v[1]) }' each total
}

@test "latency: chains have their own SMs and share the size" {
    l2collect -q -d sim:tiny -o run.tsv latency size=64K chains=3 "${quick[@]}"
    [ "$(column chain run.tsv | sort -u | tr '\n' ' ')" = "0 1 2 " ]
    [ "$(column sm run.tsv | sort -u | wc -l)" -eq 3 ]
    [ "$(column n run.tsv | awk '{ n += $1 } END { print n }')" -eq $((3 * 2 * 64)) ]
}

@test "latency: shuffle, window, fresh, other operators" {
    l2collect -q -d sim:tiny -o run.tsv latency size=64K order=shuffle window=8K fresh=yes op=ca "${quick[@]}"
    [ "$(column order run.tsv | sort -u)" = shuffle ]
    [ "$(column window run.tsv | sort -u)" = 8192 ]
    [ "$(column fresh run.tsv | sort -u)" = yes ]
    [ "$(column op run.tsv | sort -u)" = ca ]
    tail -n 1 run.tsv | grep -q 'status=ok$'
}

# A cycle larger than an LRU cache misses at every hop; in fresh orders lines come back while they are still there.
@test "latency: shuffle hits where a cycle never does" {
    l2=$(l2collect -q -d sim:tiny latency size=4K "${quick[@]}" | awk '$1 == "#l2_bytes" { print $2 }')
    for o in cycle shuffle; do
        l2collect -q -d sim:tiny -o $o.tsv latency size=$((2 * l2)) order=$o hops=2000 passes=2
        body $o.tsv | awk -F '\t' 'NR > 1 { c += $15 * $16; n += $16 } END { print c / n }' >$o
    done
    awk '{ v[NR] = $1 } END { print v[1], v[2]; exit !(v[2] < v[1] - 10) }' cycle shuffle
}

@test "size=-: plain numbers, or the table that l2knee -r prints" {
    printf '4K\n32768\n' | l2collect -q -d sim:tiny -o a.tsv latency size=- "${quick[@]}"
    printf '#l2tsv 1\n#by l2knee\nsize\n4096\n32768\n#end rows=2 status=ok\n' |
        l2collect -q -d sim:tiny -o b.tsv latency size=- "${quick[@]}"
    [ "$(column size a.tsv | sort -nu | tr '\n' ' ')" = "4096 32768 " ]
    cmp <(body a.tsv) <(body b.tsv)
    fails 1 "standard input: not a size" l2collect -d sim:tiny latency size=- <<<"4096 bytes"
    fails 1 "size: standard input holds no sizes" l2collect -d sim:tiny latency size=- </dev/null
}

@test "bandwidth: gbps and bpc follow from bytes, ns and cycles; every combination is there" {
    l2collect -q -d sim:tiny -o run.tsv bandwidth size=64K,1M width=4,16 threads=256,512 bytes=1M passes=2
    [ "$(body run.tsv | wc -l)" -eq $((1 + 3 * 2 * 2 * 2 * 2)) ]
    body run.tsv | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        function off(a, b) { return a > 1.0001 * b || b > 1.0001 * a }
        { b = $at["bytes"]
          if (off($at["gbps"], b / $at["ns"]) || off($at["bpc"], b / $at["cycles"]) || b < 1048576) { print; exit 1 } }'
    [ "$(column op run.tsv | sort -u | tr '\n' ' ')" = "copy read write " ]
}

@test "clock: timer, clocks of every SM, warm-up, noise, chase by hop and whole" {
    l2collect -q -d sim:tiny -o run.tsv clock steps=5 n=1000
    sms=$(awk '$1 == "#sms" { print $2 }' run.tsv)
    [ "$(column what run.tsv | sort -u | tr '\n' ' ')" = "chase_each chase_total mhz noise timer warmup " ]
    [ "$(body run.tsv | grep -c '	mhz	')" -eq "$sms" ]
    [ "$(body run.tsv | grep -c '	warmup	')" -eq 5 ]
    [ "$(body run.tsv | grep '	timer	' | cut -f 3 | sort -u | wc -l)" -eq "$sms" ]
    [ "$(body run.tsv | awk -F '\t' '$2 == "noise" { n += $6 } END { print n }')" -eq 999 ]
    # What the timer costs is what lies between a hop timed by itself and its share of a pass.
    body run.tsv | awk -F '\t' '$2 != "exp" { c[$2] += $5 * $6; n[$2] += $6 }
        END { d = c["chase_each"] / n["chase_each"] - c["chase_total"] / n["chase_total"]
              t = c["timer"] / n["timer"]; print d, t; exit !(d > 0.5 * t && d < 2 * t) }'
}

@test "several experiments: a table each, a parameter goes to those that have it" {
    l2collect -q -d sim:tiny passes=1 latency clock size=4K hops=32 steps=2 n=100 >run.tsv
    [ "$(grep -c '^#l2tsv 1$' run.tsv)" -eq 2 ]
    [ "$(grep -c 'status=ok$' run.tsv)" -eq 2 ]
    grep -q '^#parameters clock .*passes=1' run.tsv
    grep -q '^#parameters latency .*passes=1' run.tsv
}

@test "a .gz file is compressed and whole" {
    l2collect -q -d sim:tiny -o run.tsv.gz latency size=4K "${quick[@]}"
    gzip -t run.tsv.gz
    gzip -dc run.tsv.gz | tail -n 1 | grep -q 'status=ok$'
    l2collect -q -d sim:tiny -o 'a; touch b.gz' latency size=4K "${quick[@]}"
    [ -e 'a; touch b.gz' ]
}

@test "usage errors: 2, one line, the known names" {
    fails 2 "no such experiment: 'latencies'; there are: latency bandwidth clock" l2collect latencies
    fails 2 "name an experiment: latency" l2collect
    fails 2 "no such parameter: 'sizes=4K'; there are: size stride" l2collect latency sizes=4K
    fails 2 "latency: hops: not between 1 and 1000000000: '0'" l2collect latency hops=0
    fails 2 "latency: op: not one of cg|ca|cv|no_allocate: 'xx'" l2collect latency op=xx
    fails 2 "latency: size: not a size such as 4K or 30M" l2collect latency size=4K:8K
    fails 2 "seed: not a whole number: 'x'" l2collect -s x latency
    [ ! -s out ]
}

@test "a device or file that is not there: 1, and what" {
    fails 1 "no-such-chip" l2collect -d sim:no-such-chip latency
    fails 2 "magic" l2collect -d magic latency
    fails 1 "/no/such/folder/x.tsv" l2collect -d sim:tiny -o /no/such/folder/x.tsv latency
    fails 1 "directory" l2collect -d sim:tiny -o . latency
}

@test "parameters that do not fit the device end the table with an error" {
    fails 1 "the device has" l2collect -q -d sim:tiny -o run.tsv latency sm=9999
    tail -n 1 run.tsv | grep -q '^#end rows=0 status=error: sm=9999'
    fails 2 "stride=12 is not a multiple of 8" l2collect -q -d sim:tiny latency stride=12
    fails 2 "stride=16 or more" l2collect -q -d sim:tiny latency stride=8 order=shuffle
    fails 2 "width=5 is not 4, 8 or 16" l2collect -q -d sim:tiny bandwidth width=5
    fails 2 "take=16 every=0" l2collect -q -d sim:tiny bandwidth take=16
}

@test "a device that fails in mid-run: rows are kept, the end says why" {
    chip fail_after 30
    fails 1 "error: " l2collect -q -d sim:./my.dev -o run.tsv latency clock size=4K:1M:2 "${quick[@]}"
    rows=$(($(body run.tsv | wc -l) - 1))
    [ "$rows" -gt 0 ]
    tail -n 1 run.tsv | grep -q "^#end rows=$rows status=error: "
    [ "$(grep -c '^#l2tsv' run.tsv)" -eq 1 ]
}

@test "interrupted: the file is valid, exit 1" {
    for signal in INT TERM; do
        l2collect -q -d sim:tiny -o run.tsv.gz latency passes=1000000 size=64K hops=4096 2>err 3>&- &
        pid=$!
        for _ in $(seq 100); do
            [ -s run.tsv.gz ] && break
            sleep 0.05
        done
        kill -s $signal $pid
        status=0
        wait $pid || status=$?
        [ "$status" -eq 1 ]
        gzip -dc run.tsv.gz >run.tsv
        tail -n 1 run.tsv | grep -q "^#end rows=$(($(body run.tsv | wc -l) - 1)) status=interrupted$"
        grep -q "l2collect: latency: interrupted; [0-9]* rows are kept" err
        rm run.tsv.gz
    done
}

@test "interrupted by timeout, which signals twice: the file is valid" {
    status=0
    timeout -s INT 1 l2collect -q -d sim:tiny -o run.tsv latency passes=1000000 size=64K hops=4096 || status=$?
    [ "$status" -eq 124 ]
    tail -n 1 run.tsv | grep -q 'status=interrupted$'
}

@test "rows appear as they are measured" {
    mkfifo pipe
    l2collect -q -d sim:tiny latency passes=1000000 size=64K hops=64 >pipe 2>/dev/null 3>&- &
    exec 4<pipe
    timeout 20 grep -m 1 -c '^latency' <&4
    exec 4<&-
    status=0
    wait $! || status=$?
    [ "$status" -eq 1 ]
}

@test "a closed pipe ends it quietly" {
    l2collect -q -d sim:tiny latency passes=1000000 size=64K 2>err | head -n 1
    [ ! -s err ]
}

@test "a full disk is an error" {
    fails 1 "l2collect: stdout: No space left on device" sh -c 'l2collect -q -d sim:tiny latency size=4K >/dev/full'
    fails 1 "l2collect: /dev/full: No space left on device" l2collect -q -d sim:tiny -o /dev/full latency size=4K
}

@test "warnings: on stderr and in the table, -q keeps them in the table only" {
    chip locked 0
    l2collect -d sim:./my.dev -o run.tsv latency size=4K "${quick[@]}" 2>err
    grep -q 'warning: the clocks of .* are not locked .*l2lock' err
    grep -q '^#warning the clocks of .* are not locked' run.tsv
    grep -q 'warning: the largest working set, 4K, is less than 4 x L2' err
    l2collect -q -d sim:./my.dev -o run.tsv latency size=4K "${quick[@]}" 2>err
    [ ! -s err ]
    grep -q '^#warning the clocks' run.tsv
}

@test "warnings: other processes, MIG" {
    chip processes 2
    l2collect -d sim:./my.dev -o run.tsv latency size=4K "${quick[@]}" 2>err
    grep -q 'warning: 2 other processes on' err
    chip mig 1
    l2collect -d sim:./my.dev -o run.tsv latency size=4K "${quick[@]}" 2>err
    grep -q 'is a MIG slice' err
}

@test "latency: 16 sizes an octave up to 5/4 of the L2 that the device tells, 4 beyond its double, 8 elsewhere" {
    # octave FROM: how many sizes there are from FROM to below its double.
    octave()
    {
        column size run.tsv | sort -un | awk -v from="$1" '$1 >= from && $1 < 2 * from { n++ } END { print n + 0 }'
    }
    l2collect -q -d sim:tiny -o run.tsv latency passes=1 hops=64
    [ "$(octave $((120 * 1024 / 4)))" -eq 16 ]
    [ "$(octave $((120 * 1024 / 2)))" -eq 16 ]
    [ "$(octave $((120 * 1024 * 5 / 4)))" -le 8 ]
    [ "$(octave $((120 * 1024 * 5 / 4)))" -ge 5 ]
    [ "$(octave $((120 * 1024 * 2)))" -eq 4 ]
    [ "$(octave 8192)" -eq 8 ]
    chip l2_api 0
    l2collect -q -d sim:./my.dev -o run.tsv latency passes=1 hops=64
    [ "$(octave 65536)" -eq 8 ]
    [ "$(octave 4194304)" -eq 8 ]
}

@test "-l lists devices and experiments, -h EXPERIMENT its parameters" {
    l2collect -l | grep -q '^  latency '
    l2collect -l | grep -q 'sim:'
    l2collect -h latency | grep -q '^  stride=128 .*(bytes)$'
    l2collect bandwidth -h | grep -q '^  width=16 '
    l2collect -h | grep -q '^usage: l2collect '
}

@test "seq=-: sequences, not sizes, from standard input" {
    echo 'a b c a?' | l2collect -q -d sim:tiny replace seq=- sets=1 2>/dev/null >"$BATS_TEST_TMPDIR/out"
    grep -q '^replace' "$BATS_TEST_TMPDIR/out"
    tail -n 1 "$BATS_TEST_TMPDIR/out" | grep -q 'status=ok'
}

@test "evict, replace: a pool that cannot evict is said, with the size that would do" {
    for what in evict replace dirty; do
        fails 1 'a pool of 4194304 bytes is too small to evict a line for sure: pool=268435456 is 4 times the L2' \
            l2collect -q -d sim:h200 $what pool=4M
    done
    fails 1 'pool=524288 is 4 times the L2' l2collect -q -d sim:tiny evict pool=64K targets=2
    l2collect -q -d sim:tiny evict pool=524288 targets=2 | tail -n 1 | grep -q 'status=ok'
}

@test "replace: sequences that cannot run, and why" {
    fails 2 "not a line (a letter a-z or a number) at character 3: 'bb c?'" l2collect -q -d sim:tiny replace seq='a bb c?'
    fails 2 'a bracket that nothing opened' l2collect -q -d sim:tiny replace seq='a b) c?'
    fails 1 'seq: line 30, but only 19 congruent lines are known: extra=22 finds more' \
        l2collect -q -d sim:tiny replace sets=1 seq='0..30? 0?'
    fails 2 'over 100000 steps' l2collect -q -d sim:tiny replace sets=1 seq='(0..8)*20000 a?'
    fails 1 'seq=@nowhere: cannot be opened' l2collect -q -d sim:tiny replace seq=@nowhere
    fails 2 'no sequence in it' l2collect -q -d sim:tiny replace seq='# a comment'
}

# hits TABLE COLUMN: for each of its values, hops of a pass, and those that took less than 260 cycles, a hit on the own side of sim:tiny.
hits()
{
    body "$1" | awk -F '\t' -v key="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { k = $at[key]; all[k] += $at["n"]; hit[k] += $at["cycles"] < 260 ? $at["n"] : 0; pass[k, $at["pass"]] = 1 }
        END { for (p in pass) { split(p, part, SUBSEP); passes[part[1]]++ }
              for (k in hit) print k, all[k] / passes[k], hit[k] / passes[k] }' | sort -n
}

@test "latency order=back: every line once, and one side's 480 lines hit to the last one" {
    l2collect -q -d sim:tiny -o run.tsv latency order=back size=90K,150K,240K
    hits run.tsv size | tee got
    awk '{ lines = $1 / 128; bad += $2 % lines != 0 || $2 < 131072; hit = $3 / $2 * lines; bad += hit > 480 || hit < 479.8 }
        END { exit !(bad == 0 && NR == 3) }' got
    l2collect -q -d sim:tiny -o run.tsv latency order=back chains=3 size=240K timing=total
    [ "$(column n run.tsv | sort -u)" -eq 640 ]
    fails 2 'order=back needs two pointers' l2collect -q -d sim:tiny latency order=back stride=8 size=64K
}

@test "latency: sizes that are given are walked back when asked for" {
    l2collect -q -d sim:tiny -o run.tsv latency size=64K
    [ "$(column order run.tsv | sort -u)" = cycle ]
    l2collect -q -d sim:tiny -o run.tsv latency order=back,shuffle,cycle size=64K
    [ "$(column order run.tsv | sort -u | tr '\n' ' ')" = "back cycle shuffle " ]
    l2collect -q -d sim:tiny -o run.tsv latency
    grep -P '\tback\t' run.tsv | cut -f 3 | sort -n | awk '{ x[NR] = $1 } END { print x[1], x[NR]; exit !(x[1] >= 15360 && x[1] < 17000 && x[NR] == 245760) }'
}

@test "linger: what a pause leaves, and what it is refused" {
    l2collect -q -d sim:tiny -o run.tsv linger pause=0,50 passes=2
    hits run.tsv pause >got
    printf '0 960 480\n50 960 480\n' | diff - got
    fails 2 'is not a multiple of 8' l2collect -q -d sim:tiny linger stride=20
    fails 1 'the device has 8 SMs' l2collect -q -d sim:tiny linger sm=8
    fails 2 'pause: not between 0 and 60000 ms' l2collect -q -d sim:tiny linger pause=70000
}

@test "the manual's examples on the simulated chip print what it says" {
    awk '/^\.Ed/ { on = 0 } /^\$ .*-d sim:/ { on = 1 } on' "$TOP/man/l2collect.1" >shown
    grep '^\$ ' shown | cut -c 3- | while IFS= read -r line; do
        echo "\$ $line"
        sh -c "$line" 2>/dev/null
    done >printed
    [ "$(grep -c '^\$ ' shown)" -eq 3 ]
    diff shown printed
}
