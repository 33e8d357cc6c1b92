#!/usr/bin/env bats
# l2sector: findings from small tables, what is not decided, errors.
load ../common

setup()
{
    cd "$BATS_TEST_TMPDIR" || return 1
}

# sector BLOCK HIT MISS: touch/probe rows of a chip that fetches BLOCK bytes, with these cycles.
sector()
{
    awk -v block="$1" -v hit="$2" -v miss="$3" 'BEGIN {
        OFS = "\t"; print "#l2tsv 1"; print "#uuid A"
        print "exp", "fetch", "case", "op", "touch", "probe", "rep", "offset", "first", "cycles"
        for (t = -1; t < 8; t++) for (p = -4; p < 12; p++)
            print "sector", 64, "default", "cg", t < 0 ? -1 : 32 * t, 32 * p, 0, 4096, 500, \
                (t >= 0 && int((512 + 32 * t) / block) == int((512 + 32 * p) / block) ? hit : miss)
        print "#end rows=144 status=ok" }'
}

value()
{
    body "${3:-found}" | awk -F '\t' -v p="$1" -v m="$2" '$1 == p && $6 == m { print $2; exit }'
}

@test "the block that was fetched, and the count of what contradicts it" {
    for block in 32 64 128 256; do
        sector $block 280 540 | l2sector >found
        [ "$(value fetch_default touch_probe)" = $block ]
        grep -q '0 of 120 probes contradict it' found
    done
}

@test "a hint of 256 bytes that only a touch at their start follows is told from one that ends at the line" {
    for lead in 0 256; do
        chip "hint_lead $lead" 'fetch 32'
        l2collect -q -d sim:./my.dev sector op=pf256 fetch=32 | l2sector >found
        [ "$(value fetch_hint touch_pf256_limit_32)" = 128 ]
        body found | grep '^fetch_hint	.*touch_pf256_limit_32' | grep -q ' 0 of 480 probes contradict it'
        [ "$(body found | grep '^fetch_hint	.*touch_pf256_limit_32' | grep -c 'start of 256 brings all')" -eq $((lead / 256)) ]
        [ "$(value fetch_hint_start touch_pf256_limit_32)" = "$([ $lead -eq 0 ] || echo 256)" ]
    done
}

@test "controls that do not part: not decided" {
    sector 64 540 540 | l2sector >found
    [ "$(value fetch_default touch_probe)" = "not decided" ]
    grep -q 'the controls do not part hits from misses' found
}

@test "touched lines that were not cold: not decided" {
    sector 64 280 540 | sed 's/	500	/	250	/' | l2sector >found
    grep -q 'not decided.*touched lines were not cold' found
}

@test "other rows, two devices, header only, cut input" {
    printf '#l2tsv 1\nexp\tsize\nlatency\t1\n' >other.tsv
    fails 1 "not a row of sector, partial, sametag or pitch: 'latency'" l2sector other.tsv
    { sector 64 280 540; sector 64 280 540 | sed 's/^#uuid A/#uuid B/'; } >two.tsv
    fails 1 "rows of two devices ('A' and 'B')" l2sector two.tsv
    sector 64 280 540 | sed -n '1,3p' | l2sector | tail -n 1 | grep -q '^#end rows=0 status=ok'
    sector 64 280 540 | grep -v '^#end' >cut.tsv
    fails 1 "cut.tsv" l2sector -S cut.tsv
    fails 2 "usage" l2sector -x
}

@test "partial reads of an H200: 64 from memory, 32 with a limit of 32" {
    {
        printf '#l2tsv 1\nexp\tlevel\tfetch\tcase\ttake\tevery\tns_unit\n'
        printf 'partial\tmemory\t64\tdefault\t%s\t%s\t%s\n' 32 64 .01425 64 64 .01446 32 128 .0163 64 128 .0167 \
            128 128 .0289 128 256 .0288 256 256 .0578
        printf 'partial\tmemory\t32\tset\t%s\t%s\t%s\n' 32 64 .0083 64 64 .01436 32 128 .0142 64 128 .0167 128 128 .0289
    } | l2sector >found
    [ "$(value fetch_default partial_memory)" = 64 ]
    [ "$(value sector partial_memory)" = 32 ]
}

@test "l2collect: granularities that the device rounds are left out with a warning, the one found is put back" {
    l2collect -q -d sim:tiny -o run.tsv sector op=cg reps=1 fetch=48,128
    grep -q '^#warning fetch granularity 48: the device makes it 64, so it is left out' run.tsv
    l2collect -q -d sim:tiny sector op=cg reps=1 fetch=128 sector op=cg reps=1 | grep -c '^#fetch 64$' | grep -qx 2
    fails 2 "step must be a multiple of 8" l2collect -q -d sim:tiny sector step=20
}

@test "the touch/probe rows are drawn" {
    l2collect -q -d sim:tiny -o run.tsv sector op=cg reps=1
    l2plot -T svg run.tsv | LC_ALL=C.UTF-8 gnuplot | grep -q 'granularity 128 B, touch by cg'
}

@test "a granularity that the driver rounds is left out, in one line" {
    l2collect -d sim:tiny sector fetch=48 op=cg reps=1 >run 2>err
    grep -v 'not locked\|below 4 x' err >lines || true
    [ "$(grep -c 'fetch granularity' err)" -eq 1 ]
    grep -qF 'fetch granularity 48: the device makes it 64, so it is left out' err
    [ "$(l2sector run | body - | grep -c fetch_set)" -eq 0 ]
}

@test "a granularity that the driver takes but the chip can't do: one line, and what it really brings" {
    chip 'fetch_limit echo'
    l2collect -d sim:./my.dev sector fetch=48 op=cg reps=2 >run 2>err
    [ "$(grep -c 'fetch granularity' err)" -eq 1 ]
    grep -qF 'fetch granularity 48: the device takes it, but is only known to do 32, 64 and 128' err
    l2sector run >found
    [ "$(value fetch_set touch_probe)" = 64 ]
    grep -q 'fetch_set.*limit 48' found
}

@test "the granularity is put back, for the next experiment and after an interruption" {
    l2collect -q -d sim:tiny sector partial fetch=32,128 reps=1 >run
    [ "$(grep -c '^#fetch 64$' run)" -eq 2 ]
    [ "$(grep -c '^#fetch_after 64$' run)" -eq 2 ]
    many=$(printf '32,128,%.0s' $(seq 60))
    l2collect -q -d sim:h200 -o stopped.tsv sector reps=60 op=cg "fetch=${many%,}" 2>err 3>&- &
    for _ in $(seq 1200); do
        awk -F '\t' '$2 == 32 && $3 == "set" { found = 1 } END { exit !found }' stopped.tsv 2>/dev/null && break
        sleep 0.05
    done
    kill -INT $!
    wait $! || [ $? -eq 1 ]
    grep -q '^#fetch_after 64$' stopped.tsv
}
