# l2predict: patterns, traces, models, its table, its errors.
load ../common

# value COLUMN ROW FILE
value()
{
    body "$3" | awk -F '\t' -v want="$1" -v row="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        NR == row + 1 { print $at[want] }'
}

setup()
{
    cd "$BATS_TEST_TMPDIR" || return 1
}

@test "what fits is hit, what does not is not" {
    l2predict -m tiny cyclic size=40K >a
    [ "$(value share_local 1 a)" = 1 ]
    [ "$(value hit 1 a)" = 1 ]
    [ "$(value read 1 a)" = 0 ]
    [ "$(value cycles 1 a)" = 200 ]
    l2predict -m tiny cyclic size=1M >b
    [ "$(value hit 1 b)" = 0 ]
    [ "$(value read 1 b)" = $((1 << 19)) ]
    tail -n 1 b | grep -q '^#end rows=2 status=ok$'
}

@test "own and other side: local, and remote where nothing is copied" {
    l2predict -m tiny cyclic size=40K side=own >a
    [ "$(value share_local 1 a)" = 1 ]
    sed 's/^sides 2/&\ncopies never/' "$L2TOOLS_SHARE/devices/tiny.dev" >my.dev
    l2predict -m my.dev cyclic size=40K side=other >b
    [ "$(value share_remote 1 b)" = 1 ]
    [ "$(value cycles 1 b)" = 300 ]
}

@test "rows of all and of each side add up" {
    l2predict -m tiny random,size=100K,sms=8 >a
    [ "$(body a | wc -l)" -eq 4 ]
    [ "$(value n 1 a)" -eq $(($(value n 2 a) + $(value n 3 a))) ]
    [ "$(value read 1 a)" -eq $(($(value read 2 a) + $(value read 3 a))) ]
}

@test "a trace of a pattern is predicted as the pattern is" {
    l2predict -t -m tiny mixed,size=100K,sms=8,chunk=5 >t.tsv
    [ "$(body t.tsv | wc -l)" -eq $((8 * 800 + 1)) ]
    l2predict -m tiny -W 0 mixed,size=100K,sms=8,chunk=5 | body - | cut -f 3- >a
    l2predict -m tiny -W 0 ./t.tsv | body - | cut -f 3- >b
    cmp a b
    gzip t.tsv
    l2predict -m tiny -W 0 t.tsv.gz | body - | cut -f 3- >b
    cmp a b
}

@test "a trace of offsets alone" {
    printf 'offset\n0\n128\n0\n' >t.tsv
    l2predict -m tiny -W 0 t.tsv >a
    [ "$(value n 1 a)" = 3 ]
    [ "$(value hit 1 a)" = 0.33333 ]
}

@test "explain: every effect once, the costliest first; one side has no copies" {
    l2predict -m tiny -e mixed,size=90K >a
    [ "$(body a | cut -f 3 | sort | tr '\n' ' ')" = "- capacity conflicts copies effect fetch sectors stores " ]
    body a | awk -F '\t' 'NR > 2 { if (NR > 3 && $14 > last) exit 1; last = $14 }'
    [ "$(value effect 2 a)" = capacity ]
    l2predict -m v100 -e cyclic size=64K >b
    if grep -q copies b; then return 1; fi
}

@test "sweep: a row for each value, in the order given" {
    l2predict -m tiny -w size=20K,40K,200K shuffled,sm=2 >a
    [ "$(body a | awk -F '\t' '$3 == "all" { print $2 }' | tr '\n' ' ')" = \
        "shuffled,size=20K,sm=2 shuffled,size=40K,sm=2 shuffled,size=200K,sm=2 " ]
    l2predict -w block=256x1,16x16 transpose rows=64 columns=64 | grep -q 'block=16x16'
}

@test "a table of findings is a model; what it lacks is said" {
    {
        printf '#l2tsv 1\nparam\tvalue\tlo\thi\tunit\tmethod\tn\tnote\n'
        printf 'capacity_side\t61440\t60000\t62000\tbytes\tlevel\t9\t-\n'
        printf 'sides\t2\t2\t2\tsides\tmatrix\t9\t-\n'
        printf 'ways\t8\t8\t8\tlines\tevict\t9\t-\n#end rows=3 status=ok\n'
    } >f.tsv
    l2predict -m f.tsv cyclic size=40K >a
    [ "$(value hit 1 a)" = 1 ]
    grep -q '^#note model: latency_local is not in the table, 280 assumed$' a
    if grep -q 'note model: ways' a; then return 1; fi
    l2predict -m f.tsv cyclic size=300K >b
    [ "$(value hit 1 b)" = 0 ]
    grep -v capacity f.tsv | sed 's/rows=3/rows=2/' >g.tsv
    fails 1 "no sets_side, capacity_side or capacity_total" l2predict -m g.tsv cyclic
}

@test "the verdict of a survey is a model as good as the device file" {
    l2survey -q -d sim:tiny -o run >/dev/null 2>&1
    l2predict -m run/verdict.tsv -d 8 shuffled,size=90K random,size=100K >table
    not grep -E '^#note model: (sm_sides|copy_model|ways|policy|slices)' table
    l2predict -m tiny -d 8 shuffled,size=90K random,size=100K >file
    paste <(body table) <(body file) | awk -F '\t' 'NR > 1 && $3 == "all" { n++
        for (i = 6; i <= 9; i++) { d = $i - $(i + 14); if (d > 0.02 || d < -0.02) bad++ } } END { print n, bad + 0; exit n != 2 || bad > 0 }'
}

@test "-l lists the patterns and their parameters" {
    l2predict -l | grep -q '^  stencil '
    l2predict -l tiled | grep -q '^  block=32x8 '
    fails 2 "no such pattern: 'x'" l2predict -l x
}

