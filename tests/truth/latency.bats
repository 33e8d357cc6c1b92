#!/usr/bin/env bats
# A latency sweep of every simulated preset must give back the capacities written in its device file: one side's, which is
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

# known TRUTH CAPACITY LO HI
known()
{
    near "$2" "$1" 0.03
    awk -v t="$1" -v lo="$3" -v hi="$4" 'BEGIN { exit !(lo <= t && t <= hi) }'
}

# recover NAME SIZES: measures, and compares with the file.
recover()
{
    local dev=$L2TOOLS_SHARE/devices/$1.dev sides side total ways
    cd "$BATS_TEST_TMPDIR" || return 1
    sides=$(key sides "$dev" 1)
    ways=$(key ways "$dev" 16)
    side=$(($(key slices "$dev" 1) * $(key sets "$dev" 64) * ways * $(key line "$dev" 128)))
    total=$((side * sides))
    [[ $BIN != */asan/* || $total -le 8388608 ]] || skip "minutes under sanitizers; small caches run the same code"
    l2collect -q -d "sim:$1" -o run.tsv latency passes=2 \
        size="${2:-$((side / 4)):$((total * 3 / 2)):8,$((total * 2)):$((total * 4)):8}"
    l2level -w "$ways" run.tsv >levels 2>/dev/null
    l2stat run.tsv 2>/dev/null | l2knee -w "$ways" >knees 2>/dev/null
    body knees
    near "$(finding capacity_total levels)" $total 0.03
    [ "$sides" -eq 1 ] || near "$(finding capacity_side levels)" $side 0.03
    high knees >rises
    [ "$(wc -l <rises)" -eq "$sides" ]
    # shellcheck disable=SC2046  # three words
    known $side $(head -n 1 rises)
    # shellcheck disable=SC2046
    known $total $(tail -n 1 rises)
}

# 60 sets a side fill in lumps, so the plateau between its rises is short: 16 sizes an octave show it.
@test "tiny" {
    recover tiny 16K:512K:16
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
