#!/usr/bin/env bats
# The default latency sweep of every simulated preset must give back the capacities written in its device file: one side's, which is
# what a load of one SM hits first and so the first knee of a chip of two sides, and the whole, the last knee. l2knee and
# l2level say both within 3 %, and l2knee's intervals hold them.
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

# high TABLE: capacity, x_lo, x_hi of the high rises.
high()
{
    body "$1" | awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        $at["conf"] == "high" && $at["height"] > 0.1 { print $at["capacity"], $at["x_lo"], $at["x_hi"] }'
}

# known TRUTH TOLERANCE CAPACITY LO HI
known()
{
    near "$3" "$1" "$2"
    awk -v t="$1" -v lo="$4" -v hi="$5" 'BEGIN { exit !(lo <= t && t <= hi) }'
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
    l2knee -w "$ways" stat.tsv >knees 2>/dev/null
    body knees
    near "$(finding capacity_total levels)" "$total" 0.03
    [ "$sides" -eq 1 ] || near "$(finding capacity_side levels)" "$side" 0.03
    high knees >rises
    [ "$(wc -l <rises)" -eq "$sides" ]
    # shellcheck disable=SC2046  # three words
    known "$side" 0.03 $(head -n 1 rises)
    # shellcheck disable=SC2046
    known "$total" 0.03 $(tail -n 1 rises)
}

@test "tiny" {
    recover tiny
}

# No curve tells the ways: 16 are taken where there are 8, and the capacity is 1/16 - 1/32 more than that of 8.
@test "tiny, its ways not told" {
    measure tiny
    l2knee stat.tsv 2>/dev/null >knees
    body knees
    high knees >rises
    [ "$(wc -l <rises)" -eq 2 ]
    # shellcheck disable=SC2046
    known "$side" 0.061 $(head -n 1 rises)
    # shellcheck disable=SC2046
    known "$total" 0.061 $(tail -n 1 rises)
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
