#!/usr/bin/env bats
# l2policy: the policy of a simulated chip, whose truth is in its device file; what it refuses.
load ../common

setup_file()
{
    l2collect -q -d sim:tiny -o "$BATS_FILE_TMPDIR/lru.tsv" replace sets=4 2>/dev/null
}

@test "LRU: consistent, every other candidate rejected" {
    l2policy "$BATS_FILE_TMPDIR/lru.tsv" >"$BATS_TEST_TMPDIR/out"
    grep -qE '^policy	lru	.*consistent: lru \([0-9]+ accesses, .* all [0-9]+ other candidates rejected\)' "$BATS_TEST_TMPDIR/out"
}

@test "-c: one candidate fits, each other one without chance in it has a counterexample" {
    l2policy -c "$BATS_FILE_TMPDIR/lru.tsv" | body | awk -F '\t' '
        NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        $c["fits"] == "yes" { fit++; if ($c["policy"] != "lru" || $c["counterexample"] != "-") bad = 1 }
        $c["fits"] == "no" { n++; if ($c["policy"] !~ /^(random|brrip|bip)$/ && $c["counterexample"] !~ /sequence [0-9]+: .*[?]/) bad = 1 }
        END { exit bad || fit != 1 || n < 10 }'
}

# Runs what l2policy asks for next, adding to the same evidence, until it asks for nothing; at most eight times.
told()
{
    local all=$BATS_TEST_TMPDIR/all.tsv sequence k
    l2collect -q -d "sim:$1" -o "$all" replace seq="$2" sets=2 2>/dev/null
    for k in 1 2 3 4 5 6 7 8; do
        sequence=$(l2policy -n "$all")
        [ -n "$sequence" ] || break
        echo "$sequence" | l2collect -q -s "$k" -d "sim:$1" replace seq=- sets=2 reps=4 2>/dev/null >>"$all"
    done
    l2policy "$all" >"$BATS_TEST_TMPDIR/out"
    cat "$BATS_TEST_TMPDIR/out"
}

@test "too short a sequence: not told apart; the sequences that it asks for end at the truth" {
    l2collect -q -d sim:tiny replace seq='a b c a?' sets=1 2>/dev/null | l2policy |
        grep -qE '^policy	lru or .*not told apart: run reps=[0-9]+ seq='
    told tiny 'a b c a?'
    grep -q '^policy	lru	.*consistent' "$BATS_TEST_TMPDIR/out"
}

@test "the same for other policies" {
    for policy in fifo plru srrip bip; do
        sed "s/^policy.*//; \$ a policy $policy" "$L2TOOLS_SHARE/devices/tiny.dev" >"$BATS_TEST_TMPDIR/chip.dev"
        told "$BATS_TEST_TMPDIR/chip.dev" '(0..8)*2 0? 1?'
        grep -qE "^policy	$policy( or qlru_[^	]*)?	.*consistent" "$BATS_TEST_TMPDIR/out"
    done
}

@test "-w that does not fit the sets is refused" {
    fails 1 'a set of 8 ways' l2policy -w 12 "$BATS_FILE_TMPDIR/lru.tsv"
}

@test "-l: the candidates by name" {
    for p in lru fifo plru bitplru nru srrip random; do
        l2policy -l | cut -f 1 | grep -qx "$p" || { echo "$p"; return 1; }
    done
}

@test "no rows of replace: exit 1 and the reason" {
    fails 1 "good.tsv" l2policy "$DATA/good.tsv"
}
