#!/bin/sh
# assoc.sh FROM TO: draws the simulated chips FROM..TO of one or two sides, and compares what l2assoc and l2policy find with
# their device files. A line a chip: "ok" or "WRONG ..."; a wrong chip's file stays in the current folder. Ways must be
# exact, sets within 5 % (or inside the interval), the policy right or honestly not told apart.
set -u

key()
{
    awk -v key="$1" -v d="$3" '$1 == key { d = $2 } END { print d }' "$2"
}

# value PARAM METHOD FILE
value()
{
    awk -F '\t' -v p="$1" -v m="$2" '$1 == p && index($6, m) == 1 { print $2, $3, $4; exit }' "$3"
}

one()
{
    chip=chip$1.dev
    "$TESTS/draw_chip" "$1" - 6000 >"$chip"
    [ "$(key sides "$chip" 1)" -le 2 ] || { echo "skip $1: four sides"; rm "$chip"; return; }
    l2collect -q -s "$1" -d "sim:./$chip" -o evict.tsv evict targets=24 2>/dev/null
    l2collect -q -s "$1" -d "sim:./$chip" -o survive.tsv survive points=16 2>/dev/null
    l2collect -q -s "$1" -d "sim:./$chip" -o replace.tsv replace sets=4 2>/dev/null
    l2assoc evict.tsv survive.tsv >assoc.tsv 2>assoc.err
    l2policy replace.tsv >policy.tsv 2>policy.err
    truth="$(key ways "$chip" 16) $(($(key sets "$chip" 64) * $(key slices "$chip" 1))) $(key policy "$chip" lru)"
    found="ways $(value ways evict assoc.tsv) sets $(value sets_side tipping assoc.tsv) $(value policy replay policy.tsv)"
    verdict=$(echo "$truth $found" | awk '{
        bad = ""
        if ($5 != $1) bad = bad " ways"
        if ($9 == "" || ($9 / $2 > 1.05 || $9 / $2 < 0.95) && !($10 <= $2 && $2 <= $11)) bad = bad " sets"
        if ($12 != $3 && index($0, $3 " or ") == 0 && index($0, "or " $3) == 0) bad = bad " policy"
        print bad == "" ? "ok" : "WRONG" bad }')
    echo "$verdict $1: truth $truth; found $found"
    [ "$verdict" = ok ] && rm -f "$chip"
}

i=$1
while [ "$i" -le "$2" ]; do
    one "$i"
    i=$((i + 1))
done
