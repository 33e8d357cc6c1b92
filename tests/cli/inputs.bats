#!/usr/bin/env bats
# Every filter on its own kind of archive, in good order and with defects: what tsv.bats tries with l2stat holds for all.
load ../common

# A filter, and the archive of the H200 that it reads.
filters='l2assoc evict
l2band bandwidth
l2copies copies
l2knee latency
l2level latency
l2plot latency
l2policy replace
l2sector sector
l2slice contend
l2stat latency
l2write write'

setup()
{
    cd "$BATS_TEST_TMPDIR" || return 1
}

# each FUNCTION: FUNCTION FILTER, with the filter's archive as in.tsv.
each()
{
    local filter archive
    while read -r filter archive; do
        gzip -dc "$TOP/share/archive/h200/$archive.tsv.gz" >in.tsv
        "$1" "$filter" </dev/null || { echo "$filter: not so"; return 1; }
    done <<<"$filters"
}

# row N 'AWK': in.tsv with the AWK program run on row N of its rows.
row()
{
    awk -v n="$1" "/^#/ { print; next } r++ == n { $2 } { print }" in.tsv
}

@test "every filter of analyze/ that reads archives is in the list" {
    for f in "$TOP"/analyze/l2*.c; do
        case $(basename "$f" .c) in
        l2check | l2diff | l2predict | l2verdict) ;; # folders, patterns, findings: their own tests
        *) grep -q "^$(basename "$f" .c) " <<<"$filters" || { basename "$f"; return 1; } ;;
        esac
    done
}

no_file() { fails 1 "$1: nowhere.tsv: No such file or directory" "$1" nowhere.tsv; }
@test "missing file" { each no_file; }

directory() { fails 1 "$1: .: Is a directory" "$1" .; }
@test "directory" { each directory; }

empty() { : >empty.tsv && fails 1 "$1: empty.tsv: no header row: the input is empty" "$1" empty.tsv; }
@test "empty" { each empty; }

# A table without rows is no crash and no finding out of nothing: nothing, or a word about it.
header_only()
{
    local status=0
    { grep '^#' in.tsv | grep -v '^#end'; grep -v '^#' in.tsv | head -n 1; echo '#end rows=0 status=ok'; } >head.tsv
    "$1" head.tsv >out 2>err || status=$?
    [ "$status" -le 1 ]
    [ "$status" -eq 0 ] || [ -s err ]
    [ "$(body out | wc -l)" -le 1 ]
}
@test "header only" { each header_only; }

crlf() { sed 's/$/\r/' in.tsv >crlf.tsv && fails 1 'CR LF: convert it with dos2unix' "$1" crlf.tsv; }
@test "CRLF" { each crlf; }

nul() { row 9 'sub(/\t/, "\t\001")' | tr '\001' '\000' >nul.tsv && fails 1 'NUL byte' "$1" nul.tsv; }
@test "NUL" { each nul; }

short() { row 9 'sub(/\t[^\t]*$/, "")' >short.tsv && fails 1 'short row' "$1" short.tsv; }
@test "short row" { each short; }

# The file ends in mid-row: an error that says so.
cut_off()
{
    local status=0
    row 9 'sub(/\t[^\t]*$/, ""); printf "%s", $0; exit' >cut.tsv
    "$1" cut.tsv >out 2>err || status=$?
    cat err
    [ "$status" -eq 1 ]
    grep -q 'may be cut off' err
    not grep -q '^#end.*status=ok' out
}
@test "truncated in a row" { each cut_off; }

# It ends after a row: the same findings, a warning, and the table says that it is incomplete; --strict refuses.
no_end()
{
    "$1" in.tsv 2>/dev/null | body >want
    grep -v '^#end' in.tsv >no_end.tsv
    "$1" no_end.tsv >out 2>err
    grep -q "^$1: warning: no_end.tsv: incomplete: truncated: no #end line" err
    body out | diff -q - want
    fails 1 'truncated: no #end line' "$1" --strict no_end.tsv
}
@test "no #end line" { each no_end; }

# l2policy plays sequences, so it refuses; the others sort for themselves.
shuffled()
{
    "$1" in.tsv 2>/dev/null | body >want
    l2body shuf --random-source=in.tsv <in.tsv >shuffled.tsv
    not cmp -s in.tsv shuffled.tsv
    if [ "$1" = l2policy ]; then
        fails 1 'rows are lost, doubled or not in order' "$1" shuffled.tsv
    else
        "$1" shuffled.tsv 2>/dev/null | body | sort | diff - <(sort want)
    fi
}
@test "shuffled: the same findings, or a refusal" { each shuffled; }

# Twice the samples; a filter may say that they are too many of the same, but it ends in order.
concatenated()
{
    local status=0
    cat in.tsv in.tsv >twice.tsv
    "$1" twice.tsv >out 2>err || status=$?
    [ "$status" -eq 0 ] || { cat err; return 1; }
    tail -n 1 out | grep -q 'status=ok$' || [ "$1" = l2plot ]
}
@test "concatenated" { each concatenated; }

full_disk()
{
    local status=0
    "$1" in.tsv >/dev/full 2>err || status=$?
    [ "$status" -eq 1 ] && grep -qx "$1: stdout: No space left on device" err
}
@test "/dev/full" { each full_disk; }

# The reader has gone before the first line.
closed_pipe()
{
    local status
    status=$({ sleep 0.05; trap - PIPE; "$1" in.tsv 2>err; echo $? >status; } | :; cat status)
    [ "$status" -ne 0 ] && [ "$(grep -vc 'warning: \|: the curve' err)" -eq 0 ]
}
@test "closed pipe: quiet, and no success" { each closed_pipe; }
