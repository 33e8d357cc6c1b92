#!/bin/sh
# index.sh PARTS FINDINGS SECTION...: the page, from the parts that report.mk has made.
set -eu
here=$(dirname "$0")
parts=$1 findings=$2
shift 2

run_awk()
{
    program=$1
    shift
    LC_ALL=C awk -f "$here/html.awk" -f "$here/$program" "$@"
}

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

# shellcheck disable=SC2046,SC2086 # names of archives hold no blanks
{
    provs=$(files prov "$@")
    device=$(run_awk provenance.awk -v what=device $provs /dev/null)
    simulated=$(run_awk provenance.awk -v what=simulated $provs /dev/null)
    printf '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    echo "<title>${simulated:+SIMULATED: }L2 of $device</title>"
    cat "$here/head.html"
    echo "<body${simulated:+ class=sim}>"
    [ -z "$simulated" ] || echo "<div class=banner role=alert>SIMULATED: nothing here was measured on a chip</div>"
    echo "<main><h1>The L2 cache of $device</h1>"
    run_awk provenance.awk -v what=notes $(files '*.tsv' "$@") /dev/null
    echo '<section id=found><h2>What was found</h2><div class=wide>'
    echo '<table class=findings><tr><th>what<th>value<th>interval<th>by<th>note</tr>'
    found=
    for f in $findings; do [ ! -s "$f" ] || found="$found $f"; done
    rows=$(run_awk findings.awk $found /dev/null)
    echo "${rows:-<tr><td colspan=5>nothing: the archives hold no experiment that a filter concludes from</tr>}"
    echo '</table></div></section>'
    warnings=$(run_awk provenance.awk -v what=warnings $provs $(files '*.err' "$@") /dev/null)
    [ -z "$warnings" ] || echo "<section id=warnings><h2>Warnings</h2>$warnings</section>"
    for s; do cat "$parts/$s.html"; done
    echo '<section id=provenance><h2>Where the data come from</h2><div class=wide><table>'
    echo '<tr><th>archive<th>device<th>time<th>SM clock, MHz<th>temperature<th>locked<th>other processes<th>simulated<th>end</tr>'
    run_awk provenance.awk -v what=overview $provs /dev/null
    echo '</table></div>'
    run_awk provenance.awk -v what=all $provs /dev/null
    echo '</section></main></body></html>'
}