@test "usage errors: 2, and nothing on stdout" {
    fails 2 "name a pattern" l2predict
    fails 2 "no such pattern: 'cycle'" l2predict cycle
    fails 2 "cyclic: no such parameter: 'sizes=4K'; there are: size stride" l2predict cyclic sizes=4K
    fails 2 "size: not a size: '4Q'" l2predict cyclic size=4Q
    fails 2 "sweep: not a param=a,b,c: 'size'" l2predict -w size cyclic
    [ ! -s out ]
}

@test "bad data: 1, and where" {
    printf 'step\toffset\n0\t0\n0\t128\n' >t.tsv
    fails 1 "t.tsv:3: column step: steps must rise: '0'" l2predict t.tsv
    printf 'offset\tkind\n0\tld\n' >t.tsv
    fails 1 "t.tsv:2: column kind: not one of cg" l2predict t.tsv
    printf 'offset\tbytes\n0\t129\n' >t.tsv
    fails 1 "t.tsv:2: column bytes: not between 1 and 128: '129'" l2predict t.tsv
    printf 'offset\tsm\n0\t8\n' >t.tsv
    fails 1 "SM 8: there are 8" l2predict -m tiny t.tsv
    printf 'offset\n' >t.tsv
    fails 1 "a trace without accesses" l2predict t.tsv
    fails 1 "no-such.dev" l2predict -m no-such cyclic
    fails 1 "the device has 8 SMs" l2predict -m tiny cyclic sms=9
    fails 1 "the cache has one side" l2predict -m v100 cyclic side=other
}

@test "a full disk, a closed pipe" {
    fails 1 "l2predict: stdout: No space left on device" sh -c 'l2predict -m tiny cyclic >/dev/full'
    l2predict -t -m tiny cyclic size=4M 2>err | head -n 1
    [ ! -s err ]
}

@test "-r: the lists of a replay take room, most of it while they are long" {
    hit() { l2predict -m tiny -d 1 "$@" shuffled,size=56K | body | awk -F '\t' '$3 == "all" { print $6 }'; }
    awk -v none="$(hit)" -v short="$(hit -r 40)" -v long="$(hit -r 400)" \
        'BEGIN { print none, short, long; exit !(none >= short && short > long && long > none / 4) }'
    fails 2 'replay' l2predict -r 0 -m tiny cyclic
}

@test "-f: lines of others take room: the more of them an access, and a walk" {
    near() { l2predict -m tiny -d 2 "$@" random,size=100K,count=20000 | body - | cut -f 6 | sed -n 2p; }
    awk -v none="$(near -f 0)" -v few="$(near -f 10)" -v many="$(near -f 40)" \
        'BEGIN { print none, few, many; exit !(none > few + 0.005 && few > many + 0.005 && many > none / 2) }'
    awk -v none="$(near -r 10 -f 10)" -v more="$(near -r 10 -f 10,1)" 'BEGIN { print none, more; exit !(none > more + 0.01) }'
    [ "$(near)" = "$(near -f 0,0)" ]
    # What they read from memory is not the pattern's.
    [ "$(l2predict -m tiny -f 40 cyclic,size=4K | body - | cut -f 12 | sed -n 2p)" -lt 4096 ]
    fails 2 'foreign: lines between walks need walks' l2predict -m tiny -f 1,1 cyclic
    fails 2 "foreign: not a number: ''" l2predict -m tiny -f 1, cyclic
    fails 2 "foreign: not between 0 and" l2predict -m tiny -f -1 cyclic
}

@test "the sides of a board's SMs: those of the table, side 0 where the model has SM 0" {
    printf 'sm\tside\n' >sms
    for k in 0 1 2 3 4 5 6 7; do printf '%d\t%d\n' $k $((k < 2 ? 0 : 1)); done >>sms
    l2predict -m tiny -S sms random,size=100K,sms=8 >a
    grep -qx '#note model: sides of 8 SMs from sms' a
    [ "$(value n 1 a)" -eq $((4 * $(value n 2 a))) ]
    [ "$(value n 3 a)" -eq $((3 * $(value n 2 a))) ]
    # The sides of the model itself change nothing, whichever one SM 0 is on.
    sed 's/^sm_split.*/sm_runs 3 5/' "$L2TOOLS_SHARE/devices/tiny.dev" >my.dev
    printf 'sm\tside\n0\t0\n1\t0\n2\t0\n3\t1\n4\t1\n5\t1\n6\t1\n7\t1\n' >sms
    l2predict -m my.dev random,size=100K,sms=8 | body - >a
    l2predict -m my.dev -S sms random,size=100K,sms=8 | body - >b
    cmp a b
    l2predict -m v100 -S sms cyclic,size=40K,sms=8 >a
    [ "$(body a | wc -l)" -eq 2 ]
}

@test "a table of SMs that fits no chip" {
    printf 'sm\tside\n0\t0\n1\t2\n' >sms
    not l2predict -m tiny -S sms cyclic 2>err
    grep -qx "l2predict: sms:3: column side: the model has fewer sides: '2'" err
    printf 'sm\tside\n0\t0\n2\t1\n' >sms
    not l2predict -m tiny -S sms cyclic 2>err
    grep -q 'sms:3: column sm: SMs do not follow each other from 0 on' err
    printf 'sm\tside\n' >sms
    not l2predict -m tiny -S sms cyclic 2>err
    grep -qx 'l2predict: sms: no SMs' err
    printf 'a\n1\n' >sms
    not l2predict -m tiny -S sms cyclic 2>err
    grep -q 'no columns sm and side' err
}
