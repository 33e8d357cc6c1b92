#!/usr/bin/env bats
# l2assoc: ways and sets of simulated chips, whose truth is in their device files; what it refuses.
load ../common

setup_file()
{
    l2collect -q -d sim:tiny -o "$BATS_FILE_TMPDIR/evict.tsv" evict targets=40 tips=0 2>/dev/null
}

# finding PARAM METHOD: value, lo and hi from standard input.
finding()
{
    awk -F '\t' -v p="$1" -v m="$2" '$1 == p && index($6, m) == 1 { print $2, $3, $4; found = 1; exit } END { exit !found }'
}

@test "evict: ways exact, sets within the interval, line by the same tag" {
    l2assoc "$BATS_FILE_TMPDIR/evict.tsv" >"$BATS_TEST_TMPDIR/out"
    [ "$(finding ways evict <"$BATS_TEST_TMPDIR/out")" = '8 8 8' ]
    [ "$(finding line same_tag <"$BATS_TEST_TMPDIR/out")" = '128 128 128' ]
    read -r value lo hi < <(finding sets_side tipping <"$BATS_TEST_TMPDIR/out")
    awk -v v="$value" -v lo="$lo" -v hi="$hi" 'BEGIN { exit !(lo <= 60 && 60 <= hi && v > 50 && v < 70) }'
}

@test "-s: the eviction sets, eight lines each" {
    l2assoc -s "$BATS_FILE_TMPDIR/evict.tsv" | body | awk -F '\t' '
        NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
        $c["part"] == "set" { n[$c["target"]]++ }
        END { for (t in n) { sets++; if (n[t] != 8) bad = 1 } exit bad || sets < 38 }'
}

@test "stride: the textbook chip shows ways and sets at its stride" {
    l2collect -q -d sim:v100flat stride 2>/dev/null | l2assoc >"$BATS_TEST_TMPDIR/out"
    [ "$(finding ways stride <"$BATS_TEST_TMPDIR/out")" = '12 12 12' ]
    [ "$(finding sets_total stride <"$BATS_TEST_TMPDIR/out")" = '4096 4096 4096' ]
}

@test "stride: a hashed chip is called hashed" {
    l2collect -q -d sim:v100 stride 2>/dev/null | l2assoc | grep -q '^index	hashed'
}

@test "an archive cut in the middle is refused" {
    head -n 200 "$BATS_FILE_TMPDIR/evict.tsv" | head -c -9 >"$BATS_TEST_TMPDIR/cut.tsv"
    fails 1 'short row' l2assoc "$BATS_TEST_TMPDIR/cut.tsv"
}

@test "rows of two devices are refused" {
    l2collect -q -d sim:v100 evict targets=1 2>/dev/null >"$BATS_TEST_TMPDIR/other.tsv"
    fails 1 'rows of two devices' l2assoc "$BATS_FILE_TMPDIR/evict.tsv" "$BATS_TEST_TMPDIR/other.tsv"
}

@test "rows of another experiment: exit 1 and the missing column" {
    fails 1 "no column 'stride'" l2assoc "$DATA/good.tsv"
}

@test "a compressed archive cut in the middle, one cut between two rows" {
    cd "$BATS_TEST_TMPDIR"
    gzip -c "$BATS_FILE_TMPDIR/evict.tsv" | head -c 9000 >cut.tsv.gz
    not l2assoc cut.tsv.gz 2>err
    grep -q 'cut off' err
    head -n 3000 "$BATS_FILE_TMPDIR/evict.tsv" >rows.tsv
    l2assoc rows.tsv 2>&1 >/dev/null | grep -q 'incomplete'
    fails 1 'incomplete' l2assoc -S rows.tsv
}

@test "searches that fail widen the interval of the sets" {
    cd "$BATS_TEST_TMPDIR"
    body "$BATS_FILE_TMPDIR/evict.tsv" | awk -F '\t' -v OFS='\t' '
        NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
        # The checks of every fourth target say that it is still there.
        NR > 1 && $c["target"] % 4 == 0 && $c["phase"] == "check_all" { $c["cycles"] = 200 }
        { print }' | cat <(grep '^#' "$BATS_FILE_TMPDIR/evict.tsv" | grep -v '^#end') - >lost.tsv
    l2assoc lost.tsv >out
    grep -q '^ways	8	8	8	.*30 of 40 targets verified; failed: ' out
    grep -q '^sets_side	.*tipping	30	.*wider for the searches that failed' out
}

@test "a target alone gives ways, and no number of sets" {
    l2collect -q -d sim:tiny evict targets=2 tips=0 2>/dev/null | l2assoc >"$BATS_TEST_TMPDIR/out"
    [ "$(finding ways evict <"$BATS_TEST_TMPDIR/out")" = '8 8 8' ]
    not grep -q '^sets_side' "$BATS_TEST_TMPDIR/out"
}

@test "tips: tipping indices alone make the sets sharp" {
    cd "$BATS_TEST_TMPDIR"
    l2collect -q -d sim:tiny -o tips.tsv evict targets=10 2>/dev/null
    l2assoc tips.tsv >out
    grep -q '^sets_side	.*tipping	1750	.*of 10 sets and 1740 lines more' out
    read -r value lo hi < <(finding sets_side tipping <out)
    awk -v v="$value" -v lo="$lo" -v hi="$hi" 'BEGIN { exit !(v > 57 && v < 63 && lo <= 60 && 60 <= hi && hi - lo < 3) }'
    # Where the reads of one line contradict each other it does not count: here the shortest prefix of each that evicts.
    body tips.tsv | awk -F '\t' -v OFS='\t' '
        NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i }
        NR > 1 && $c["target"] % 10 == 0 && $c["phase"] == "first" && $c["n"] == 0 { $c["cycles"] = 999 }
        { print }' | cat <(grep '^#' tips.tsv | grep -v '^#end') - >lost.tsv
    l2assoc lost.tsv 2>/dev/null | grep -q '^sets_side	.*of 10 sets and 1566 lines more.*wider for the searches that failed'
}

@test "a run given twice is said, and counted once; two runs are two" {
    cd "$BATS_TEST_TMPDIR"
    l2assoc "$BATS_FILE_TMPDIR/evict.tsv" | body >once
    l2assoc "$BATS_FILE_TMPDIR/evict.tsv" "$BATS_FILE_TMPDIR/evict.tsv" 2>err | body >twice
    cmp once twice
    [ "$(grep -c 'warning: the same run twice (its [0-9]* rows are those of table 1): it is counted once' err)" -eq 1 ]
    l2collect -q -s 7 -d sim:tiny -o other.tsv evict targets=40 tips=0 2>/dev/null
    l2assoc "$BATS_FILE_TMPDIR/evict.tsv" other.tsv >out 2>err
    not grep -q twice err
    [ "$(finding ways evict <out)" = '8 8 8' ]
    grep -q '^ways	.* 80 targets verified' out
    # Only targets of one run can be found in one set: their buffers are not the same.
    grep '^sets_side	.*coincidence' out
    pairs() { l2assoc "$1" | awk -F '\t' '$6 == "coincidence" { print $8 + 0 }'; }
    [ "$(awk -F '\t' '$6 == "coincidence" { print $8 + 0 }' out)" -eq \
        $(($(pairs "$BATS_FILE_TMPDIR/evict.tsv") + $(pairs other.tsv))) ]
}
