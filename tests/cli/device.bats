#!/usr/bin/env bats
# Simulated devices by file and by draw: what is wrong with them is said, what they are is written down.
load ../common

setup()
{
    cd "$BATS_TEST_TMPDIR" || return 1
}

@test "every key of a device file is in l2device(5), and nothing else" {
    grep -oE '^    \{"[a-z0-9_]+", ' "$TOP/share/lib/chip.c" | tr -d '{", ' | sort >keys
    [ "$(wc -l <keys)" -gt 60 ]
    sed -n 's/^\.It Cm //p' "$TOP/man/l2device.5" | tr -d ' ' | tr ',' '\n' | sort >told
    diff keys told
}

@test "no such device: 2; no such file, a bad line: 1 with the place" {
    fails 2 "no such device: 'gpu'" l2collect -d gpu latency
    fails 1 "device sim:none: " l2collect -d sim:none latency
    fails 1 "device sim:./none.dev: ./none.dev: No such file" l2collect -d sim:./none.dev latency
    printf 'ways 12\nsets many\n' >my.dev
    fails 1 "./my.dev:2: key sets: not a number: 'many'" l2collect -d sim:./my.dev latency
    fails 1 "a seed comes first" l2collect -d sim:draw:noise latency
}

@test "the same draw and seed give the same rows" {
    for k in 1 2; do
        l2collect -q -s 5 -d sim:draw:8,noise -o $k.tsv latency size=64K hops=2000
    done
    diff <(body 1.tsv) <(body 2.tsv)
    grep -q '^#simulated yes' 1.tsv
}

@test "a device that fails: #end says so, exit 1" {
    printf 'l2_api 128K\nfail_after 12\n' >my.dev
    fails 1 "simulated failure after 12 operations" l2collect -q -d sim:./my.dev -o run.tsv latency
    tail -1 run.tsv | grep -q '^#end rows=[0-9]* status=error: .*simulated failure after 12'
}

@test "the knee is where a device file puts it" {
    printf 'sets 100\nways 24\nslices 5\nslice_modulo 5\nset_hash mix\nnoise 3\nl2_api 2M\n' >my.dev
    l2collect -q -d sim:./my.dev latency size=256K:8M:4 | l2knee | body - >knees
    [ "$(wc -l <knees)" -eq 2 ]
    awk -F '\t' 'NR == 2 { exit !($3 > 1536000 * .94 && $3 < 1536000 * 1.06) }' knees
}
