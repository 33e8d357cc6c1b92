# The checks that tests/gpu/slice.bats makes on a real GPU, on the simulated H200, where they must hold, too.
load ../common

# check NAME [DEVICE]: what tests/gpu/slices.sh says.
check()
{
    "$TOP/tests/gpu/slices.sh" -d "${2:-sim:h200}" -o "$BATS_TEST_TMPDIR" "$1"
}

@test "sides are predicted on fresh pages from one line a page" {
    check predict | tee "$BATS_TEST_TMPDIR/said"
    grep -q '^predict [0-9]* of 10000 fresh lines right, 0 without a prediction, 0 without' "$BATS_TEST_TMPDIR/said"
}

@test "a chip whose sides change within a page does not pass" {
    sed 's/^side_page.*/side_page random\npage 64K/; s/^side_masks.*/side_masks 0xb000/' "$TOP/share/devices/h200.dev" \
        >"$BATS_TEST_TMPDIR/pages.dev"
    status=0
    check predict "sim:$BATS_TEST_TMPDIR/pages.dev" >"$BATS_TEST_TMPDIR/said" || status=$?
    cat "$BATS_TEST_TMPDIR/said"
    [ "$status" -eq 1 ]
}

@test "every SM's side is the same in ten runs" {
    check sms | tee "$BATS_TEST_TMPDIR/said"
    grep -q '^sms 132 of 132 SMs on the same side in 10 runs (66 + 66), 0 rows' "$BATS_TEST_TMPDIR/said"
}

@test "contention and fingerprints agree" {
    check agree | tee "$BATS_TEST_TMPDIR/said"
    grep -q '; 94 slices, 47 a side, grain 256, sides by bits 12,13,15,17,19$' "$BATS_TEST_TMPDIR/said"
}

@test "the profiler's count is read, and without a profiler it says so" {
    printf '%s\n' '==PROF== Connected to process 7' \
        '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"' \
        '"0","walk","lts__cycles_elapsed.avg","cycle","8,554,559.00"' \
        '"0","walk","lts__cycles_elapsed.sum","cycle","804,128,546"' \
        '"1","walk","lts__cycles_elapsed.sum","cycle","1"' |
        "$TOP/tests/gpu/slices.sh" units | grep -qx 94.00
    printf '==ERROR== ERR_NVGPUCTRPERM\n' | "$TOP/tests/gpu/slices.sh" units | wc -c | grep -qx 0
    if command -v ncu; then
        skip "there is a profiler"
    fi
    status=0
    check counter >"$BATS_TEST_TMPDIR/said" || status=$?
    [ "$status" -eq 77 ]
    grep -q 'no ncu' "$BATS_TEST_TMPDIR/said"
}
