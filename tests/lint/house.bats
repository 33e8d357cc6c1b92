#!/usr/bin/env bats
# The rules of the house that a program can check, on the tracked files (without git, or in no checkout, on all that is not
# built).
load ../common

setup()
{
    cd "$TOP" || return 1
}

files()
{
    { git ls-files --cached --others --exclude-standard -- "$@" 2>/dev/null || unbuilt "$@"; } |
        while read -r f; do [ -f "$f" ] && echo "$f"; done
}

# Everything that matches but programs (ELF), what is made beside the tree, and git's own.
unbuilt()
{
    find . \( -name .git -o -path ./build -o -path ./report \) -prune -o -type f -path "./${1:-*}" -print | cut -c 3- |
        while read -r f; do head -c 4 "$f" | grep -q ELF || echo "$f"; done
}

# none 'WHAT': stdin must be empty.
none()
{
    local found
    found=$(cat)
    [ -z "$found" ] || { echo "$1:"; echo "$found"; return 1; }
}

# includes FOLDER 'ALLOWED' : the quoted includes of a folder's C files that match neither a plain name nor ALLOWED.
includes()
{
    grep -HnE '^#include "' "$1"/*.[ch] "$1"/*.cu 2>/dev/null | grep -vE "\"($2|[a-z0-9_]+\.(h|cuh))\"" || true
}

@test "include law: collect and analyze know share/lib, share/lib itself, kernels abi.h" {
    {
        includes analyze '\.\./share/lib/[a-z0-9_]+\.h'
        includes collect '\.\./share/lib/[a-z0-9_]+\.h|\.\./kernels/(abi|tip|launch)\.h'
        includes share/lib 'none'
        includes kernels 'none'
    } | none 'includes against the law'
}

@test "include law: only l2*.c have main and touch argv, stdin, stdout" {
    files 'analyze/*.c' 'collect/*.c' | grep -vE '/l2[a-z]+\.c$' |
        xargs -r grep -nE '\bmain\(|\bargv\b|(^|[^/])\b(stdin|stdout)\b' | none 'not a program'
}

@test "include law: only collect/cuda*.c and kernels know CUDA" {
    files 'analyze/*.[ch]' 'collect/*.[ch]' 'share/lib/*.[ch]' | grep -vE '^collect/(cuda|nvml)' |
        xargs -r grep -nE '#include <(cuda|nvml)|\bcu[A-Z][a-z]+[A-Z][A-Za-z]*\(|\bCU[a-z]+\b' | none 'knows CUDA'
}

@test "include law: only analyze knows GSL, and its programs turn the handler off" {
    files 'collect/*.[ch]' 'share/lib/*.[ch]' | xargs -r grep -n 'gsl_' | none 'knows GSL'
    for f in analyze/l2*.c; do
        [ -e "$f" ] && grep -l '#include <gsl' "$f" | xargs -r grep -L 'gsl_set_error_handler_off'
    done | none 'gsl_set_error_handler_off() is missing'
}

@test "sizes: files under 500 lines, shared headers under 100" {
    files '*.c' '*.h' '*.cu' '*.bats' 'bin/*' | xargs wc -l | awk '$1 > 500 && $2 != "total"' | none 'over 500 lines'
    files 'share/lib/*.h' | xargs wc -l | awk '$1 > 100 && $2 != "total"' | none 'over 100 lines'
}

# In this format a function's braces stand alone in the first column.
function_lengths()
{
    files '*.c' | xargs awk '
        FNR == 1 { last = "" }
        /^\{$/ { from = FNR; name = last }
        /^\}$/ && from { print FNR - from + 1, FILENAME ":" from, name; from = 0 }
        /^[a-zA-Z_].*\(/ { last = $0 }'
}

@test "sizes: no function over 80 lines, no main over 60, four of five within 30" {
    function_lengths | awk '$1 > 80 || ($1 > 60 && /int main\(/)' | none 'too long'
    function_lengths | awk '{ n++; short += $1 <= 30 } END { printf "%d of %d within 30\n", short, n; exit short < 0.8 * n }'
}

@test "words: no path or document of the machine it was made on" {
    files | grep -vE '^LICENSE$|\.gz$|\.png$|^tests/lint/house\.bats$' | xargs grep -InE \
        '/work/|/tmp/(l2|wt)/|/home/[a-z]|\bshared/(h200|STYLE|cases/)|(FIELD-NOTES|ASKS|PEERS|DESIGN|STYLE)(\.md| [0-9§]|\b *section)' |
        none 'local paths or documents'
}

@test "shell: every script says which shell, and bin/ is executable" {
    files 'bin/*' | while read -r f; do
        head -n 1 "$f" | grep -qE '^#!/bin/(sh|bash)$|^#!/usr/bin/env bash$' || echo "$f: no #! line"
        [ -x "$f" ] || echo "$f: not executable"
    done | none 'scripts'
}

@test "man: pages are clean by mandoc" {
    files 'man/*' | xargs -r mandoc -Tlint -W warning
}

@test "man: every program and script has a page with all sections, and every page a program" {
    {
        (cd "$BIN" && ls l2*) 2>/dev/null
        files 'bin/l2*' | sed 's,bin/,,'
    } | sort -u | while read -r p; do
        [ -f "man/$p.1" ] || { echo "man/$p.1"; continue; }
        for s in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' EXAMPLES 'SEE ALSO' CAVEATS; do
            grep -q "^\.Sh $s\$" "man/$p.1" || echo "man/$p.1: no $s"
        done
    done | none 'missing in man pages'
}

@test "tests: every program has a .bats file" {
    {
        (cd "$BIN" && ls l2*) 2>/dev/null
        files 'bin/l2*' | sed 's,bin/,,'
    } | sort -u | while read -r p; do
        compgen -G "tests/*/${p#l2}*.bats" >/dev/null || compgen -G "tests/*/$p*.bats" >/dev/null || echo "$p"
    done | none 'programs without a test'
}

@test "without git the same files are looked at" {
    files | grep -v '^tests/data/' | sort >"$BATS_TEST_TMPDIR/with"
    git() { return 1; }
    files | grep -v '^tests/data/' | sort >"$BATS_TEST_TMPDIR/without"
    [ -s "$BATS_TEST_TMPDIR/with" ]
    comm -23 "$BATS_TEST_TMPDIR/with" "$BATS_TEST_TMPDIR/without" | none 'only with git'
    comm -13 "$BATS_TEST_TMPDIR/with" "$BATS_TEST_TMPDIR/without" | grep '^bin/' | none 'built programs'
}
