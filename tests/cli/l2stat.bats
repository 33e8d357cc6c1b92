#!/usr/bin/env bats
# What l2stat prints; how it takes and refuses inputs is in tsv.bats.
load ../common

# table COLUMN,COLUMN ROW... -> a plain TSV
table()
{
    printf '%s\n' "$@" | tr ' ,' '[\t*2]'
}

# field NAME: that column of the first row on stdin
field()
{
    awk -F'\t' -v name="$1" '/^#/ { next } !n { for (i = 1; i <= NF; i++) if ($i == name) n = i; next } { print $n; exit }'
}

# need_case NAME: $f is that public curve
need_case()
{
    f=$L2TOOLS_CASES/$1.tsv
    [ -r "$f" ] || skip "no $1.tsv in \$L2TOOLS_CASES"
}

@test "all columns, hand-worked" {
    table cycles,n '1 1' '2 3' '4 1' '10 1' | l2stat | body - >"$BATS_TEST_TMPDIR/out"
    # Six samples 1 2 2 2 4 10: median 2, distances 0 0 0 1 2 8, mean 3.5, squares 65.5 - 10.
    [ "$(field n <"$BATS_TEST_TMPDIR/out")" = 6 ]
    [ "$(head -n 1 "$BATS_TEST_TMPDIR/out" | tr '\t' ' ')" = \
        'n min q05 q25 median q75 q95 max mean sd mad ci_lo ci_hi' ]
    [ "$(tail -n 1 "$BATS_TEST_TMPDIR/out" | tr '\t' ' ' | cut -d' ' -f1-9)" = '6 1 1.25 2 2 3.5 8.5 10 3.5' ]
    [ "$(field sd <"$BATS_TEST_TMPDIR/out" | cut -c1-9)" = 3.3316662 ]
    [ "$(field mad <"$BATS_TEST_TMPDIR/out" | cut -c1-9)" = 0.7413011 ]
    [ "$(field ci_lo <"$BATS_TEST_TMPDIR/out") $(field ci_hi <"$BATS_TEST_TMPDIR/out")" = '1 10' ]
}

@test "one sample: no sd and no interval" {
    table cycles 7 | l2stat | tail -n 2 | head -n 1 | tr '\t' ' ' >"$BATS_TEST_TMPDIR/out"
    [ "$(cat "$BATS_TEST_TMPDIR/out")" = '1 7 7 7 7 7 7 7 7 nan 0 nan nan' ]
}

