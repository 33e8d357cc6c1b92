#!/usr/bin/env bats
# l2level: levels and capacities of simulated chips, whose truth is in their device files; what it refuses.
load ../common
bats_require_minimum_version 1.5.0

setup_file()
{
    l2collect -q -d sim:tiny -o "$BATS_FILE_TMPDIR/tiny.tsv" latency 2>/dev/null
    l2collect -q -d sim:v100 -o "$BATS_FILE_TMPDIR/v100.tsv" latency size=1M:24M:8 2>/dev/null
}

# finding PARAM: value, lo and hi from standard input.
finding()
{
    awk -F '\t' -v p="$1" '$1 == p { print $2, $3, $4; found = 1 } END { exit !found }'
}

# within TRUTH PERCENT VALUE LO HI: near enough, and the truth inside the interval.
within()
{
    echo "$3 [$4, $5], truth $1"
    awk -v t="$1" -v p="$2" -v v="$3" -v lo="$4" -v hi="$5" \
        'BEGIN { exit !(v / t < 1 + p / 100 && v / t > 1 - p / 100 && lo <= t && t <= hi) }'
}

@test "two sides: four levels, and what one SM and all SMs can keep" {
    l2level "$BATS_FILE_TMPDIR/tiny.tsv" >"$BATS_TEST_TMPDIR/out"
    [ "$(finding levels <"$BATS_TEST_TMPDIR/out")" = '4 4 4' ]
    # shellcheck disable=SC2046
    within 61440 6 $(finding capacity_side <"$BATS_TEST_TMPDIR/out")
    # shellcheck disable=SC2046
    within 122880 6 $(finding capacity_total <"$BATS_TEST_TMPDIR/out")
    grep -q '^#simulated yes' "$BATS_TEST_TMPDIR/out"
    grep -q '^#note between .* the mean of .* is not a latency that any access has' "$BATS_TEST_TMPDIR/out"
}

@test "one side: two levels, one capacity" {
    l2level "$BATS_FILE_TMPDIR/v100.tsv" >"$BATS_TEST_TMPDIR/out"
    [ "$(finding levels <"$BATS_TEST_TMPDIR/out")" = '2 2 2' ]
    # shellcheck disable=SC2046
    within 6291456 4 $(finding capacity_side <"$BATS_TEST_TMPDIR/out")
    not grep -q remote "$BATS_TEST_TMPDIR/out"
}

@test "-s: the shares of every size sum to one" {
    l2level -s "$BATS_FILE_TMPDIR/tiny.tsv" | body | awk -F '\t' '
        NR > 1 { sum[$2] += $4 }
        END { for (s in sum) { n++; if (sum[s] < 0.9999 || sum[s] > 1.0001) bad = 1 } exit bad || n < 50 }'
}

@test "-l: levels do not overlap and rise" {
    l2level -l "$BATS_FILE_TMPDIR/tiny.tsv" | body | awk -F '\t' '
        NR > 2 && $3 < to { bad = 1 }
        NR > 1 { to = $4; if ($7 < $3 || $7 > $4) bad = 1 }
        END { exit bad || NR != 5 }'
}

@test "rows of two operators are refused" {
    { cat "$BATS_FILE_TMPDIR/v100.tsv"; l2collect -q -d sim:v100 latency op=ca size=1M 2>/dev/null; } >"$BATS_TEST_TMPDIR/two.tsv"
    fails 1 "rows of several op ('cg' and 'ca')" l2level "$BATS_TEST_TMPDIR/two.tsv"
}

@test "too few sizes: a warning that says which to measure, and no capacity" {
    l2collect -q -d sim:tiny latency size=8K,16K 2>/dev/null | l2level >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
    grep -q 'capacity_side: not found' "$BATS_TEST_TMPDIR/err"
    not grep -q '^capacity' "$BATS_TEST_TMPDIR/out"
}

@test "nothing to work on: exit 1 and the reason" {
    fails 1 'no rows with timing=each' l2level "$DATA/header_only.tsv"
}

@test "l2level: both capacities where memory takes as long from either side, through L1 or not" {
    cd "$BATS_TEST_TMPDIR" || return 1
    sed 's/^latency_dram_remote .*/latency_dram_remote 450/' "$L2TOOLS_SHARE/devices/tiny.dev" >my.dev
    for op in cg ca; do
        l2collect -q -d sim:./my.dev latency op=$op | l2level -w 8 2>/dev/null >found
        body found | awk -F '\t' '{ print } function off(c) { return $2 < 0.95 * c || $2 > 1.05 * c }
            $1 == "capacity_side" { n++; bad += off(61440) } $1 == "capacity_total" { n++; bad += off(122880) }
            END { exit !(n == 3 && bad == 0) }'
    done
}

@test "l2level: hits on the way back are counted, not under random replacement" {
    cd "$BATS_TEST_TMPDIR" || return 1
    l2collect -q -d sim:tiny latency >run.tsv
    l2level run.tsv 2>/dev/null | body - | awk -F '\t' '$6 == "count" { print; n++; ok = $1 == "capacity_side" && $2 > 61380 && $2 <= 61440 && $3 <= $2 && $4 > 61440 }
        END { exit !(n == 1 && ok) }'
    { cat "$L2TOOLS_SHARE/devices/tiny.dev"; echo 'policy random'; } >my.dev
    l2collect -q -d sim:./my.dev latency | l2level 2>err >found
    not grep -qP '\tcount\t' found
    grep -q 'capacity_side: not counted: what hits on the way back differs by' err
    not l2level -l <(l2body awk -F '\t' '$7 == "back"' <run.tsv) 2>err
    grep -q 'order=back alone' err
}
