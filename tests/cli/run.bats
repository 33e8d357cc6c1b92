#!/usr/bin/env bats
# What every program promises, whatever it does otherwise.
load ../common

# Built programs, and with them the shell commands of bin/.
programs()
{
    (cd "$BIN" && for f in l2*; do [ "$(head -c 2 "$f" | tr -d '\0')" = '#!' ] || echo "$f"; done)
}

commands()
{
    {
        programs
        (cd "$TOP/bin" && grep -Il '^#!' l2*)
    } | sort -u
}

@test "there are programs" {
    [ "$(programs | wc -l)" -ge 4 ]
}

@test "-h: usage on stdout, exit 0" {
    for p in $(commands); do
        "$p" -h >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" </dev/null || { echo "$p: not 0"; return 1; }
        head -n 1 "$BATS_TEST_TMPDIR/out" | grep -q "^usage: .*$p" || { echo "$p: no usage"; return 1; }
        [ ! -s "$BATS_TEST_TMPDIR/err" ]
    done
}

@test "--version: name and version" {
    for p in $(programs); do
        "$p" --version </dev/null | head -n 1 | grep -qE "^$p \(l2tools\) [0-9]+\.[0-9]+\.[0-9]+$" || { echo "$p"; return 1; }
    done
}

@test "an unknown option: exit 2, nothing on stdout, usage on stderr" {
    for p in $(commands); do
        status=0
        "$p" --no-such-option >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" </dev/null || status=$?
        [ "$status" -eq 2 ] || { echo "$p: status $status"; return 1; }
        [ ! -s "$BATS_TEST_TMPDIR/out" ] || { echo "$p: stdout"; return 1; }
        grep -q usage "$BATS_TEST_TMPDIR/err" || { echo "$p: no usage"; return 1; }
    done
}

@test "a full disk: exit 1" {
    for p in $(programs); do
        status=0
        "$p" -h 2>"$BATS_TEST_TMPDIR/err" >/dev/full </dev/null || status=$?
        [ "$status" -eq 1 ] || { echo "$p: status $status"; return 1; }
        grep -qx "$p: stdout: No space left on device" "$BATS_TEST_TMPDIR/err"
    done
}

@test "every option that -h lists is in the manual page" {
    for p in $(programs); do
        "$p" -h </dev/null | grep -oE '^ +(-[a-zA-Z], )? *--[a-z-]+' | grep -vE -- '--(help|version)' |
            while read -r a b; do
                for o in ${a%,} $b; do
                    grep -qE -- "Fl ([A-Za-z ,|]*)${o#-}( |,|$)" "$TOP/man/$p.1" || echo "man/$p.1: $o"
                done
            done
    done >"$BATS_TEST_TMPDIR/missing"
    cat "$BATS_TEST_TMPDIR/missing"
    [ ! -s "$BATS_TEST_TMPDIR/missing" ]
}
