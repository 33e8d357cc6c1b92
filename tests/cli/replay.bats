# l2collect replay and what l2level makes of it: rows, errors.
load ../common

setup()
{
    cd "$BATS_TEST_TMPDIR" || return 1
}

@test "every access is in the rows, stores too" {
    l2collect -q -d sim:tiny -o run.tsv replay pattern='mixed,size=64K,count=1000;cyclic,size=4K' passes=2
    body run.tsv | awk -F '\t' 'NR > 1 { n[$2] += $8; pass[$6] = 1; op[$5] = 1 }
        END { exit !(n["mixed,size=64K,count=1000"] == 2000 && n["cyclic,size=4K"] == 64 && (0 in pass) && (1 in pass) &&
            !(2 in pass) && ("cg" in op) && ("st" in op)) }'
    grep -q '^#note mixed,size=64K,count=1000: [0-9]* walks$' run.tsv
    tail -n 1 run.tsv | grep -q 'status=ok$'
}

@test "SMs of both sides have rows of their own" {
    l2collect -q -d sim:tiny -o run.tsv replay pattern=random,size=64K,sms=8
    [ "$(body run.tsv | cut -f 3 | sort -u | tr '\n' ' ')" = "8 sms " ]
    [ "$(body run.tsv | cut -f 4 | sort -u | tr '\n' ' ')" = "0 1 side " ]
}

@test "one side: no side but 0, own is all, other an error" {
    l2collect -q -d sim:v100 -o run.tsv replay pattern=cyclic,size=64K,side=own
    [ "$(body run.tsv | cut -f 4 | sort -u | tr '\n' ' ')" = "0 side " ]
    fails 1 "the cache has one side" l2collect -q -d sim:v100 replay pattern=cyclic,side=other
}

@test "patterns and traces that can't be: 1, and why" {
    fails 2 "no such pattern: 'cycle'" l2collect -q -d sim:tiny replay pattern=cycle
    fails 2 "no such parameter: 'sizes=4K'" l2collect -q -d sim:tiny replay pattern=cyclic,sizes=4K
    fails 1 "the device has 8 SMs" l2collect -q -d sim:tiny replay pattern=cyclic,sms=9
    fails 1 "asked, memory has" l2collect -q -d sim:tiny replay pattern=cyclic,size=1G
    printf 'offset\tsm\n0\t9\n' >t.tsv
    fails 1 "SM 9: there are 8" l2collect -q -d sim:tiny replay trace=t.tsv
    fails 1 "no-such.tsv" l2collect -q -d sim:tiny replay trace=no-such.tsv
    fails 2 "passes: not between 1 and" l2collect -q -d sim:tiny replay passes=0
}

@test "a device that fails: the end says why" {
    sed '$a fail_after 200' "$L2TOOLS_SHARE/devices/tiny.dev" >my.dev
    fails 1 "simulated failure" l2collect -q -d sim:./my.dev -o run.tsv replay pattern=random,sms=8,chunk=8
    tail -n 1 run.tsv | grep -q 'status=error: '
}

@test "l2level: a replay needs latency rows beside it" {
    l2collect -q -d sim:tiny -o run.tsv replay pattern=cyclic,size=4K
    fails 1 "no rows with timing=each; a replay needs latency rows" l2level run.tsv
    l2collect -q -d sim:tiny -o levels.tsv latency size=20K:1M:4 passes=1 hops=1024
    l2level levels.tsv run.tsv >a
    l2level run.tsv levels.tsv >b
    cmp <(body a) <(body b)
    body a | grep -q "^replay	cyclic,size=4K	all	32	0	1	0	0	0	1	"
    l2collect -q -d sim:tiny latency size=20K:1M:4 passes=1 hops=1024 replay pattern=cyclic,size=4K |
        l2level | grep -q "^replay	cyclic,size=4K	all	32	0	1	"
}
