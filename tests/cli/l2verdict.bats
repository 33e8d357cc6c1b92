# l2verdict: what several methods together say of a parameter.
load ../common

setup()
{
    cd "$BATS_TEST_TMPDIR" || return 1
}

# findings DEVICE ROW...: a table of findings; a row's words are separated by blanks: param value lo hi unit method n.
findings()
{
    printf '#l2tsv 1\n#device %s\n#l2_bytes 62914560\n#sms 132\n#simulated no\n' "$1"
    shift
    printf 'param\tvalue\tlo\thi\tunit\tmethod\tn\tnote\n'
    printf '%s -\n' "$@" | tr ' ' '\t'
    echo "#end rows=$# status=ok"
}

columns()
{
    body | cut -f "$1"
}

@test "methods that agree, one alone, methods that contradict" {
    findings X 'ways 16 16 16 lines evict_home 20' 'ways 15 13 18 lines survival 960' 'grain 256 256 256 bytes gcd 9' \
        'slices 94 94 94 slices atomics 7' 'slices 96 96 96 slices loads 7' >f.tsv
    l2verdict f.tsv | columns 1,2,6-8 | tr '\t' ' ' >got
    diff got - <<'EOF'
param value verdict methods support
ways 16 agree 2 2
slices 94 or 96 disagree 2 1
grain 256 single 1 1
EOF
}

@test "what the driver says, and the difference" {
    findings X 'capacity_total 61603840 60000000 62000000 bytes level 20' | l2verdict | columns 1,10,11 | tail -n 1 >got
    [ "$(cat got)" = "$(printf 'capacity_total\t62914560\t-2.083')" ]
}

@test "the driver's 0 bytes are no answer" {
    findings X 'capacity_total 61603840 60000000 62000000 bytes level 20' | sed 's/62914560/0/' | l2verdict |
        columns 10,11 | tail -n 1 | grep -x "$(printf 'nan\tnan')"
}

@test "--strict: a disagreement is status 1 and named" {
    findings X 'slices 94 94 94 slices atomics 7' 'slices 96 96 96 slices loads 7' >f.tsv
    l2verdict f.tsv
    fails 1 'slices: methods disagree: 94 or 96' l2verdict --strict f.tsv
    grep -q disagree out
    findings X 'slices 94 94 94 slices atomics 7' | l2verdict --strict
}

@test "findings of two devices are refused" {
    findings X 'ways 16 16 16 lines a 1' >x.tsv
    findings Y 'ways 16 16 16 lines b 1' >y.tsv
    fails 1 "findings of several devices (device 'X' and 'Y')" l2verdict x.tsv y.tsv
}

@test "raw rows are refused with the filters that read them" {
    fails 1 "give raw rows to l2level" l2verdict "$DATA/good.tsv"
}

@test "tables of knees are one more method for capacities" {
    findings X 'sides 2 2 2 sides atomics 7' 'capacity_side 30801920 30000000 31000000 bytes level 9' >f.tsv
    printf '#l2tsv 1\n#device X\nknee\tx_onset\tx_mid\tx_end\tx_lo\tx_hi\ty_before\ty_after\theight\tconf\tnote\n' >k.tsv
    printf '%s\n' '1 100 200 300 100 300 200 210 0.02 low drift' '2 27e6 32e6 37e6 26e6 33e6 289 514 0.77 high -' \
        '3 57e6 63e6 68e6 56e6 67e6 514 654 0.27 high -' | tr ' ' '\t' >>k.tsv
    echo '#end rows=3 status=ok' >>k.tsv
    l2verdict f.tsv k.tsv | columns 1,6,8,12 >got
    grep "^capacity_side	agree	2	level 30801920 .*; knee 3.2e+07 " got
    grep "^capacity_total	single	1	knee 6.3e+07 " got
}

@test "-a: expected parameters that nobody spoke of" {
    findings X 'sides 1 1 1 sides atomics 7' | l2verdict -a | columns 1,6 >got
    grep -x "ways	missing" got
    not grep -q side_mask got
}

@test "simulated data say so everywhere" {
    findings X 'ways 16 16 16 lines a 1' | sed 's/simulated no/simulated yes/' >f.tsv
    l2verdict f.tsv | grep -x '#simulated yes'
    l2verdict -m f.tsv | grep -F 'SIMULATED'
    l2verdict --accel-sim f.tsv | grep -F 'SIMULATED'
}

@test "--markdown: one row a parameter, nothing from the data breaks it" {
    findings 'a*b<i>' 'capacity_side 30801920 30801920 30801920 bytes x|y 9' 'slices 94 94 94 slices a 7' | l2verdict -m >got
    grep -F '**a\*b\<i>**' got
    grep -E '^\| capacity_side \| 29.38 MiB .*x\\\|y 30801920 n=9 \|$' got
    [ "$(grep -c '^|' got)" -eq 4 ]
}

@test "--accel-sim: a cache line that the simulators read, and what is not known" {
    findings X 'slices 94 94 94 slices a 7' 'slices_side 47 47 47 slices a 7' 'sets_side 15040 15000 15100 sets tipping 20' \
        'ways 16 16 16 lines evict_home 20' 'line 128 128 128 bytes same_tag 8' >f.tsv
    l2verdict --accel-sim f.tsv >got
    grep -x -- '-gpgpu_cache:dl2 S:320:128:16,L:B:m:L:P,A:192:4,32:0,32' got
    grep -x -- '-gpgpu_n_mem 47' got
    grep -x -- '-gpgpu_n_sub_partition_per_mchannel 2' got
    grep -F 'write-back is not known' got
    findings X 'slices 94 94 94 slices a 7' | l2verdict --accel-sim >got
    grep -F 'no -gpgpu_cache:dl2 line' got
    not grep -q '^-gpgpu_cache' got
}

@test "--list: the rules" {
    l2verdict -l | grep -x "capacity_side	5 %"
    l2verdict -l | grep -x "ways	0 %"
}

@test "conditions are no methods: their values stand in their order, one that all share alone" {
    {
        printf '#l2tsv 1\nparam\tvalue\tlo\thi\tunit\tmethod\tn\tnote\n'
        printf 'persist_kept\t%s\t%s\t%s\tbytes\tset_aside_%s\t9\t-\n' 10 9 11 0 10 9 11 1K 30 28 33 2K
        printf 'fetch_hint\t128\t128\t128\tbytes\t%s\t9\t-\n' pf128 pf128_limit_32
        echo '#end rows=5 status=ok'
    } | l2verdict >out
    [ "$(awk -F '\t' '$1 == "persist_kept" { print $2, $3, $4, $6 }' out)" = "10;10;30 nan nan single" ]
    [ "$(awk -F '\t' '$1 == "fetch_hint" { print $2, $3, $4, $6 }' out)" = "128 128 128 single" ]
}
