#!/usr/bin/env bats
# What every program promises: -h, --version, unknown options, a full disk, whatever it does otherwise.
load ../common

programs()
{
    (cd "$BIN" && ls l2*) 2>/dev/null
}

@test "every program: --version names it" {
    for p in $(programs); do
        [ "$("$p" --version </dev/null | head -n 1 | cut -d ' ' -f 1)" = "$p" ] || { echo "$p"; return 1; }
    done
}
