#!/usr/bin/env bats
# l2write: findings from small tables, what is not decided, errors.
load ../common

setup()
{
    cd "$BATS_TEST_TMPDIR" || return 1
}

value()
{
    body found | awk -F '\t' -v p="$1" -v m="$2" '$1 == p && $6 == m { print $2; exit }'
}

# dirty: rows of case discard; votes without, flushed, with a discard, and of dropped lines.
discard()
{
    printf '#l2tsv 1\nexp\tset\tways\tcase\tkind\tstored\tloaded\tline\trep\tcycles\tvote\n'
    for rep in 0 1 2 3 4 5; do
        printf 'dirty\t0\t4\tdiscard\tnone\t1\t0\t0\t%d\tnan\t%d\n' $rep "$1"
        printf 'dirty\t0\t4\tdiscard\tflushed\t1\t0\t0\t%d\tnan\t%d\n' $rep "$2"
        printf 'dirty\t0\t4\tdiscard\tdiscard\t1\t0\t0\t%d\tnan\t%d\n' $rep "$3"
        printf 'dirty\t0\t4\tdrop\tdiscard\t0\t0\t0\t%d\t500\t%d\n' $rep "$4"
    done
}

@test "write-back by discard: yes, no, and not decided when a control fails" {
    discard 0 0 1 1 | l2write >found
    [ "$(value write_back discard)" = yes ]
    discard 0 0 0 1 | l2write >found
    [ "$(value write_back discard)" = no ]
    for bad in '1 0 1 1' '0 1 1 1' '0 0 0 0'; do
        # shellcheck disable=SC2086
        discard $bad | l2write >found
        [ "$(value write_back discard)" = "not decided" ]
    done
}

@test "bandwidth over footprint" {
    bw() { printf '#l2tsv 1\n#l2_bytes 1000\nexp\top\tsize\tgbps\nbandwidth\twrite\t100\t%s\nbandwidth\twrite\t4000\t40\n' "$1"; }
    bw 90 | l2write >found
    [ "$(value write_back footprint)" = yes ]
    bw 41 | l2write >found
    [ "$(value write_back footprint)" = "not decided" ]
    grep -q '41 GB/s of stores to L2 / 16' found
}

@test "stores: controls that do not part, or lines that a flush leaves: not decided" {
    l2collect -q -d sim:tiny -o run.tsv write
    l2write run.tsv >found
    [ "$(value write_allocate store_probe)" = sector ]
    awk -F '\t' -v OFS='\t' '$2 == "none" { $NF = 300 } { print }' run.tsv | l2write >found
    grep -q 'not decided.*the controls do not part' found
    awk -F '\t' -v OFS='\t' '$2 == "evict" { $NF = 200 } { print }' run.tsv | l2write >found
    grep -q 'not decided.*left the cache in a flush' found
}

@test "errors: other rows, unknown words, two devices" {
    printf '#l2tsv 1\nexp\tsize\nlatency\t1\n' >other.tsv
    fails 1 "not a row of write, dirty, inclusion or bandwidth: 'latency'" l2write other.tsv
    discard 0 0 1 1 | sed 's/	none	/	gone	/' >bad.tsv
    fails 1 "column kind: not a known word: 'gone'" l2write bad.tsv
    { discard 0 0 1 1 | sed '1a#uuid A'; discard 0 0 1 1 | sed '1a#uuid B'; } >two.tsv
    fails 1 "rows of two devices" l2write two.tsv
    fails 2 "usage" l2write -x
}

@test "l2collect: stores that do not fit are refused in one line" {
    fails 2 "bytes=3: a store is a power of two" l2collect -q -d sim:tiny write bytes=3
    fails 2 "step=24 is no power of two" l2collect -q -d sim:tiny write step=24
    fails 2 "not between" l2collect -q -d sim:tiny write bytes=512
}

@test "a chip without discard: the rest is measured" {
    sed 's/^name .*/&\ncc_major 7/' "$L2TOOLS_SHARE/devices/tiny.dev" >old.dev
    l2collect -q -d sim:./old.dev -o run.tsv dirty sets=2
    grep -q '^#warning no discard test (compute capability 7' run.tsv
    l2write run.tsv >found
    [ "$(value evicted_first order)" = oldest ]
    [ -z "$(value write_back discard)" ]
}

@test "dirty lines of the other side: one line names an SM of that side, and with it they are measured" {
    fails 1 "use lines=home with an SM of that side, such as sm=" l2collect -q -d sim:tiny dirty lines=remote
    sm=$(sed -n 's/.*such as \(sm=[0-9]*\);.*/\1/p' err)
    l2collect -q -d sim:tiny dirty sets=2 reps=1 "$sm" | l2write >found
    [ "$(value dirty_ways discard)" = 8 ]
    [ "$(value evicted_first order)" = oldest ]
    { cat "$L2TOOLS_SHARE/devices/tiny.dev"; echo sides 1; } | grep -v 'sides 2\|side_\|sm_split\|sm_run' >my.dev
    fails 1 "lines=remote: this device has no other side" l2collect -q -d sim:./my.dev dirty lines=remote
}
