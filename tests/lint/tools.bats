#!/usr/bin/env bats
# What other people's checkers say about the sources; run by `make lint`.
load ../common

setup()
{
    cd "$TOP" || return 1
}

needs()
{
    command -v "$1" >/dev/null || skip "no $1: bin/bootstrap lint installs it"
}

sources()
{
    ls share/lib/*.c collect/*.c analyze/*.c tests/unit/*.c tests/fuzz/*.c 2>/dev/null
}

@test "shellcheck: scripts" {
    needs shellcheck
    # shellcheck disable=SC2046
    shellcheck -x $(grep -IlE '^#!/bin/(sh|bash)|^#!/usr/bin/env bash' bin/* tests/run .ci/run share/*/*.sh 2>/dev/null)
}

@test "shellcheck: tests" {
    needs shellcheck
    # Tests read variables that tests/run and bats set; ls | grep is good enough there.
    shellcheck -s bash -e SC1091,SC2154,SC2030,SC2031,SC2012,SC2016,SC2002,SC2317,SC2086 tests/*.bash
    shellcheck -e SC1091,SC2154,SC2030,SC2031,SC2012,SC2016,SC2002,SC2317,SC2086,SC2238 tests/*/*.bats
}

@test "clang-format: the style of .clang-format" {
    needs clang-format
    # shellcheck disable=SC2046
    clang-format --dry-run -Werror $(sources) $(ls share/lib/*.h collect/*.h analyze/*.h kernels/*.h 2>/dev/null)
}

@test "cppcheck: no warning" {
    needs cppcheck
    # shellcheck disable=SC2046
    cppcheck -q -j 2 --std=c11 --enable=warning,performance,portability --inline-suppr --error-exitcode=1 \
        --suppress=missingIncludeSystem --suppress=objectIndex -D_GNU_SOURCE $(ls share/lib/*.c collect/*.c analyze/*.c)
}

@test "clang-tidy: the checks of .clang-tidy" {
    needs clang-tidy
    # A bound on the analyser's work: a second a file, not ten.
    printf '%s\n' share/lib/*.c collect/*.c analyze/*.c | xargs -P 2 -n 4 bash -c 'clang-tidy --quiet --warnings-as-errors="*" \
        --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=15000 \
        "$@" -- -std=c11 -D_GNU_SOURCE 2>&1 | grep -v "^[0-9]* warnings\{0,1\} generated"; exit "${PIPESTATUS[0]}"' tidy
}
