#!/usr/bin/env bats
# copies and l2copies: every rule that the simulated device can follow must come out; what is refused.
load ../common

setup_file()
{
    l2collect -q -d sim:tiny -o "$BATS_FILE_TMPDIR/tiny.tsv" copies sets=3 2>/dev/null
}

# value PARAM: of standard input.
value()
{
    awk -F '\t' -v p="$1" '$1 == p { print $2; exit }'
}

# like COPIES INSERT DROP: tiny with these rules, its readings on standard output.
like()
{
    grep -v '^copies\|^copy_' "$L2TOOLS_SHARE/devices/tiny.dev" >"$BATS_TEST_TMPDIR/chip.dev"
    printf 'copies %s\ncopy_insert %s\ncopy_drop %s\n' "$1" "$2" "$3" >>"$BATS_TEST_TMPDIR/chip.dev"
    l2collect -q -d "sim:$BATS_TEST_TMPDIR/chip.dev" copies sets=3 2>/dev/null
}

@test "every rule of copies is recovered" {
    for alloc in always:first second:second; do
        for insert in mru:high lru:low; do
            for drop in no:kept yes:dropped; do
                found=$(like "${alloc%:*}" "${insert%:*}" "${drop%:*}" | l2copies | value copy_model)
                echo "$alloc $insert $drop: $found"
                [ "$found" = "${alloc#*:},${insert#*:},${drop#*:},shared" ]
            done
        done
    done
}

@test "latencies by who answered, and the policies that foresee the copies" {
    l2copies "$BATS_FILE_TMPDIR/tiny.tsv" >"$BATS_TEST_TMPDIR/out"
    awk '$1 ~ /^(latency_|timer)/ { v[$1] = $2 } END { print v["latency_local"] + v["timer"],
        v["latency_remote"] + v["timer"], v["latency_dram_remote"] + v["timer"] }' "$L2TOOLS_SHARE/devices/tiny.dev" >"$BATS_TEST_TMPDIR/truth"
    for p in latency_local latency_remote latency_dram_remote; do value $p <"$BATS_TEST_TMPDIR/out"; done | tr '\n' ' ' |
        awk 'NR == FNR { split($0, t); next } { for (i = 1; i <= 3; i++) if ($i < t[i] * 0.95 || $i > t[i] * 1.05) exit 1 }
            END { exit NF != 3 }' "$BATS_TEST_TMPDIR/truth" -
    value policy <"$BATS_TEST_TMPDIR/out" | grep -E '(^| or )lru( |$)'
}

@test "no copies: never, at any load" {
    like never mru no | l2copies >"$BATS_TEST_TMPDIR/out"
    [ "$(value copy_alloc <"$BATS_TEST_TMPDIR/out")" = never ]
    [ "$(value copy_model <"$BATS_TEST_TMPDIR/out")" = never ]
}

@test "a copy that enters at the low end goes with the next line, unless it was loaded again" {
    like always lru no | l2copies | awk -F '\t' '$1 == "copy_depth" && $6 ~ /^home/ { printf "%s ", $2 }' |
        grep -qx '1 8 8 '
}

@test "-c: the models in order, -n: as many answers as rows" {
    l2copies -c "$BATS_FILE_TMPDIR/tiny.tsv" | body | awk -F '\t' 'NR > 2 && $6 > last { exit 1 } { last = $6 } END { exit NR != 26 }'
    rows=$(body "$BATS_FILE_TMPDIR/tiny.tsv" | grep -vc '	find	')
    l2copies -n "$BATS_FILE_TMPDIR/tiny.tsv" | body | awk -F '\t' -v rows=$((rows - 1)) '{ n += $11 + $12 + $13 } END { exit n != rows }'
}

@test "a chip of one side is refused" {
    fails 1 'no two sides' l2collect -q -d sim:v100 copies
}

@test "a row that its scene does not have is refused" {
    awk -F '\t' -v OFS='\t' '$8 == "alloc_hit" { $14 += 9 } 1' "$BATS_FILE_TMPDIR/tiny.tsv" >"$BATS_TEST_TMPDIR/moved.tsv"
    fails 1 'not what this scene asks' l2copies "$BATS_TEST_TMPDIR/moved.tsv"
}

@test "rows of another experiment, and a cut archive" {
    fails 1 "no column 'side'" l2copies "$DATA/good.tsv"
    head -n 300 "$BATS_FILE_TMPDIR/tiny.tsv" >"$BATS_TEST_TMPDIR/cut.tsv"
    fails 1 'no #end' l2copies -S "$BATS_TEST_TMPDIR/cut.tsv"
}
