#!/usr/bin/env bats
# The README's example: its commands are run, and must print what it shows.
load ../common

@test "README: the pipeline prints what it says" {
    [[ $BIN != */asan/* ]] || skip "slow under sanitizers; the programs are tested by themselves"
    cd "$BATS_TEST_TMPDIR"
    awk '/^```console/ { on = 1; next } /^```/ { on = 0 } on' "$TOP/README.md" >shown
    grep -q '^\$ ' shown
    grep '^\$ ' shown | cut -c 3- >commands
    while read -r command; do
        echo "\$ $command"
        bash -c "$command" 2>/dev/null </dev/null
    done <commands >printed
    diff -u shown printed
}

@test "README: the folders and goals that it names are there" {
    cd "$TOP"
    awk '/^## Map/ { on = 1 } /^\| program/ { on = 0 } on && /^    [a-z]+\// { print $1 }' README.md >"$BATS_TEST_TMPDIR/map"
    [ "$(wc -l <"$BATS_TEST_TMPDIR/map")" -eq 7 ]
    while read -r f; do
        [ -d "$f" ] || { echo "$f"; return 1; }
    done <"$BATS_TEST_TMPDIR/map"
    for goal in report check lint check-gpu install uninstall; do
        grep -q "^$goal:" Makefile || { echo "make $goal"; return 1; }
    done
    [ -f share/examples/latency.png ]
}
