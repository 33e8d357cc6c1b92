#!/usr/bin/env bats
# l2diff: planted shifts on a simulated chip, surveys of one and of two chips, conditions, patterns, the odd one out.
load ../common

setup()
{
    cd "$BATS_TEST_TMPDIR" || return 1
}

# A latency curve of the chip tiny, its hits taking so many cycles: run FILE SEED LOCAL REMOTE
run_latency()
{
    sed "s/^latency_local .*/latency_local $3/; s/^latency_remote .*/latency_remote $4/
        s/^latency_dram .*/latency_dram 900/; s/^latency_dram_remote .*/latency_dram_remote 1000/" \
        "$L2TOOLS_SHARE/devices/tiny.dev" >"$1.dev"
    l2collect -q -s "$2" -d "sim:$1.dev" -o "$1.tsv" latency size=8K:512K:8
}

# rows FILE RESULT: how many points or parameters have it.
rows()
{
    body "$1" | awk -F '\t' -v want="$2" '$3 != "condition" && $16 == want' | wc -l
}

note()
{
    grep "^#note $1" "${2:--}"
}

@test "planted shifts: 2 % is found where it is, 0.2 % within noise is none, two runs are the same" {
    run_latency a 1 500 600
    run_latency again 2 500 600
    run_latency two 3 510 612
    run_latency little 4 501 601
    for x in again two little; do l2diff a.tsv $x.tsv >$x.diff 2>err; done
    note 'a.tsv and again.tsv are the same' again.diff
    [ "$(rows again.diff differs)" -eq 0 ]
    note 'a.tsv and little.tsv are the same' little.diff
    [ "$(rows little.diff differs)" -eq 0 ]
    [ "$(rows little.diff same)" -gt 40 ]
    note 'a.tsv and two.tsv differ: [0-9]* points of latency' two.diff
    # Every point that surely hits the near side moved by 2 %; what goes to memory did not.
    body two.diff | awk -F '\t' '$6 ~ /^size=/ { split($6, s, "="); if (s[2] >= 12000 && s[2] < 50000) {
        n++; if ($16 != "differs" || $13 < 1.8 || $13 > 2.2) bad++ } if (s[2] > 400000 && $16 == "differs") bad++ }
        END { print n, bad + 0; exit n < 10 || bad }'
    body two.diff | grep -q 'differs by +10[.0-9]* cycles (+2 %)'

    l2diff a.tsv again.tsv two.tsv 2>err | note 'the odd one out is two.tsv'
    l2diff a.tsv again.tsv little.tsv 2>err | note 'none of the 3 is the odd one out'

    l2level a.tsv >a.level
    l2level two.tsv >two.level
    l2level little.tsv >little.level
    l2diff a.level two.level 2>err | body | grep -P '\tlatency_remote\t.*\tdiffers\tdiffers by \+1[0-9.]* cycles \(\+(1.9|2|2.1) %\)$'
    [ "$(l2diff a.level little.level 2>err | rows - differs)" -eq 0 ]
}

@test "two surveys of one chip are the same; those of two chips differ, and it says in what" {
    for d in h200 h200-again h100; do
        mkdir -p $d/findings
        seed=1
        [ $d = h200 ] || seed=2
        l2collect -q -s $seed -d sim:${d%-again} -o $d/latency.tsv.gz latency size=8M:128M:5 hops=1024 passes=2
        l2level $d/latency.tsv.gz >$d/findings/level.tsv 2>err
    done
    l2diff h200 h200-again >same.tsv 2>err
    note 'h200 and h200-again are the same' same.tsv
    [ "$(rows same.tsv differs)" -eq 0 ]
    [ "$(rows same.tsv missing)" -eq 0 ]
    [ ! -s err ]

    l2diff h200 h100 >differ.tsv 2>err
    note 'h200 and h100 differ: .*latency_local, latency_remote,.* points of latency' differ.tsv
    body differ.tsv | grep -P '^h200\th100\tcondition\t-\tdevice\t'
    grep -q "warning: conditions differ: l2_bytes: '62914560' and '52428800'" err
    body differ.tsv | awk -F '\t' '$5 == "levels" && $16 == "same" { n++ } END { exit n != 1 }'
    run l2diff -s h200 h100
    [ "$status" -eq 1 ]
    l2diff -s h200 h200
}

# tlb FILE EDGE FLAT: latencies over pages of two strides, those of 8 pages of 32M and of 4 pages of 2M as given.
tlb()
{
    awk -v edge="$2" -v flat="$3" 'BEGIN {
        print "exp\tstride\tpages\tsize\tcycles\tn"
        for (s = 2; s <= 32; s += 30) for (p = 4; p <= 12; p++) {
            y = s == 2 ? 300 : p < 8 ? 301 : p > 8 ? 390 : edge
            if (s == 2 && p == 4) y = flat
            for (c = -1; c <= 1; c++) printf "tlb\t%d\t%d\t%d\t%d\t400\n", s * 2^20, p * 256, s * p * 2^28, y + c
        }
    }' >"$1"
}

@test "at the end of the TLB a point may move along the curve, elsewhere not" {
    tlb a.tsv 309 300
    tlb b.tsv 330 300
    tlb c.tsv 309 330
    l2diff a.tsv b.tsv >edge 2>err
    note 'a.tsv and b.tsv are the same' edge
    body edge | grep -P '\tstride=33554432 pages=2048\t309\t330\t.*\tsame\tsame within two steps of the curve'
    l2diff a.tsv c.tsv >flat 2>err
    body flat | grep -P '\tstride=2097152 pages=1024\t300\t330\t.*\tdiffers\t'
}

