#!/bin/sh
# index.sh PARTS SECOND SECTION...: the page, from the parts that report.mk has made. SECOND is the folder of the other
# run's report, or empty.
set -eu
here=$(dirname "$0")
parts=$1 second=$2
shift 2

# shellcheck source=share/report/common.sh
. "$here/common.sh"

# The files of all archives that end in a suffix and are not empty.
files()
{
    suffix=$1
    shift
    for s; do
        for f in "$parts/$s."$suffix; do
            [ ! -s "$f" ] || echo "$f"
        done
    done
}

# verdict ARG...: rows of the verdict's table.
verdict()
{
    if [ -n "$second" ]; then
        run_awk verdict.awk -v archives="$sections" -v second="$second/parts/verdict.tsv" -v diff="$parts/diff.tsv" "$@" \
            "$parts/diff.tsv" "$parts/verdict.tsv" "$second/parts/verdict.tsv" /dev/null
    else
        run_awk verdict.awk -v archives="$sections" "$@" "$parts/verdict.tsv" /dev/null
    fi
}

found()
{
    echo '<section id=found><h2>What was found</h2>'
    rows=$(verdict -v what=table)
    [ -s "$parts/verdict.tsv" ] || [ ! -s "$parts/verdict.tsv.err" ] ||
        echo "<p class=missing>No verdict: $(run_awk escape.awk <"$parts/verdict.tsv.err")</p>"
    if [ -n "$second" ]; then
        echo '<div class=wide><table class=findings><tr><th>what<th>first<th>second<th>difference</tr>'
    else
        echo '<div class=wide><table class=findings><tr><th>what<th>value<th>interval<th>by<th>the driver says</tr>'
    fi
    echo "${rows:-<tr><td colspan=5>nothing: the archives hold no experiment that a filter concludes from</tr>}"
    echo '</table></div>'
    verdict -v what=missing
    echo '<p class=small>agree: two methods or more support the value, none contradicts. single: one method. disagree:'
    echo 'methods contradict, every value stands there. open: measured, not decided.</p></section>'
}

troubles()
{
    if [ -s "$parts/troubles.tsv" ]; then
        rows=$(run_awk troubles.awk "$parts/troubles.tsv")
        [ -z "$rows" ] || echo "<section id=troubles><h2>Troubles in the data</h2>$rows</section>"
    fi
    warnings=$(run_awk provenance.awk -v what=warnings "$@" /dev/null)
    [ -z "$warnings" ] || echo "<section id=warnings><h2>Warnings</h2>$warnings</section>"
}

differences()
{
    echo '<section id=differences><h2>What differs</h2>'
    run_awk provenance.awk -v what=notes "$parts/diff.tsv" | grep 'first and second' || :
    [ ! -s "$parts/diff.tsv.err" ] || echo "<ul class=list>$(run_awk escape.awk <"$parts/diff.tsv.err" | sed 's/.*/<li>&/')</ul>"
    [ ! -s "$parts/diff.svg" ] || figure "$parts/diff.svg" 'Shifts of the second against the first, with their intervals.'
    rows=$(run_awk diff.awk "$parts/diff.tsv")
    [ -z "$rows" ] || echo "<details class=numbers><summary>points that differ</summary><div class=wide><table>$rows</table></div></details>"
    echo '</section>'
}

# The two sections of one archive side by side; those of the second have names of their own.
both()
{
    echo '<div class=pair><div class=half>'
    [ ! -s "$parts/$1.html" ] || cat "$parts/$1.html"
    echo '</div><div class=half>'
    [ ! -s "$second/parts/$1.html" ] || sed "s/^<section id=\"/&second-/" "$second/parts/$1.html"
    echo '</div></div>'
}

provenance()
{
    echo '<div class=wide><table>'
    echo '<tr><th>archive<th>device<th>time<th>SM clock, MHz<th>temperature<th>locked<th>other processes<th>simulated<th>end</tr>'
    run_awk provenance.awk -v what=overview "$@" /dev/null
    echo '</table></div>'
    run_awk provenance.awk -v what=all "$@" /dev/null
}

sections=$*
# Names of archives hold no blanks.
# shellcheck disable=SC2046,SC2086
{
    provs=$(files prov "$@")
    all=$provs
    [ -z "$second" ] || all="$provs $(for f in "$second"/parts/*.prov; do [ ! -s "$f" ] || echo "$f"; done)"
    device=$(run_awk provenance.awk -v what=device $provs /dev/null)
    [ -z "$second" ] || device="$device and $(run_awk provenance.awk -v what=device "$second"/parts/*.prov /dev/null)"
    simulated=$(run_awk provenance.awk -v what=simulated $all /dev/null)
    printf '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    echo "<title>${simulated:+SIMULATED: }L2 of $device</title>"
    cat "$here/head.html"
    echo "<body class=\"${simulated:+sim}${second:+ two}\">"
    [ -z "$simulated" ] || echo "<div class=banner role=alert>SIMULATED: nothing here was measured on a chip</div>"
    echo "<main><h1>The L2 cache of $device</h1>"
    found
    [ -z "$second" ] || differences
    troubles $provs $(files '*.err' "$@" found verdict)
    if [ -z "$second" ]; then
        for s; do cat "$parts/$s.html"; done
    else
        awk '!seen[$0]++' "$parts/order" "$second/parts/order" | while read -r s; do both "$s"; done
    fi
    echo '<section id=provenance><h2>Where the data come from</h2>'
    provenance $provs
    [ -z "$second" ] || { echo '<h3>second</h3>' && provenance "$second"/parts/*.prov; }
    echo '</section></main></body></html>'
}
