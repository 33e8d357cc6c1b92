# l2slice on the simulated device and on small tables, and the experiments matrix and contend that feed it.
load ../common

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return 1
    l2collect -q -d sim:tiny contend matrix op=atom random=1500 >atom.tsv
    l2collect -q -d sim:tiny contend op=cg >load.tsv
}

setup()
{
    cd "$BATS_FILE_TMPDIR" || return 1
}

# value PARAM: its values in the findings on stdin.
value()
{
    awk -F'\t' -v p="$1" '$1 == p { print $2 }'
}

# matrix_of 'AWK EXPRESSION OF i AND s' LINES SMS: rows of a matrix by atomics.
matrix_of()
{
    awk -v lines="$2" -v sms="$3" 'BEGIN {
        OFS = "\t"
        print "exp", "op", "sm", "offset", "rep", "cycles"
        for (i = 0; i < lines; i++) for (s = 0; s < sms; s++) print "matrix", "atom", s, i * 128, 0, '"$1"'
    }'
}

@test "help, version, usage" {
    l2slice -h | grep -q -- --map
    l2slice --version | grep -q l2slice
    fails 2 'only one of' l2slice -m -s atom.tsv
    fails 2 'usage' l2slice -z
    fails 1 'no_such_file' l2slice no_such_file
}

@test "a tiny chip: slices, sides, grain, mask" {
    l2slice atom.tsv 2>/dev/null >found.tsv
    [ "$(value slices <found.tsv)" = 6 ]
    [ "$(value sides <found.tsv | uniq)" = 2 ]
    [ "$(value grain <found.tsv)" = 256 ]
    [ "$(value side_mask <found.tsv)" = 12,13 ]
    [ "$(value side_page <found.tsv)" = 2097152 ]
    [ "$(value slice_linear <found.tsv)" = no ]
    [ "$(value sm_sides <found.tsv | paste -sd+)" = 4+4 ]
    [ "$(value slice_agreement <found.tsv)" = 1 ]
    grep -q '^#simulated yes' found.tsv
    grep -q '^#by l2slice' found.tsv
}

@test "loads see partner slices as one" {
    l2slice load.tsv 2>err >found.tsv
    [ "$(value slices_side <found.tsv)" = 3 ]
    [ -z "$(value slices <found.tsv)" ]
    grep -q 'run l2collect matrix op=atom' err
    # With the sides of the same lines they are slices again.
    l2collect -q -d sim:tiny contend matrix op=cg >both.tsv
    l2collect -q -d sim:tiny matrix op=atom >>both.tsv
    l2slice both.tsv 2>/dev/null | value slices_side | grep -qx 3
}

@test "--map gives every line a slice and a side, --sms every SM" {
    l2slice -m atom.tsv 2>/dev/null | body >map
    [ "$(head -1 map)" = "$(printf 'offset\tslice\tside\tlocation')" ]
    awk -F'\t' 'NR > 1 && $2 >= 0 { n[$2 "\t" $3]++ } END { for (k in n) if (k !~ /-1/) m++; exit m != 6 }' map
    l2slice -s atom.tsv 2>/dev/null | body >sms
    [ "$(wc -l <sms)" -eq 9 ]
    awk -F'\t' 'NR > 1 { of[$2]++; if ($5 - $4 < 60 || $5 - $4 > 140) bad = 1 } END { exit bad || of[0] != 4 || of[1] != 4 }' sms
    [ "$(l2slice -d atom.tsv 2>/dev/null | body | wc -l)" -eq 1 ]
}

@test "--predict knows the side of fresh lines on many pages" {
    l2collect -q -d sim:h200 matrix op=atom count=16 random=12000 sms=0,1,2,3,64 reps=5 buffer=100M >all.tsv
    awk -F'\t' '/^#/ || $1 == "exp" || int($4 / 32) % 8 == 0' all.tsv >part.tsv
    l2slice -m all.tsv 2>/dev/null | body | awk -F'\t' 'NR > 1 { print $1, $3 }' | sort -u >measured
    l2slice -p all.tsv part.tsv 2>/dev/null | body | awk -F'\t' 'NR > 1 { print $1, $2 }' | sort -u >predicted
    [ "$(wc -l <measured)" -gt 9000 ]
    [ "$(comm -12 measured predicted | wc -l)" -ge "$(($(wc -l <measured) * 999 / 1000))" ]
    fails 1 'no side mask' l2slice -p all.tsv load.tsv
}

