#!/usr/bin/env bats
# A latency sweep of every simulated preset must give back the capacities written in its device file: one side's, which is
# what a load of one SM hits first, and the whole. l2level says them within 3 %, l2knee's intervals hold them.
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

# recover NAME: measures, and compares with the file.
recover()
{
    local dev=$L2TOOLS_SHARE/devices/$1.dev sides side total
    [ -e "$dev" ] || skip "no $dev"
    cd "$BATS_TEST_TMPDIR" || return 1
    sides=$(key sides "$dev" 1)
    side=$(($(key slices "$dev" 1) * $(key sets "$dev" 64) * $(key ways "$dev" 16) * $(key line "$dev" 128)))
    total=$((side * sides))
    [[ $BIN != */asan/* || $total -le 8388608 ]] || skip "minutes under sanitizers; small caches run the same code"
    l2collect -q -d "sim:$1" -o run.tsv latency passes=2 \
        size="$((side / 4)):$((total * 3 / 2)):8,$((total * 2)):$((total * 4)):8"
    l2level run.tsv >levels 2>/dev/null
    l2stat run.tsv 2>/dev/null | l2knee >knees 2>/dev/null
    body knees
    near "$(finding capacity_total levels)" $total 0.03
    [ "$sides" -eq 1 ] || near "$(finding capacity_side levels)" $side 0.03
    # The first high rise is one side's capacity, the last one that of all.
    body knees | awk -F '\t' -v side=$side -v total=$total 'NR > 1 && $9 > 0.1 { lo[++n] = $5; hi[n] = $6 }
        END { exit !(n > 0 && lo[1] <= side && side <= hi[1] && lo[n] <= total && total <= hi[n]) }'
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
