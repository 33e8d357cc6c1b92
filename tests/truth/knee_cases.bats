#!/usr/bin/env bats
# Public curves of many GPUs, and what people know of their knees. The data are not ours: they are read where they are.
load ../common

@test "l2knee: 95 % of the knees of public curves, none of high confidence that is false" {
    [ -r "$L2TOOLS_CASES/INDEX.tsv" ] || skip "no curves in $L2TOOLS_CASES"
    run "$TOP/tests/truth/knee_score.sh" "$L2TOOLS_CASES"
    printf '%s\n' "$output" | sed 's/^/# /' >&3
    [ "$status" -eq 0 ]
}