@test "groups by parameters, not by order columns, in the order of their values" {
    table exp,seq,size,sm,pass,cycles,n 'latency 0 1024 3 0 5 1' 'latency 1 512 3 0 7 1' 'latency 0 1024 3 1 5 2' \
        'latency 2 512 10 0 7 1' | l2stat 2>"$BATS_TEST_TMPDIR/err" | body - | cut -f 1-4 >"$BATS_TEST_TMPDIR/out"
    [ "$(tr '\t' ' ' <"$BATS_TEST_TMPDIR/out")" = 'exp size sm n
latency 512 3 1
latency 512 10 1
latency 1024 3 3' ]
}

@test "-g and -y: other people's columns; -g '' is one group" {
    table x,tries,us 'a 1 3.5' 'b 2 4.5' 'a 3 5.5' >"$BATS_TEST_TMPDIR/in"
    [ "$(l2stat -g x -y us "$BATS_TEST_TMPDIR/in" | body - | cut -f 1,2,6 | tail -n 2 | tr '\t' ' ')" = 'a 2 4.5
b 1 4.5' ]
    [ "$(l2stat -g '' -y us "$BATS_TEST_TMPDIR/in" | field median)" = 4.5 ]
    [ "$(l2stat -x x -y us "$BATS_TEST_TMPDIR/in" | field n)" = 2 ]
    l2stat -y us "$BATS_TEST_TMPDIR/in" 2>&1 >/dev/null | grep -q 'every group has one sample: name the columns'
    fails 1 "no column gbps, cycles, ns or value: name the values with -y" l2stat "$BATS_TEST_TMPDIR/in"
    fails 1 "no column 'speed'" l2stat -g speed -y us "$BATS_TEST_TMPDIR/in"
    fails 2 "two columns of the output would have the name 'n'" l2stat -g n -y us <<<"$(table n,us '1 2')"
}

@test "rows in any order, and split over files, give the same" {
    awk 'BEGIN { srand(3); print "size\tcycles"; for (i = 0; i < 4000; i++) print 64 * int(i / 500) "\t" int(300 + 50 * rand()) }' \
        >"$BATS_TEST_TMPDIR/a"
    l2body sort -k2n <"$BATS_TEST_TMPDIR/a" >"$BATS_TEST_TMPDIR/b"
    head -n 1700 "$BATS_TEST_TMPDIR/a" >"$BATS_TEST_TMPDIR/c"
    { head -n 1 "$BATS_TEST_TMPDIR/a" && tail -n +1701 "$BATS_TEST_TMPDIR/a"; } >"$BATS_TEST_TMPDIR/d"
    l2stat "$BATS_TEST_TMPDIR/a" | body - >"$BATS_TEST_TMPDIR/want"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/want")" = 9 ]
    l2stat "$BATS_TEST_TMPDIR/b" | body - | cmp - "$BATS_TEST_TMPDIR/want"
    l2stat "$BATS_TEST_TMPDIR/d" "$BATS_TEST_TMPDIR/c" | body - | cmp - "$BATS_TEST_TMPDIR/want"
}

@test "weights equal repeated rows" {
    { echo cycles && seq 1 9 | awk '{ for (i = 0; i < $1; i++) print $1 / 8 }'; } >"$BATS_TEST_TMPDIR/long"
    { printf 'cycles\tn\n' && seq 1 9 | awk '{ print $1 / 8 "\t" $1 }'; } >"$BATS_TEST_TMPDIR/short"
    l2stat "$BATS_TEST_TMPDIR/long" | body - >"$BATS_TEST_TMPDIR/want"
    l2stat "$BATS_TEST_TMPDIR/short" | body - | cmp - "$BATS_TEST_TMPDIR/want"
    table cycles,k '1 9' '5 1' | l2stat -w k -g '' | body - | grep -q '^10	1	'
}

@test "-q: more quantiles by name" {
    { echo cycles && seq 0 1000; } | l2stat -q 0.01,0.999,1 | body - | cut -f 14- | tr '\t' ' ' >"$BATS_TEST_TMPDIR/out"
    [ "$(cat "$BATS_TEST_TMPDIR/out")" = 'q01 q999 q100
10 999 1000' ]
    fails 2 "-q: not between 0 and 1: '5'" l2stat -q 5
    fails 2 "the name 'q05'" l2stat -q 0.05 <<<"$(table cycles 1)"
}

@test "-c: a wider interval for more confidence" {
    { echo cycles && seq 1 100; } >"$BATS_TEST_TMPDIR/in"
    [ "$(l2stat -g '' "$BATS_TEST_TMPDIR/in" | field ci_lo)" = 40 ]
    [ "$(l2stat -g '' -c 0.99 "$BATS_TEST_TMPDIR/in" | field ci_lo)" = 37 ]
}

@test "-k: drops outliers and says how many" {
    { echo cycles && seq 101 120 && echo 9000; } >"$BATS_TEST_TMPDIR/in"
    l2stat -k mad:5 "$BATS_TEST_TMPDIR/in" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
    [ "$(field max <"$BATS_TEST_TMPDIR/out") $(field dropped <"$BATS_TEST_TMPDIR/out")" = '120 1' ]
    grep -q 'dropped 1 of 21 samples by -k mad:5$' "$BATS_TEST_TMPDIR/err"
    grep -q '^#warning .*dropped 1 of 21' "$BATS_TEST_TMPDIR/out"
    [ "$(l2stat -k iqr "$BATS_TEST_TMPDIR/in" | field n)" = 20 ]
    [ "$(l2stat -k trim:10 "$BATS_TEST_TMPDIR/in" | field n)" = 17 ]
    fails 2 "-k: no outlier rule" l2stat -k sigma:3
}

@test "nan and infinite values are dropped and counted" {
    table cycles 1 nan 3 -nan inf >"$BATS_TEST_TMPDIR/in"
    l2stat "$BATS_TEST_TMPDIR/in" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
    [ "$(field n <"$BATS_TEST_TMPDIR/out")" = 2 ]
    grep -q 'cycles: dropped 3 of 5 rows: NaN or infinite' "$BATS_TEST_TMPDIR/err"
    table cycles nan | l2stat | tail -n 1 | grep -q '^#end rows=0 status=ok$'
}

@test "-H: bins hold whole steps of the grid and all samples" {
    { echo cycles && seq 0.1 0.1 40; } | l2stat -H -b 0.77 | body - | sed 1d | cut -f 3 | sort | uniq -c | sort -rn |
        head -n 1 | grep -q '50 8$'
    { echo cycles && seq 1 1000; } | l2stat -H | body - | awk 'NR > 1 { n += $3; w += $4 } END { exit n != 1000 || w < 0.999 }'
    table cycles 5 5 5 | l2stat -H | body - | tail -n 1 | tr '\t' ' ' | grep -qx '4.5 5.5 3 1'
}

@test "-m: a constant, and the manual's example" {
    table cycles 13 13 13 | l2stat -m | body - | tail -n 1 | tr '\t' ' ' | grep -qx '1 1 13 1 0 13 13 3'
    printf 'cycles\tn\n164\t70\n165\t76\n293\t60\n294\t49\n' | l2stat -m | grep -v '#' | tr '\t' ' ' >"$BATS_TEST_TMPDIR/out"
    [ "$(cat "$BATS_TEST_TMPDIR/out")" = 'mode modes centre weight iqr lo hi n
1 2 165 0.572549 1 164 165 146
2 2 293 0.427451 1 293 294 109' ]
}

# spread AWK-EXPRESSION-OF-i: the warning about 1000 such rows
spread()
{
    awk "BEGIN { srand(1); print \"cycles\"; for (i = 0; i < 1000; i++) print int($1) }" | l2stat 2>&1 | grep -v '^#' | grep warning || true
}

@test "spread over 30 %: says why" {
    spread '(i % 2 ? 165 : 295) + 9 * rand()' | grep -q 'several modes in 1'
    spread '(i < 600 ? 165 : 295) + 9 * rand()' | grep -q 'several modes that follow one another in time in 1'
    spread '200 + i / 5 + 30 * rand()' | grep -q 'drift in time in 1'
    spread '200 + 5 * rand() + (rand() < 0.08) * 900 * rand()' | grep -q 'a long tail in 1'
    spread '200 + 200 * rand()' | grep -q 'one wide mode in 1'
    [ -z "$(spread '200 + 20 * rand()')" ]
    awk 'BEGIN { print "cycles"; for (i = 0; i < 100; i++) print i % 2 ? 100 : 200 }' | l2stat 2>/dev/null | grep -q '^#warning l2stat: cycles: q05 to q95'
}

@test "options: usage, help, unknown rule, full disk, closed pipe" {
    fails 2 "usage: l2stat" l2stat --nonsense
    l2stat --help | grep -q -- '--histogram'
    table cycles 1 >"$BATS_TEST_TMPDIR/in"
    fails 1 "No space left" sh -c "l2stat $BATS_TEST_TMPDIR/in >/dev/full"
}

# Public curves, when they are at hand.

@test "case: A100 L2 latency has two modes" {
    need_case mt4g_l2lat_a100_samples
    [ "$(l2stat -m "$f" 2>/dev/null | body - | sed 1d | cut -f 3,8 | tr '\t' ' ')" = '164 146
293 109' ]
    l2stat "$f" 2>&1 >/dev/null | grep -q 'several modes'
}

@test "case: RTX 5090 pairs have four values" {
    need_case rtx5090_sm_pairs
    l2stat -H -g '' -y mean_abs_diff_cycles "$f" | body - | sed 1d | tr '\t' ' ' | cut -d' ' -f1-3 >"$BATS_TEST_TMPDIR/out"
    [ "$(cat "$BATS_TEST_TMPDIR/out")" = '-0.05 0.05 170
2.25 2.35 12456
2.35 2.45 16272
2.45 2.55 2' ]
    [ "$(l2stat -m -g '' -y mean_abs_diff_cycles "$f" | body - | sed 1d | cut -f 3 | xargs)" = '0 2.4' ]
}

@test "case: H100 and A100 DRAM latencies" {
    need_case mt4g_dramlat_h100sxm_samples
    [ "$(l2stat "$f" 2>/dev/null | body - | tail -n 1 | cut -f 2,5,8 | xargs)" = '670 864 1639' ]
    [ "$(l2stat -m "$f" 2>/dev/null | body - | sed 1d | cut -f 3 | xargs)" = '711 902.5' ]
    need_case mt4g_dramlat_a100_samples
    l2stat -m "$f" 2>/dev/null | body - | awk 'NR > 1 && $4 > 0.4 { print $3 }' | xargs | grep -qx '550 706'
}

@test "case: a median that never moves is warned of" {
    need_case mt4g_l1_a100_long
    l2stat "$f" 2>&1 >/dev/null | grep -q 'mean moves from 68 to 123.4, the median only from 68 to 68'
}
