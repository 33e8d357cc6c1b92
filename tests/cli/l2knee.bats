#!/usr/bin/env bats
# l2knee on small curves: what it prints, what it refuses.
load ../common

# curve N 'AWK EXPRESSION OF x': a table of N sizes from 1 MiB, a factor 2^(1/4) apart.
curve()
{
    awk -v n="$1" "BEGIN {
        print \"size\tcycles\"
        for (i = 0; i < n; i++) { x = int(1048576 * 2 ^ (i / 4)); y = $2; printf \"%d\t%.10g\n\", x, y }
    }"
}

# field ROW COLUMN: of the table on stdin.
field()
{
    grep -v '^#' | awk -F '\t' -v row="$1" -v name="$2" '
        NR == 1 { for (f = 1; f <= NF; f++) if ($f == name) c = f }
        NR == row + 1 { print $c }'
}

rows()
{
    grep -v '^#' | tail -n +2 | wc -l
}

@test "l2knee: two knees of a cache of two sides, with intervals" {
    l2knee "$DATA/knee_h200.tsv" >"$BATS_TEST_TMPDIR/out"
    [ "$(rows <"$BATS_TEST_TMPDIR/out")" -eq 2 ]
    for k in 1 2; do
        for c in x_lo x_onset x_mid x_end x_hi conf; do
            field $k $c <"$BATS_TEST_TMPDIR/out"
        done | paste -sd ' '
    done | awk '
        !($1 <= $2 && $2 < $3 && $3 < $4 && $3 <= $5 && $6 == "high") { exit 1 }
        NR == 1 && !($2 > 26e6 && $3 < 34e6) { exit 1 }
        NR == 2 && !($2 > 54e6 && $3 < 66e6) { exit 1 }'
}

@test "l2knee: the interval of a step is the cell of the grid" {
    curve 24 'x < 16000000 ? 200 : 500' | l2knee >"$BATS_TEST_TMPDIR/out"
    [ "$(field 1 x_lo <"$BATS_TEST_TMPDIR/out")" = 14107900 ]
    [ "$(field 1 x_hi <"$BATS_TEST_TMPDIR/out")" = 16777216 ]
    [ "$(field 1 height <"$BATS_TEST_TMPDIR/out")" = 1.5 ]
}

@test "l2knee: the capacity is the law's, and -w names its ways" {
    # Even sets of 8 ways: from 16 MB to 18 MB they are lost one by one.
    curve 60 'x < 16e6 ? 200 : x > 18e6 ? 500 : 200 + 300 * (x - 16e6) / 2e6' >"$BATS_TEST_TMPDIR/t.tsv"
    l2knee -w 8 "$BATS_TEST_TMPDIR/t.tsv" >"$BATS_TEST_TMPDIR/out"
    [ "$(field 1 law <"$BATS_TEST_TMPDIR/out")" = sets ]
    field 1 capacity <"$BATS_TEST_TMPDIR/out" | awk '{ print; exit !($1 > 15.7e6 && $1 < 16.3e6) }'
    # Falls have none, nor has a stride.
    [ "$(curve 24 'x < 16000000 ? 8000 : 4500' | l2knee | field 1 capacity)" = nan ]
    [ "$(curve 24 'x < 16000000 ? 200 : 500' | sed '1s/size/stride/' | l2knee | field 1 law)" = none ]
    fails 2 '' l2knee -w 0 "$BATS_TEST_TMPDIR/t.tsv"
}

@test "l2knee: constant y, noise, one row, no row: no knee, exit 0" {
    for y in 13 0 '200 + (i % 3) / 10' '-5'; do
        [ "$(curve 24 "$y" | l2knee 2>/dev/null | rows)" -eq 0 ]
    done
    curve 24 13 | l2knee 2>&1 >/dev/null | grep -q 'has no knee (24 points)'
    [ "$(curve 1 13 | l2knee | rows)" -eq 0 ]
    [ "$(l2knee "$DATA/header_only.tsv" 2>/dev/null | rows)" -eq 0 ]
}

