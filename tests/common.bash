# What .bats files share: `load ../common`. (A file under tests/cli, tests/truth and so on.)

# same NAME: stdin must equal tests/data/NAME; the output that does not is kept beside it as NAME.got.
same()
{
    cat >"$BATS_TEST_TMPDIR/got"
    if ! diff -u "$DATA/$1" "$BATS_TEST_TMPDIR/got"; then
        cp "$BATS_TEST_TMPDIR/got" "$DATA/$1.got"
        return 1
    fi
    rm -f "$DATA/$1.got"
}

# fails STATUS 'TEXT' CMD...: the command ends with this status and one line on stderr that holds TEXT, nothing on stdout
# but '#' lines and rows written before the error.
fails()
{
    local want=$1 text=$2 status=0
    shift 2
    "$@" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" || status=$?
    cat "$BATS_TEST_TMPDIR/err"
    [ "$status" -eq "$want" ] || { echo "status $status, expected $want"; return 1; }
    [ "$(grep -vc 'warning: ' "$BATS_TEST_TMPDIR/err")" -eq 1 ] || [ "$want" -eq 2 ] || { echo "not one line"; return 1; }
    grep -qF -- "$text" "$BATS_TEST_TMPDIR/err" || { echo "stderr has no '$text'"; return 1; }
}

# body FILE...: header and rows without the '#' lines, which hold times and versions.
body()
{
    grep -hv '^#' "$@"
}

# not CMD...: the command fails. (A line that begins with ! never fails a test.)
not()
{
    if "$@"; then
        return 1
    fi
}

# chip 'KEY VALUE'...: my.dev, the tiny chip with some keys changed.
chip()
{
    cp "$L2TOOLS_SHARE/devices/tiny.dev" my.dev
    for pair; do
        sed -i "/^${pair%% *} /d" my.dev
        echo "$pair" >>my.dev
    done
}
