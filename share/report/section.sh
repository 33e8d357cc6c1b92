#!/bin/sh
# section.sh NAME TEXT PROV VERDICT "ARCHIVE..." PART...: the section of one archive as HTML: what TEXT says, a card for each
# parameter that stands here, the parts, the commands. An empty part is one that failed: its message stands there.
set -eu
here=$(dirname "$0")
name=$1 text=$2 prov=$3 verdict=$4 archives=$5
shift 5

# shellcheck source=share/report/common.sh
. "$here/common.sh"

caption_of()
{
    sed -n "s/^$1 //p" "$text"
}

findings()
{
    rows=$(run_awk findings.awk "$1")
    [ -n "$rows" ] || return 0
    echo '<details class=numbers><summary>numbers</summary><div class=wide><table class=findings>'
    echo '<tr><th>what<th>value<th>interval<th>by<th>note</tr>'
    echo "$rows</table></div></details>"
}

table()
{
    echo '<div class=wide><table class=plain>'
    run_awk table.awk "$1"
    echo '</table></div>'
}

echo "<section id=\"$name\"><h2>$(caption_of title)<small> $name</small></h2>"
echo "<p>$(caption_of text)</p>"
run_awk provenance.awk -v what=notes "$@" /dev/null
cards=$(run_awk verdict.awk -v what=card -v here="$name" -v archives="$archives" "$verdict" /dev/null)
[ -z "$cards" ] || echo "<div class=cards>$cards</div>"
for part; do
    if [ ! -s "$part" ]; then
        [ ! -s "$part.err" ] || echo "<p class=missing>Missing: $(run_awk escape.awk <"$part.err")</p>"
        continue
    fi
    case $part in
    */found.*) ;; # in the cards
    *.table.tsv) table "$part" ;;
    *.svg) figure "$part" "$(caption_of "${part##*"$name".}")" ;;
    *.tsv) findings "$part" ;;
    esac
done
echo '<details class=commands><summary>commands</summary><pre>'
for part in "$prov" "$@"; do
    grep -h '^#by ' "$part" 2>/dev/null || :
    [ ! -s "${part%.svg}.gp.by" ] || cat "${part%.svg}.gp.by"
done | run_awk commands.awk
echo '</pre></details></section>'
