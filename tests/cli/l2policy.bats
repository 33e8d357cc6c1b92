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

# variant KEY VALUE: the chip of most tests with another key, in the file it names.
variant()
{
    sed "s/^$1 .*//; \$ a $1 $2" "$L2TOOLS_SHARE/devices/tiny.dev" >"$BATS_TEST_TMPDIR/$2.dev"
    echo "$BATS_TEST_TMPDIR/$2.dev"
}

@test "the sequence in the note, run as it is printed, tells candidates apart" {
    cd "$BATS_TEST_TMPDIR"
    l2collect -q -d sim:tiny -o all.tsv replace seq='(0..8)*2 0? 1?' sets=2 2>/dev/null
    before=$(l2policy all.tsv | grep '^policy	' | cut -f 2)
    note=$(l2policy all.tsv | grep '^policy	' | cut -f 8)
    [[ $note =~ ^not\ told\ apart:\ run\ reps=([0-9]+)\ seq=\'(.*)\'$ ]]
    echo "${BASH_REMATCH[2]}" | l2collect -q -s 2 -d sim:tiny replace reps="${BASH_REMATCH[1]}" seq=- sets=2 2>/dev/null >>all.tsv
    after=$(l2policy all.tsv | grep '^policy	' | cut -f 2)
    echo "$before -> $after"
    [[ $before == lru\ or\ * && ( $after == lru || $after == lru\ or\ * ) ]]
    # One of the two that it is about is gone: the first of the others.
    second=${before#lru or }
    [[ " $after " != *" ${second%% *} "* ]]
}

@test "replacement that draws: repeats differ, and that is said" {
    l2collect -q -d "sim:$(variant policy random)" replace sets=2 2>/dev/null | l2policy >"$BATS_TEST_TMPDIR/out"
    grep -q '^policy	random	' "$BATS_TEST_TMPDIR/out"
    grep -qE '^policy_repeats	differ	.*replacement draws random numbers$' "$BATS_TEST_TMPDIR/out"
    l2policy "$BATS_FILE_TMPDIR/lru.tsv" | grep -q '^policy_repeats	same	'
}

@test "sets that differ (two policies at work): none fits, and how many sets" {
    cd "$BATS_TEST_TMPDIR"
    # The rows of a chip with another policy, under the name of the same device.
    uuid=$(grep '^#uuid ' "$BATS_FILE_TMPDIR/lru.tsv")
    l2collect -q -d "sim:$(variant policy fifo)" replace sets=2 2>/dev/null | sed "s/^#uuid .*/$uuid/" >fifo.tsv
    l2policy "$BATS_FILE_TMPDIR/lru.tsv" fifo.tsv >out
    grep -qE '^policy	none	.*none fits; nearest lru .*2 of 6 sets differ from it.*another policy' out
}

@test "written lines that go first: the policy of loads holds, and stores are called different" {
    l2collect -q -d "sim:$(variant evict_first dirty)" replace sets=4 2>/dev/null | l2policy >"$BATS_TEST_TMPDIR/out"
    grep -q '^policy	lru	' "$BATS_TEST_TMPDIR/out"
    grep -q '^policy_dirty	0\..*written lines are treated differently$' "$BATS_TEST_TMPDIR/out"
    l2policy "$BATS_FILE_TMPDIR/lru.tsv" | grep -q '^policy_dirty	1	.*written lines are replaced alike$'
}

@test "bad input: cut in the middle, two devices, nothing reported, lines that never leave" {
    cd "$BATS_TEST_TMPDIR"
    head -c 200000 "$BATS_FILE_TMPDIR/lru.tsv" >cut.tsv
    fails 1 'short row' l2policy cut.tsv
    head -n 500 "$BATS_FILE_TMPDIR/lru.tsv" >rows.tsv
    l2policy rows.tsv 2>&1 >/dev/null | grep -q 'incomplete'
    fails 1 'incomplete' l2policy -S rows.tsv
    gzip -c "$BATS_FILE_TMPDIR/lru.tsv" | head -c 20000 >cut.tsv.gz
    not l2policy cut.tsv.gz 2>err
    grep -q 'cut off' err
    awk -F'\t' -v OFS='\t' '/^#/ || $9 != 7' "$BATS_FILE_TMPDIR/lru.tsv" >lost.tsv
    fails 1 'rows are lost, doubled or not in order' l2policy lost.tsv
    sed 's/^#uuid .*/#uuid other/' "$BATS_FILE_TMPDIR/lru.tsv" >other.tsv
    fails 1 'two devices' l2policy "$BATS_FILE_TMPDIR/lru.tsv" other.tsv
    l2collect -q -d sim:tiny replace seq='a b c a' sets=1 2>/dev/null >unmarked.tsv
    fails 1 "no load is reported: a sequence marks its answers with '?'" l2policy unmarked.tsv
    awk -F'\t' -v OFS='\t' '/^replace/ { if ($10 > 7) next; $9 = n[$2 " " $7 " " $8]++ + 0 } !/^#end/' \
        "$BATS_FILE_TMPDIR/lru.tsv" >few.tsv
    fails 1 '8 lines in sets of 8 ways: no line is ever evicted' l2policy few.tsv
}
