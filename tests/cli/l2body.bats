#!/usr/bin/env bats
# l2body: rows to a command, everything else in place.
load ../common

setup()
{
    printf '#l2tsv 1\n#device x\nexp\tsize\tcycles\nl\t3\t5\nl\t1\t7\nl\t2\t9\n#clock_after 3\n#end rows=3 status=ok\n' \
        >"$BATS_TEST_TMPDIR/in"
    cd "$BATS_TEST_TMPDIR" || return 1
}

@test "sorts the rows, and only those" {
    [ "$(l2body sort -k2n <in)" = '#l2tsv 1
#device x
#by l2body 0.1.0: l2body sort -k2n
exp	size	cycles
l	1	7
l	2	9
l	3	5
#clock_after 3
#end rows=3 status=ok' ]
}

@test "counts what the command printed; a command that stops reading loses nothing" {
    [ "$(l2body head -n 1 <in | tail -n 3)" = 'l	3	5
#clock_after 3
#end rows=1 status=ok' ]
    awk 'BEGIN { print "#l2tsv 1\na"; for (i = 0; i < 200000; i++) print i; print "#late 1\n#end rows=200000 status=ok" }' >long
    [ "$(l2body head -n 1 <long | tail -n 2)" = '#late 1
#end rows=1 status=ok' ]
    l2body true <in | grep -q '^#end rows=0 status=ok$'
    [ "$(l2body echo early <in | sed -n 5p)" = early ]
}

@test "the command's failure is the exit status, and in the #end line" {
    run l2body sh -c 'cat; exit 7' <in
    [ "$status" -eq 7 ]
    [ "${lines[-1]}" = '#end rows=3 status=error: l2body: sh: exit status 7' ]
    run l2body no-such-command <in
    [ "$status" -eq 127 ]
}

@test "words of the command are quoted in #by" {
    l2body awk '$2 > 1' <in >out
    grep -qxF "#by l2body 0.1.0: l2body awk '\$2 > 1'" out
    grep -q '^#end rows=2 status=ok$' out
}

@test "concatenated tables merge; different headers and no header fail" {
    cat in in | l2body sort -k2n >out
    [ "$(grep -c '^#' out)" -eq 5 ]
    [ "$(body out | cut -f 2 | xargs)" = 'size 1 1 2 2 3 3' ]
    grep -q '^#end rows=6 status=ok$' out
    cut -f 1,2 in >other
    status=0
    cat in other | l2body cat >out 2>err || status=$?
    [ "$status" -eq 1 ]
    grep -q '^l2body: line 11: its columns differ' err
    status=0
    l2body cat </dev/null >out 2>err || status=$?
    [ "$status" -eq 1 ]
    grep -q '^l2body: no header row' err
}

@test "an incomplete table stays incomplete, a plain one plain" {
    head -n 5 in | l2body cat >out
    [ "$(grep -c '^#end' out)" -eq 0 ]
    sed 's/status=ok/status=interrupted/' in | l2body cat | tail -n 1 | grep -qx '#end rows=3 status=interrupted'
    [ "$(printf 'a\n2\n1\n' | l2body sort)" = 'a
1
2' ]
}

@test "what it prints, l2stat reads without a word" {
    [ "$(l2body sort -k3n <in | l2stat -g exp 2>&1 | body - | cut -f 1,2 | tail -n 1)" = 'l	3' ]
}

@test "usage, full disk, nothing left behind" {
    fails 2 "usage: l2body" l2body
    fails 2 "usage: l2body" l2body -z
    mkdir tmp
    status=0
    TMPDIR=$PWD/tmp l2body cat <in >/dev/full 2>err || status=$?
    [ "$status" -eq 1 ]
    [ -z "$(ls tmp)" ]
}
