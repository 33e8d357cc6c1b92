#!/usr/bin/env bats
# The archived runs of a real H200, analyzed again: the same knees on every machine, without a GPU.
load ../common

setup()
{
    archive=$TOP/share/archive/h200
    cd "$BATS_TEST_TMPDIR" || return 1
}

# knees FILE: x_mid of every high knee, in whole megabytes.
knees()
{
    l2stat "$archive/$1.tsv.gz" 2>/dev/null | l2knee 2>/dev/null | body - |
        awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["conf"] == "high" { print $at["x_mid"] / 1e6 }'
}

@test "h200 latency: knees at one side and at the whole L2" {
    knees latency | tee got
    awk '{ x[NR] = $1 } END { exit !(NR == 2 && x[1] > 26 && x[1] < 34 && x[2] > 54 && x[2] < 66) }' got
}

@test "h200 latency through L1: L1, then the same two" {
    knees latency_ca | tee got
    awk '{ x[NR] = $1 } END {
        exit !(NR == 3 && x[1] > 0.22 && x[1] < 0.3 && x[2] > 26 && x[2] < 34 && x[3] > 54 && x[3] < 66) }' got
}

@test "h200 clock: the timer is what lies between a hop timed alone and in a pass" {
    l2stat -g what "$archive/clock.tsv.gz" 2>/dev/null | body - |
        awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { mean[$1] = $at["mean"] }
            END { d = mean["chase_each"] - mean["chase_total"]; print d, mean["timer"]
                  exit !(d > 0 && d < 2 * mean["timer"] && mean["mhz"] > 1900 && mean["mhz"] < 2000) }'
}

@test "h200 bandwidth: reads from L2 are faster than from memory, which no spec is exceeded by" {
    gzip -dc "$archive/bandwidth.tsv.gz" | body - | awk -F '\t' '$3 == "read" {
            if ($4 < 32e6 && $16 > fast) fast = $16
            if ($4 > 128e6 && $16 > slow) slow = $16 }
        END { print fast, slow; exit !(fast > 8000 && slow > 4000 && slow < 4900) }'
}