@test "one thread fills no slice, and it says so" {
    l2collect -q -d sim:tiny contend test=thread count=200 | l2slice 2>err >found.tsv
    grep -q 'one thread that alternates cannot fill a slice' err
    [ "$(body found.tsv | wc -l)" -eq 1 ]
}

@test "one line against all others is no count" {
    {
        printf 'exp\top\ta\tb\tpivot\trep\tcycles\n'
        seq 0 199 | awk '{ print "contend\tatom\t0\t" $1 * 256 "\t0\t0\t" ($1 % 20 ? 1000 : 2000) + $1 % 7 }'
    } | l2slice 2>err >found.tsv
    grep -q "can't be counted" err
    [ -z "$(value slices <found.tsv)" ]
}

@test "too little to tell: one SM, few lines, one page, noise" {
    matrix_of '200 + (i * 7 + s) % 5' 100 1 | l2slice 2>err | value sides >got
    grep -q 'run matrix with sms=all' err
    [ ! -s got ]
    matrix_of '200 + (i + s) % 2 * 150' 20 8 | l2slice 2>err >/dev/null
    grep -q '20 lines are too few' err
    matrix_of '200 + (i + s) % 2 * 150' 400 8 | l2slice 2>err | value sides | grep -qx 2
    grep -q 'all lines lie in one page' err
    matrix_of '200 + rand() * 97' 400 8 | l2slice 2>err | value subslices >got
    grep -q 'no gap between fingerprints' err
    [ ! -s got ]
}

@test "tables without rows and bad tables" {
    printf 'exp\top\tsm\toffset\trep\tcycles\n' | l2slice 2>/dev/null | body | wc -l | grep -qx 1
    printf 'exp\top\tsm\toffset\trep\tcycles\nmatrix\tcg\t0\tx\t0\t9\n' >bad.tsv
    fails 1 "bad.tsv:2: column offset" l2slice bad.tsv
    printf 'exp\top\tsm\tcycles\nmatrix\tcg\t0\t9\n' >bad.tsv
    fails 1 "offset" l2slice bad.tsv
    [ -c /dev/full ] || skip "no /dev/full"
    not l2slice atom.tsv >/dev/full 2>err
    grep -q 'stdout' err
}

@test "matrix: lines from standard input, raw rows, SMs by number" {
    printf '0\n4096\n8192\n' | l2collect -q -d sim:tiny matrix lines=- sms=1,3 keep=raw reps=3 | body >rows
    [ "$(wc -l <rows)" -eq 19 ]
    [ "$(awk -F'\t' 'NR > 1 { print $3, $4 }' rows | sort -u | wc -l)" -eq 6 ]
    not l2collect -q -d sim:tiny matrix sms=99 >out 2>err
    grep -q "no SM '99'" err
    not l2collect -q -d sim:tiny matrix lines=1G >out 2>err
    grep -q 'outside of buffer' err
}

@test "contend: pairs of a list; an odd list is refused; a chip that shows nothing is told" {
    printf '0\n256\n512\n4096\n' | l2collect -q -d sim:tiny contend test=pairs lines=- reps=2 | body >rows
    [ "$(wc -l <rows)" -eq 5 ]
    not l2collect -q -d sim:tiny contend test=pairs lines=1K,2K,3K >out 2>err
    grep -q 'are no pairs' err
    l2collect -d sim:tiny contend op=atom warps=1 >out 2>err
    grep -q 'contention shows nothing' err
}

@test "contend: partners that are nearly as slow as one slice are settled; else they are in doubt" {
    cat >bank.dev <<'END'
name banked
sms 16
sm_run 2
memory 512M
sides 2
side_masks 0xab000
side_page random
slices 11
slice_modulo 11
slice_order mixed
slice_key 0xfffffffffd00
sets 60
latency_local 250
latency_remote 400
spread_slice 9
spread_sm 6
spread_pair 9
noise 0
service_partner 0.46
service_bank 0.45
service_banks 16
END
    l2collect -q -d sim:bank.dev contend matrix op=atom count=600 random=1024 >run.tsv
    grep -q '	settle	' run.tsv
    l2slice run.tsv >found.tsv
    [ "$(value slices <found.tsv)" = 22 ]
    [ "$(value slices_side <found.tsv)" = 11 ]
    [ "$(value slice_agreement <found.tsv)" = 1 ]
    not grep -q 'in doubt' found.tsv
    # The mapping is not linear, and the side mask is all of it that is.
    [ "$(value slice_linear <found.tsv)" = no ]
    [ "$(value slice_xor <found.tsv)" = "$(value side_mask <found.tsv | uniq)" ]
    grep '^slice_xor' found.tsv | grep -q 'the linear part'
    # Without the rows that settle them they get no label, and are counted.
    sed '/	settle	/d; /^#end/d' run.tsv >unsettled.tsv
    l2slice unsettled.tsv >found.tsv
    [ "$(value slices <found.tsv)" = 22 ]
    [ "$(value slice_agreement <found.tsv)" = 1 ]
    grep '^slices	' found.tsv | grep -Eq '; [1-9][0-9]* lines in doubt are left out'
}

