#!/usr/bin/env bats
# Whether L1 keeps lines that L2 has lost, as the simulated chip does it; and what the controls forbid to say.
load ../common

# answer METHOD LINE...: of a tiny chip with these lines in place of its own.
answer()
{
    local method=$1
    shift
    cd "$BATS_TEST_TMPDIR" || return 1
    printf '%s\n' "$@" | awk 'NR == FNR { line[$1] = $0; next } !($1 in line) { print } END { for (k in line) print line[k] }' \
        - "$L2TOOLS_SHARE/devices/tiny.dev" >my.dev
    l2collect -q -d sim:./my.dev inclusion targets=4 reps=5 | l2write >found
    awk -F '\t' -v m="$method" '$1 == "l1_inclusive" && $6 == m { print $2 }' found
}

@test "L1 keeps what L2 has lost" {
    [ "$(answer eviction_set 'l1_inclusive no')" = no ]
    [ "$(answer discard 'l1_inclusive no')" = no ]
}

@test "L1 loses it, too; a discard cannot tell that" {
    [ "$(answer eviction_set 'l1_inclusive yes')" = yes ]
    [ "$(answer discard 'l1_inclusive yes')" = "not decided" ]
    grep -q 'may empty L1 itself' "$BATS_TEST_TMPDIR/found"
}

@test "other policies, other geometry" {
    [ "$(answer eviction_set 'l1_inclusive yes' 'policy srrip' 'ways 12')" = yes ]
    [ "$(answer eviction_set 'l1_inclusive no' 'policy nru' 'sets 33')" = no ]
}

@test "without an L1 nothing is decided" {
    [ "$(answer eviction_set 'l1 0')" = "not decided" ]
    grep -q 'do not part hits in L1 from hits in L2' "$BATS_TEST_TMPDIR/found"
}
