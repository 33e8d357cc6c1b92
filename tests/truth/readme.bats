#!/usr/bin/env bats
# The README's example: its commands are run, and must print what it shows.
load ../common

@test "README: the pipeline prints what it says" {
    cd "$TOP"
    awk '/^```console/ { on = 1; next } /^```/ { on = 0 } on' README.md >"$BATS_TEST_TMPDIR/shown"
    cd "$BATS_TEST_TMPDIR"
    grep -q '^\$ ' shown
    grep '^\$ ' shown | cut -c 3- >commands
    while read -r command; do
        echo "\$ $command"
        (cd "$TOP" && bash -c "$command" 2>/dev/null </dev/null)
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

@test "README: the table of programs has every page, in its own words" {
    cd "$TOP"
    for page in man/l2*.1; do
        name=$(basename "$page" .1)
        grep -qxF "| \`$name\` | $(sed -n 's/^\.Nd //p' "$page") |" README.md || { echo "README.md: $name"; return 1; }
    done
}