@test "bits within small pages are no functions" {
    "$TOP"/tests/truth/slice_draw.sh 10 .
    l2collect -q -s 10 -d sim:./chip.dev contend matrix op=atom buffer=64M count=1024 random=1024 reps=5 |
        l2slice 2>/dev/null >found.tsv
    [ "$(value slice_linear <found.tsv)" = no ]
    [ "$(value slice_xor <found.tsv)" = 12,14,15,20 ]
}

@test "a slice that was not seen is in the interval" {
    l2collect -q -s 2 -d sim:h200 contend op=atom | l2slice 2>/dev/null >found.tsv
    awk -F'\t' '$1 == "slices" { n++; exit !($2 <= 94 && $4 >= 94 && $4 > $2) } END { exit n != 1 }' found.tsv
    grep -q 'label more blocks' found.tsv
}

@test "slices that are farther from all SMs, or from some, are no side" {
    cd "$BATS_TEST_TMPDIR" || return 1
    for seed in 4 9; do
        "$TESTS/draw_chip" $seed - 4096 >chip.dev
        grep -qx 'sides 1' chip.dev
        l2collect -q -d sim:./chip.dev -o matrix.tsv matrix op=atom count=256 random=256
        l2slice matrix.tsv >got 2>err
        not grep -P '^sides\t2' got
        grep -q 'sides: ' err
    done
}

@test "too few SMs: contention of one warp, SMs of one side, and what to run" {
    l2collect -q -d sim:tiny contend op=atom warps=1 2>/dev/null | l2slice 2>err >found.tsv
    grep -q 'show one mode only: too few SMs to fill a slice.*run contend with all SMs and test=search' err
    [ -z "$(value slices <found.tsv)" ]
    l2collect -q -d sim:h200 matrix op=atom count=200 random=400 sms=0,1 | l2slice 2>err >found.tsv
    grep -q 'SMs of 1 of 2 sides were measured; run matrix with sms=all' err
    [ -z "$(value subslices <found.tsv)" ]
    l2collect -q -d sim:h200 contend op=cg count=128 | l2slice 2>err >found.tsv
    grep -q 'sides: no matrix rows by atomics; run l2collect matrix op=atom' err
    [ -z "$(value slices <found.tsv)" ]
}

@test "too much noise: pairs that contradict, too many in doubt, and what to run" {
    # Three classes, and one pair in ten says otherwise.
    awk 'BEGIN {
        OFS = "\t"
        print "exp", "op", "a", "b", "cycles"
        for (i = 0; i < 60; i++) for (k = 0; k < i; k++)
            print "contend", "atom", k * 256, i * 256, (i % 3 == k % 3) != ((i * 7 + k * 3) % 10 == 0) ? 2000 : 1000
    }' | l2slice 2>err >found.tsv
    grep -q "pairs contradict the classes, so they can't be counted; run contend with test=search and reps=3" err
    [ -z "$(value slices <found.tsv)" ]
    # One line in four is a little faster than its class.
    awk 'BEGIN {
        OFS = "\t"
        print "exp", "op", "a", "b", "cycles"
        for (i = 0; i < 80; i++) for (k = 0; k < 4 && k <= i; k++)
            if (i < 4 || i % 4 >= k) {
                cycles = i % 4 == k || i == k ? 2000 : int(i % 4 / 2) == int(k / 2) ? 1400 : 1000
                print "contend", "atom", k * 256, i * 256, cycles - (cycles == 2000 && i % 16 < 4 && i > 4) * 150
            }
    }' | l2slice 2>err >found.tsv
    grep -q "are a little faster than lines of one slice .* so they can't be counted; run contend with test=search" err
    [ -z "$(value slices <found.tsv)" ]
}
