#!/bin/sh
# section.sh NAME TEXT PROV PART...: the section of one archive as HTML. TEXT holds lines "title T", "text T" and, for parts
# by the end of their names, "curve.svg CAPTION". An empty part is one that failed: its message stands there.
set -eu
here=$(dirname "$0")
name=$1 text=$2 prov=$3
shift 3

run_awk()
{
    program=$1
    shift
    LC_ALL=C awk -f "$here/html.awk" -f "$here/$program" "$@"
}

escape()
{
    LC_ALL=C awk -f "$here/html.awk" -f "$here/escape.awk"
}

caption_of()
{
    sed -n "s/^$1 //p" "$text"
}

figure()
{
    caption=$(caption_of "${1##*"$name".}")
    printf '<figure><div class=wide><img alt="%s" src="data:image/svg+xml;base64,' "$caption"
    base64 "$1" | tr -d '\n'
    printf '"></div><figcaption>%s</figcaption></figure>\n' "$caption"
}

findings()
{
    [ -n "$(grep -v '^#' "$1" | sed -n 2p)" ] || return 0
    echo '<div class=wide><table class=findings><tr><th>what<th>value<th>interval<th>by<th>note</tr>'
    run_awk findings.awk "$1"
    echo '</table></div>'
}

echo "<section id=\"$name\"><h2>$(caption_of title)<small> $name</small></h2>"
echo "<p>$(caption_of text)</p>"
run_awk provenance.awk -v what=notes "$@"
for part; do
    if [ ! -s "$part" ]; then
        [ ! -s "$part.err" ] || echo "<p class=missing>Missing: $(escape <"$part.err")</p>"
        continue
    fi
    case $part in
    *.svg) figure "$part" ;;
    *.tsv) findings "$part" ;;
    esac
done
echo '<details><summary>commands</summary><pre>'
grep -h '^#by ' "$prov" "$@" 2>/dev/null | run_awk commands.awk
echo '</pre></details></section>'