@test "l2knee: nine points are enough for a step" {
    curve 9 'i < 5 ? 13 : 26' | l2knee | field 1 conf | grep -qx high
}

@test "l2knee: falling curves fall, a fall after a rise is uncertain" {
    curve 24 'x < 16000000 ? 8000 : 4500' | l2knee | field 1 note | grep -q falls
    curve 24 'x < 16000000 ? 8000 : 4500' | l2knee | field 1 conf | grep -qx high
    curve 40 'x < 16000000 ? 200 : x < 2e8 ? 500 : 400' | l2knee | field 2 conf | grep -qx low
}

@test "l2knee: too near the edge is uncertain and says so" {
    curve 12 'i < 2 ? 200 : 500' | l2knee | field 1 note | grep -q 'few points'
    curve 24 'i < 18 ? 200 : 200 + 40 * (i - 17)' | l2knee | field 1 note | grep -q edge
    curve 24 'i < 18 ? 200 : 200 + 40 * (i - 17)' | l2knee | field 1 conf | grep -qx low
}

@test "l2knee: a slow rise is a drift, a lone spike is no knee" {
    curve 40 '300 * x ^ 0.02' | l2knee --drift 0.001 | field 1 conf | grep -qx high && return 1
    [ "$(curve 40 'i == 20 ? 900 : 200' | l2knee 2>/dev/null | rows)" -eq 0 ]
    curve 40 'i == 20 ? 900 : 200' | l2knee 2>&1 >/dev/null | grep -q '1 lone point left out'
}

@test "l2knee: steps from 1.4 % to 20 x in one curve" {
    [ "$(curve 60 '(x < 4e6 ? 30 : 600) * (x < 2e8 ? 1 : 1.014)' | l2knee 2>/dev/null | field 2 conf)" = high ]
    [ "$(curve 60 '(x < 4e6 ? 30 : 600) * (x < 2e8 ? 1 : 1.014)' | l2knee --least 0.02 | rows)" -eq 1 ]
}

@test "l2knee: -p gives every point its fitted value" {
    curve 24 'x < 16000000 ? 200 : i == 20 ? 900 : 500' | l2knee -p 2>/dev/null >"$BATS_TEST_TMPDIR/out"
    [ "$(rows <"$BATS_TEST_TMPDIR/out")" -eq 24 ]
    [ "$(field 5 fit <"$BATS_TEST_TMPDIR/out")" = 200 ]
    [ "$(field 21 part <"$BATS_TEST_TMPDIR/out")" = spike ]
    [ "$(field 21 fit <"$BATS_TEST_TMPDIR/out")" = 500 ]
}

@test "l2knee: -r gives sizes around the knees, multiples, ascending, at most N" {
    l2knee -r 32 "$DATA/knee_h200.tsv" >"$BATS_TEST_TMPDIR/out"
    [ "$(rows <"$BATS_TEST_TMPDIR/out")" -eq 32 ]
    grep -v '^#' "$BATS_TEST_TMPDIR/out" | head -n 1 | grep -qx size
    grep -v '^#' "$BATS_TEST_TMPDIR/out" | tail -n +2 |
        awk '$1 % 128 || $1 <= last || $1 < 20e6 || $1 > 90e6 { exit 1 } { last = $1 }'
    [ "$(l2knee -r 8 -m 2M "$DATA/knee_h200.tsv" | tail -n 2 | head -n 1 | awk '{ print $1 % 2097152 }')" -eq 0 ]
    [ "$(curve 24 13 | l2knee -r 8 2>/dev/null | rows)" -eq 8 ]
}

# The same distribution for two operators: n of 10000 accesses miss.
raw()
{
    printf 'exp\tseq\tsize\tstride\top\tcycles\tn\n'
    awk 'BEGIN { for (o = 0; o < 2; o++) for (i = 0; i < 24; i++) {
        x = int(8192 * 2 ^ (i / 4)) * 128; m = x < 3e7 ? 0 : 3000
        printf "latency\t%d\t%d\t128\t%s\t280\t%d\n", i, x, o ? "cg" : "ca", 10000 - m
        if (m) printf "latency\t%d\t%d\t128\t%s\t%d\t%d\n", i, x, o ? "cg" : "ca", 600 + 100 * o, m
    } }'
}

