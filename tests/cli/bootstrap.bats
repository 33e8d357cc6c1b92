#!/usr/bin/env bats
# bin/bootstrap on machines made up here: a PATH of its own, with package managers, sudo, a compiler and make that write down
# how they were called. What a package manager "installs" is there afterwards.
load ../common

setup()
{
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir -p tree/bin world
    cp "$TOP/bin/bootstrap" tree/bin/
    for tool in sh dirname id awk tr tail cat grep env; do
        ln -s "$(command -v $tool)" world/
    done
    fake nproc 'echo 3'
    fake locale 'exit 0'
    fake make 'echo "make $*" >>"$HERE/log"'
    # Headers are there once something was installed.
    fake cc 'cat >/dev/null; [ -e "$HERE/installed" ]'
}

# fake NAME 'SCRIPT': a command of the made-up machine.
fake()
{
    printf '#!%s\nHERE=%s\n%s\n' "$(command -v sh)" "$BATS_TEST_TMPDIR" "$2" >"world/$1"
    chmod +x "world/$1"
}

# manager NAME: one that installs.
manager()
{
    fake "$1" 'echo "${0##*/} $*" >>"$HERE/log"
        for c in gnuplot bats mandoc diff gzip; do echo "#!/bin/sh" >"$HERE/world/$c"; chmod +x "$HERE/world/$c"; done
        : >"$HERE/installed"'
    command -v chmod >/dev/null && ln -sf "$(command -v chmod)" world/
}

bootstrap()
{
    PATH=$PWD/world sh tree/bin/bootstrap "$@"
}

# The probe for a German locale looks at the real machine.
german()
{
    [ -e /usr/share/i18n/locales/de_DE ] || echo " $1"
}

@test "bootstrap on Fedora: dnf, once, by Fedora's names" {
    manager dnf
    bootstrap check report >out
    cat log out
    grep -qxF "dnf install -q -y gcc glibc-devel gsl-devel gzip gnuplot bats libcmocka-devel mandoc diffutils$(german glibc-langpack-de)" log
    grep -qF 'bootstrap: installing gcc glibc-devel gsl-devel' out
    [ "$(grep -c '^dnf' log)" -eq 1 ]
    [ "$(tail -n 2 log | head -n 1)" = 'make -s -j 3 all' ]
    [ "$(tail -n 1 log)" = 'make check report' ]
}

@test "bootstrap on Arch: pacman, by Arch's names" {
    manager pacman
    bootstrap check lint >out || true
    cat log out
    grep -qxE "pacman -Sy --noconfirm --needed gcc gsl gzip gnuplot bats cmocka mandoc diffutils( glibc)? shellcheck cppcheck clang" log
    grep -qF 'bootstrap: installing gcc gsl gzip' out
}

@test "bootstrap on Debian: apt-get comes first where there are several" {
    manager apt-get
    manager dnf
    bootstrap report >out
    cat log
    grep -qx 'apt-get update -q' log
    grep -qx 'apt-get install -q -y --no-install-recommends gcc libc6-dev libgsl-dev gzip gnuplot-nox' log
    not grep -q dnf log
    grep -q 'make report' log
}

@test "bootstrap with nothing missing: no package manager, no word about it" {
    manager dnf
    world/dnf
    : >log
    bootstrap check >out 2>&1
    cat log out
    not grep -q dnf log
    not grep -q install out
    [ "$(cat log)" = "$(printf 'make -s -j 3 all\nmake check')" ]
}

@test "bootstrap passes variables to both makes, and goals to the second" {
    manager dnf
    world/dnf
    : >log
    bootstrap nvcc=no check -k >out 2>&1
    [ "$(cat log)" = "$(printf 'make -s -j 3 nvcc=no all\nmake nvcc=no check -k')" ]
}

@test "bootstrap without root: by sudo; without sudo it names the packages" {
    rm world/id
    fake id 'echo 1000'
    manager dnf
    fails 1 'no sudo: ask for these packages: gcc glibc-devel gsl-devel gzip gnuplot' bootstrap report
    [ ! -e log ]
    fake sudo 'echo "sudo $*" >>"$HERE/log"; "$@"'
    bootstrap report
    grep -qE '^sudo dnf install -q -y gcc' log
}

@test "bootstrap says what failed, and what is missing still" {
    fake dnf 'echo "Error: no mirror answers"; exit 1'
    status=0
    bootstrap all >out 2>err || status=$?
    cat err
    [ "$status" -eq 1 ]
    grep -q 'Error: no mirror answers' err
    grep -q 'bootstrap: failed: dnf install' err
    [ ! -e log ]
    fake dnf 'exit 0'
    fails 1 'still missing after installing: gcc glibc-devel' bootstrap all
    rm world/dnf
    fails 1 'no apt-get, dnf or pacman here: install what Debian calls gcc' bootstrap all
}