# verdict FILE DRIVER VALUE...: a verdict of policy, ways, read_bw, sides and policy_dirty.
verdict()
{
    {
        printf '#l2tsv 1\n#device X\n#driver %s\nparam\tvalue\tlo\thi\tunit\tverdict\n' "$2"
        printf 'policy\t%s\tnan\tnan\tword\tagree\nways\t%s\t%s\t%s\tlines\tagree\n' "$3" "$4" "$4" "$4"
        printf 'read_bw\t%s\t%s\t%s\tGB/s\tsingle\nsides\t%s\t2\t2\tsides\t%s\n' "$5" "$6" "$7" "$8" "$9"
        printf 'policy_dirty\t%s\t%s\t%s\tshare\tsingle\n' "${10}" "${10}" "${10}"
        printf '#end rows=5 status=ok\n'
    } >"$1"
}

@test "verdicts: words, counts, intervals, what the verdict itself can't say" {
    verdict a.tsv 1.0 lru 16 100 99.9 100.1 2 agree 0.998
    verdict b.tsv 2.0 plru 12 103 102.9 103.1 '2 or 1' disagree 1
    l2diff a.tsv b.tsv 2>err | body | cut -f 5,16,17 >got
    grep -qP '^driver\tdiffers' got
    grep -qP '^policy\tdiffers\tdiffers: lru and plru$' got
    grep -qP '^ways\tdiffers\tdiffers by -4 lines: 16 and 12$' got
    grep -qP '^policy_dirty\tsame\tsame within 0.2 %$' got
    grep -qP '^read_bw\tdiffers\tdiffers by \+3 GB/s \(\+3 %\)$' got
    grep -qP "^sides\tunsure\tcan't tell: the verdict is agree in one and disagree in the other$" got
    grep -q "warning: conditions differ: driver: '1.0' and '2.0'" err
    # The same with a margin of 5 %; only the rest is left by -d.
    l2diff -d -w 5 a.tsv b.tsv 2>err | body | cut -f 5 | tr '\n' ' ' | grep -qx 'param driver policy ways sides '
    l2diff a.tsv a.tsv | body | cut -f 16 | sort | uniq -c | grep -qE '^ +5 same$'
}

# points FILE OP N LATENCY SIMULATED: N sizes, 100 accesses each over 20 lines or more.
points()
{
    {
        printf '#l2tsv 1\n#device X\n#parameters latency op=%s\nexp\tsize\tstride\top\tcycles\tn\n' "$2"
        awk -v n="$3" -v c="$4" -v op="$2" 'BEGIN { for (i = 0; i < n; i++) for (k = 0; k < 5; k++)
            printf "latency\t%d\t128\t%s\t%d\t20\n", 2560 + 1280 * i, op, c + k }'
        printf '#end rows=%d status=ok\n' $((5 * $3))
    } >"$1"
}

@test "patterns that differ are said, points are matched by the other conditions, lone ones counted" {
    points a.tsv cg 12 300
    points b.tsv ca 10 330
    l2diff a.tsv b.tsv >got 2>err
    grep -q "warning: conditions differ: latency: parameters: 'op=cg' and 'op=ca'" err
    body got | grep -qP '\tcurve\tlatency\tcycles\t10 points\t.*\tdiffers\tdiffers by \+9.9 %$'
    body got | grep -qP '\t2 points\t.*\tmissing\tonly in a.tsv$'
    [ "$(body got | grep -c 'size=.*differs by +30 cycles (+9.9 %)')" -eq 10 ]
}

@test "one sample tells nothing, and many tests need stronger ones" {
    printf 'exp\tsize\tgbps\nbandwidth\t1\t5\n' >a
    printf 'exp\tsize\tgbps\nbandwidth\t1\t6\n' >b
    l2diff a b | body | grep -q "unsure	can't tell: too few samples"
    # p = 0.005 by itself, 40 times as much in company.
    awk 'BEGIN { print "exp\tsize\tgbps"; for (i = 0; i < 40; i++) for (k = 0; k < 4; k++) print "bandwidth\t" i "\t" 100 + k }' >a
    awk 'BEGIN { print "exp\tsize\tgbps"; for (i = 0; i < 40; i++) for (k = 0; k < 4; k++) print "bandwidth\t" i "\t" 100 + k + (i == 7 ? 4 : 0) }' >b
    l2diff a b | body | awk -F '\t' '$6 == "size=7" { exit !($14 < 0.02 && $15 > 0.1 && $16 == "unsure") }'
}

@test "bad input and usage" {
    fails 2 'give 2 to 16' l2diff a
    fails 2 '-c: not holm or bh' l2diff -c x a b
    fails 2 '-w' l2diff -w -1 a b
    printf 'exp\tsize\tgbps\nbandwidth\t1\t5\n' >a
    fails 1 'nowhere' l2diff a nowhere
    mkdir empty
    fails 1 'empty: no rows' l2diff a empty
    printf 'exp\tsize\tgbps\nbandwidth\t1\tx\n' >bad
    fails 1 "bad:2: column gbps: not a number: 'x'" l2diff a bad
    printf '#l2tsv 1\nexp\tsize\tgbps\nbandwidth\t1\t5\n' >cut.tsv
    fails 1 'cut' l2diff -s a cut.tsv
}
