#!/usr/bin/env bats
# The default latency sweep of every simulated preset must give back the capacities written in its device file: one side's, which is
# what a load of one SM hits first and so the first knee of a chip of two sides, and the whole, the last knee. l2knee says both
# within 1 % (tiny, of 480 lines a side, within 2 % whatever the seed), told nothing, since the sweep walks back and counts; l2level counts the side within 0.2 %, and finds both by
# shares, and l2knee by the law of the sets where there is no walk back, within 3 % when the ways are known.
load ../common

# key NAME FILE DEFAULT
key()
{
    awk -v key="$1" -v d="$3" '$1 == key { d = $2 } END { print d }' "$2"
}

# finding PARAM FILE: its value.
finding()
{
    body "$2" | awk -F '\t' -v p="$1" '$1 == p { print $2 }'
}

near()
{
    awk -v got="$1" -v want="$2" -v tol="$3" 'BEGIN {
        r = got / want - 1; printf "%.0f, truth %.0f: %+.1f %%\n", got, want, 100 * r
        exit !(got > 0 && r < tol && r > -tol) }'
}

# high TABLE: capacity, law, x_lo, x_hi of the high rises.
high()
{
    body "$1" | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["conf"] == "high" && $at["height"] > 0.1 { print $at["capacity"], $at["law"], $at["x_lo"], $at["x_hi"] }'
}

# known TRUTH TOLERANCE LAW CAPACITY LAW LO HI
known()
{
    near "$4" "$1" "$2"
    [ "$3" = "$5" ]
    awk -v t="$1" -v lo="$6" -v hi="$7" 'BEGIN { exit !(lo <= t && t <= hi) }'
}

# both TABLE TOLERANCE LAW: the rises of a table of knees are the side and the whole, by this law.
both()
{
    body "$1"
    high "$1" >rises
    [ "$(wc -l <rises)" -eq "$sides" ]
    # shellcheck disable=SC2046  # four words
    known "$side" "$2" "$3" $(head -n 1 rises)
    # shellcheck disable=SC2046
    known "$total" "$2" "$3" $(tail -n 1 rises)
}

# measure NAME: the default sweep; sides, ways, side and total are then what the file says.
measure()
{
    local dev=$L2TOOLS_SHARE/devices/$1.dev
    cd "$BATS_TEST_TMPDIR" || return 1
    sides=$(key sides "$dev" 1)
    ways=$(key ways "$dev" 16)
    side=$(($(key slices "$dev" 1) * $(key sets "$dev" 64) * ways * $(key line "$dev" 128)))
    total=$((side * sides))
    [[ $BIN != */asan/* || $total -le 8388608 ]] || skip "minutes under sanitizers; small caches run the same code"
    l2collect -q -d "sim:$1" latency >run.tsv
    l2stat run.tsv 2>/dev/null >stat.tsv
}

# recover NAME: measures, and compares with the file.
recover()
{
    measure "$1"
    l2level -w "$ways" run.tsv >levels 2>/dev/null
    near "$(body levels | awk -F '\t' '$1 == "capacity_side" && $6 == "count" { print $2 }')" "$side" 0.002
    near "$(finding capacity_total levels)" "$total" 0.03
    [ "$sides" -eq 1 ] || near "$(finding capacity_side levels)" "$side" 0.03
    l2knee stat.tsv 2>/dev/null >knees
    both knees 0.01 count
    not grep -q '^#note capacity' knees
    l2knee -w "$ways" <(l2body awk -F '\t' '$7 == "cycle"' <run.tsv) >fitted 2>/dev/null
    both fitted 0.03 sets
}

@test "tiny" {
    recover tiny
}

# A curve walked forwards alone does not tell the ways: 16 are taken where there are 8, and the capacity is 1/16 - 1/32 more than that of 8.
@test "tiny, forwards alone, its ways not told" {
    measure tiny
    l2body awk -F '\t' '$7 == "cycle"' <run.tsv | l2knee 2>/dev/null >knees
    both knees 0.061 sets
}

@test "tiny, six other runs" {
    measure tiny
    for s in 2 3 4 5 6 7; do
        l2collect -q -s "$s" -d sim:tiny latency | l2stat 2>/dev/null | l2knee 2>/dev/null >knees
        both knees 0.02 count
    done
}

# Chips of any hash, ways, slices and noise: of the capacities that are counted seven of ten are within 0.5 % of one side or of
# the whole, and none is 3 % off.
@test "drawn chips under LRU: what is counted is there" {
    [[ $BIN != */asan/* ]] || skip "a minute under sanitizers; tiny runs the same code"
    cd "$BATS_TEST_TMPDIR" || return 1
    for seed in $(seq 1 14); do
        "$TESTS/draw_chip" "$seed" lru 9000 >chip.dev || continue
        l2collect -q -d sim:./chip.dev latency stride="$(key line chip.dev 128)" 2>/dev/null | l2stat 2>/dev/null | l2knee 2>/dev/null >knees
        awk -v c=$(($(key slices chip.dev 1) * $(key sets chip.dev 64) * $(key ways chip.dev 16) * $(key line chip.dev 128))) \
            -v sides="$(key sides chip.dev 1)" -v seed="$seed" 'function off(x) { return x < 1 ? 1 - x : x - 1 }
            $2 == "count" { a = off($1 / c); b = off($1 / (c * sides)); print seed, $1, a < b ? a : b }' <(high knees) >>counted
    done
    cat counted
    awk '{ n++; good += $3 < 0.005; bad += $3 >= 0.03 } END { print n, good, bad; exit !(n >= 9 && good >= 0.7 * n && bad == 0) }' counted
}

@test "v100flat" {
    recover v100flat
}

@test "v100" {
    recover v100
}

@test "rtx3080" {
    recover rtx3080
}

@test "a100" {
    recover a100
}

@test "h100" {
    recover h100
}

@test "h200" {
    recover h200
}

@test "l40" {
    recover l40
}
