# Sides and slices of a real GPU against what is measured anew, and against the profiler; skipped without a GPU.
# tests/truth/slice_checks.bats makes the same checks on the simulated H200.
load ../common

setup()
{
    l2collect -l | grep -q '^cuda:[0-9]' || skip "$(l2collect -l | sed -n "s/^cuda  *none: /no GPU: /p")"
}

# holds CHECK: tests/gpu/slices.sh says so; status 77 means that it cannot be made here.
holds()
{
    local status=0
    "$TOP/tests/gpu/slices.sh" -d cuda -o "$BATS_TEST_TMPDIR" "$1" >"$BATS_TEST_TMPDIR/said" || status=$?
    cat "$BATS_TEST_TMPDIR/said"
    [ "$status" -ne 77 ] || skip "$(cat "$BATS_TEST_TMPDIR/said")"
    [ "$status" -eq 0 ]
}

@test "slices: as many by contention as the profiler counts" {
    holds counter
}

@test "slices: contention and fingerprints agree on 99.5 % of pairs" {
    holds agree
}

@test "sides: predicted on 50 fresh pages, 99.9 % of 10 000 lines right" {
    holds predict
}

@test "sides: every SM's is the same in ten runs" {
    holds sms
}
