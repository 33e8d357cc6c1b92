# Every operation of the device cuda on a real GPU; skipped without one. build/tests/gpu_ops prints the figures.
load ../common

setup()
{
    l2collect -l | grep -q '^cuda:[0-9]' || skip "$(l2collect -l | sed -n "s/^cuda  *none: /no GPU: /p")"
}

# ops NAME: the operation says ok; its figures are shown when it does not.
ops()
{
    "$TOP/build/tests/gpu_ops" cuda "$1"
}

@test "state: clocks, limits, driver are read" {
    ops state
}

@test "ticks: both clocks on several SMs" {
    ops ticks
}

@test "link, cycle_length: the cycle that was written, and a short one" {
    ops link
}

@test "refused: outside the buffer, not aligned, no such SM" {
    ops refuse
}

@test "chase: every hop and whole passes, by operator and size" {
    ops chase
}

@test "chase: a chain on every SM at once" {
    ops chains
}

@test "walk: several chunks, every SM, each access timed" {
    ops pin
}

@test "walk: each kind of access" {
    ops walk
}

@test "sweep: few lines keep the target, many evict it" {
    ops sweep
}

@test "hammer: pairs of lines" {
    ops hammer
}

@test "stream: operations, widths, subsets, lists" {
    ops stream
}

@test "tip: 99 of 100 eviction sets verified" {
    ops tip
}

@test "limits are put back" {
    ops limits
}

@test "latency: memory takes longer than the cache, the file is complete and not simulated" {
    l2collect -q -d cuda latency size=1M,512M >"$BATS_TEST_TMPDIR/run.tsv"
    grep -q '^#simulated no' "$BATS_TEST_TMPDIR/run.tsv"
    grep -q '^#end rows=[0-9]* status=ok' "$BATS_TEST_TMPDIR/run.tsv"
    l2stat "$BATS_TEST_TMPDIR/run.tsv" | grep -v '^#' | awk -F'\t' '
        NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { m[$at["size"]] = $at["median"] }
        END { print m[1048576], m[536870912]; exit !(m[536870912] > 1.3 * m[1048576]) }'
}
