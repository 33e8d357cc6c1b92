# shellcheck shell=sh disable=SC2154 # $here: who reads this file sets it
# What index.sh and section.sh share: awk with html.awk before the program; pictures. $here is the folder of all this.

run_awk()
{
    program=$1
    shift
    LC_ALL=C awk -v LIST="$here/parameters.txt" -f "$here/html.awk" -f "$here/$program" "$@"
}

# figure SVG CAPTION: the picture itself in the page, in two widths.
figure()
{
    narrow=${1%.svg}.narrow.svg
    printf '<figure><div class=wide><picture>'
    [ ! -s "$narrow" ] || printf '<source media="(max-width: 44rem)" srcset="data:image/svg+xml;base64,%s">' "$(base64 -w 0 "$narrow")"
    printf '<img alt="%s" src="data:image/svg+xml;base64,' "$2"
    base64 -w 0 "$1"
    printf '"></picture></div><figcaption>%s</figcaption></figure>\n' "$2"
}
