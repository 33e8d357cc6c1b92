#!/bin/sh
# markdown.sh PARTS SECTION...: the report as Markdown, with links to the pictures in PARTS.
set -eu
here=$(dirname "$0")
parts=$1
shift

# shellcheck source=share/report/common.sh
. "$here/common.sh"

text_of()
{
    for t in "$here/$1.txt" "$here/${1%%[-_]*}.txt" "$here/other.txt"; do
        [ ! -f "$t" ] || break
    done
    echo "$t"
}

# shellcheck disable=SC2046 # names of archives hold no blanks
section()
{
    text=$(text_of "$1")
    printf '\n## %s (%s)\n\n%s\n\n' "$(sed -n 's/^title //p' "$text")" "$1" "$(sed -n 's/^text //p' "$text")"
    run_awk verdict.awk -v what=card -v md=1 -v here="$1" -v archives="$sections" "$parts/verdict.tsv" /dev/null
    sed -nE 's/^([a-z]+)\.svg (.*)/\1 \2/p' "$text" | while read -r kind caption; do
        [ ! -s "$parts/$1.$kind.svg" ] || printf '\n![%s](parts/%s.%s.svg)\n' "$caption" "$1" "$kind"
    done
    printf '\n'
    { grep -hs '^#by ' "$parts/$1.prov" "$parts/$1".*.tsv $(grep -ls "[/ ]$1\.tsv" "$parts"/found.*.tsv) || :; cat "$parts/$1".*.gp.by 2>/dev/null || :; } |
        run_awk commands.awk | sed 's/^/    /'
}

sections=$*
provs=$(for s; do [ ! -s "$parts/$s.prov" ] || echo "$parts/$s.prov"; done)
# Names of archives hold no blanks.
# shellcheck disable=SC2086
{
    device=$(run_awk provenance.awk -v what=device -v md=1 $provs /dev/null)
    printf '# The L2 cache of %s\n\n' "$device"
    [ -z "$(run_awk provenance.awk -v what=simulated $provs /dev/null)" ] ||
        printf '**SIMULATED: nothing here was measured on a chip.**\n\n'
    cat "$parts/verdict.md"
    for s; do section "$s"; done
    printf '\n## Where the data come from\n\n'
    run_awk provenance.awk -v what=lines -v md=1 $provs /dev/null
}