@test "l2knee: raw rows are averaged with their counts, a curve for each operator" {
    raw | l2knee 2>/dev/null >"$BATS_TEST_TMPDIR/out"
    [ "$(rows <"$BATS_TEST_TMPDIR/out")" -eq 2 ]
    [ "$(field 1 op <"$BATS_TEST_TMPDIR/out")" = ca ]
    [ "$(field 1 y_after <"$BATS_TEST_TMPDIR/out")" = 376 ]
    [ "$(field 2 y_after <"$BATS_TEST_TMPDIR/out")" = 406 ]
    raw | l2knee -g exp 2>/dev/null | field 1 y_after | grep -qx 391
    { raw | head -n 1; raw | tail -n +2 | sort -r; } | l2knee 2>/dev/null | grep -v '^#' | sort >"$BATS_TEST_TMPDIR/shuffled"
    grep -v '^#' "$BATS_TEST_TMPDIR/out" | sort | cut -f 1,3- | diff - <(cut -f 1,3- "$BATS_TEST_TMPDIR/shuffled")
}

@test "l2knee: few lines are a sample of few places, however often they are met" {
    # 2 % more from 64 KiB on, where a working set has 512 lines whose latencies spread by 20.
    awk 'BEGIN { print "size\tstride\tmean\tsd\tn"
        for (x = 4096; x < 1e7; x *= 1.2) print int(x / 128) * 128 "\t128\t" (x < 65536 ? 284 : 289) "\t20\t32768" }' >"$BATS_TEST_TMPDIR/t.tsv"
    l2knee "$BATS_TEST_TMPDIR/t.tsv" | field 1 note | grep -qx noisy
    cut -f 1,3- "$BATS_TEST_TMPDIR/t.tsv" | l2knee | field 1 conf | grep -qx high
}

@test "l2knee: says when the mean moves and the median does not" {
    raw | l2knee 2>&1 >/dev/null | grep -q 'mean moves by .* but the median does not'
    [ -z "$(l2knee "$DATA/knee_h200.tsv" 2>&1 >/dev/null)" ]
}

@test "l2knee: raw rows and l2stat's table give the same knees" {
    diff <(raw | l2knee 2>/dev/null | grep -v '^#') <(raw | l2stat 2>/dev/null | l2knee 2>/dev/null | grep -v '^#')
}

@test "l2knee: nan rows are dropped and counted, cut rows are not read" {
    { curve 24 'x < 16000000 ? 200 : 500'; printf '99999999\tnan\n'; } | l2knee 2>&1 >/dev/null | grep -q '1 row dropped'
    [ "$(curve 24 'x < 16000000 ? 200 : 500' | l2knee --from 16M 2>/dev/null | rows)" -eq 0 ]
    curve 24 1 | l2knee --to 1 2>&1 >/dev/null | grep -q 'no row is left'
}

@test "l2knee: other people's columns by -x, -y, -g" {
    curve 24 'x < 16000000 ? 200 : 500' | sed '1s/.*/my x\tmy y/' >"$BATS_TEST_TMPDIR/t.tsv"
    fails 1 'name one with -x' l2knee "$BATS_TEST_TMPDIR/t.tsv"
    [ "$(l2knee -x 'my x' -y 'my y' "$BATS_TEST_TMPDIR/t.tsv" | rows)" -eq 1 ]
    fails 1 'no column' l2knee -x 'my x' -y other "$BATS_TEST_TMPDIR/t.tsv"
    [ "$(l2knee -p -x 'my x' -y 'my y' "$BATS_TEST_TMPDIR/t.tsv" | rows)" -eq 24 ]
}

@test "l2knee: bad inputs end with one line" {
    fails 1 'not a number' l2knee "$DATA/not_a_number.tsv"
    fails 1 'no header' l2knee "$DATA/empty.tsv"
    fails 1 '' l2knee "$BATS_TEST_TMPDIR/missing.tsv"
    fails 1 '' l2knee "$BATS_TEST_TMPDIR"
    printf 'size\tcycles\tn\n1\t2\t0\n' >"$BATS_TEST_TMPDIR/zero.tsv"
    fails 1 'a count must be above 0' l2knee "$BATS_TEST_TMPDIR/zero.tsv"
    printf 'size\tcycles\ninf\t2\n' >"$BATS_TEST_TMPDIR/inf.tsv"
    fails 1 'not a finite number' l2knee "$BATS_TEST_TMPDIR/inf.tsv"
    fails 2 '' l2knee -p -r 3 "$DATA/knee_h200.tsv"
    fails 2 '' l2knee -r 0 "$DATA/knee_h200.tsv"
    fails 2 '' l2knee -s cubic "$DATA/knee_h200.tsv"
    fails 2 '' l2knee --level 1.5 "$DATA/knee_h200.tsv"
}

@test "l2knee: -l reach and -l saturation find the law's own place" {
    awk 'BEGIN { print "pages\tcycles"; for (x = 1000; x < 130000; x *= 1.3) print int(x) "\t" 290 + (x > 32768 ? 100 * (1 - 32768 / int(x)) : 0) }' |
        l2knee -l reach >"$BATS_TEST_TMPDIR/out"
    [ "$(field 1 note <"$BATS_TEST_TMPDIR/out")" = reach ]
    field 1 x_onset <"$BATS_TEST_TMPDIR/out" | awk '{ exit !($1 > 32768 * 0.99 && $1 < 32768 * 1.01) }'
    [ "$(field 1 x_lo <"$BATS_TEST_TMPDIR/out" | cut -d . -f 1)" -lt 32768 ]
    awk 'BEGIN { print "threads\tgbps"; for (x = 1; x < 5000; x *= 2) print x "\t" 4.5 * x / (1 + (x / 200) ^ 3) ^ (1 / 3) }' |
        l2knee -x threads -l saturation >"$BATS_TEST_TMPDIR/out"
    field 1 x_mid <"$BATS_TEST_TMPDIR/out" | awk '{ exit !($1 > 198 && $1 < 202) }'
    field 1 y_after <"$BATS_TEST_TMPDIR/out" | awk '{ exit !($1 > 891 && $1 < 909) }'
    [ "$(curve 24 13 | l2knee -l reach | rows)" -eq 0 ]
    fails 2 '' l2knee -l cubic "$DATA/knee_h200.tsv"
}

@test "l2knee: 4000 points in well under a second" {
    awk 'BEGIN { srand(3); print "size\tcycles"
        for (i = 0; i < 4000; i++) { x = 4096 + 65536 * i; print x "\t" (x < 1e8 ? 280 : 600) + rand() } }' >"$BATS_TEST_TMPDIR/t.tsv"
    start=$(date +%s%N)
    [ "$(l2knee "$BATS_TEST_TMPDIR/t.tsv" | rows)" -eq 1 ]
    [ $((($(date +%s%N) - start) / 1000000)) -lt 4000 ]
}

@test "l2knee: what the ways do to a capacity is noted, and is so" {
    cd "$BATS_TEST_TMPDIR" || return 1
    l2collect -q -d sim:tiny latency order=cycle | l2stat 2>/dev/null >stat.tsv
    l2knee stat.tsv >sixteen
    l2knee -w 8 stat.tsv >eight
    grep -q '^#note capacity is for sets of 16 ways: 3.1 % less if they have 8, 1.6 % more if 32 (-w)' sixteen
    not grep -q '^#note capacity' eight
    paste <(field 1 capacity <sixteen) <(field 1 capacity <eight) | awk '{ print $2 / $1; exit !($2 / $1 > 0.96 && $2 / $1 < 0.98) }'
}
