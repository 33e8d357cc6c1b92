#!/bin/sh
# assoc.sh FROM TO: draws the simulated chips FROM..TO of one or two sides, and compares what l2assoc and l2policy find with
# their device files. A line a chip: "ok", "skip" (four sides) or "WRONG ...", which also prints the device file. Ways must
# be exact, the policy right or honestly not told apart, sets within 5 %; "outside" says that their interval of 95 % misses.
# Works in the current folder. Exit status 1 when one is wrong.
set -u

key()
{
    awk -v key="$1" -v d="$3" '$1 == key { d = $2 } END { print d }' "$2"
}

# value PARAM METHOD FILE: value, lo and hi
value()
{
    awk -F '\t' -v p="$1" -v m="$2" '$1 == p && index($6, m) == 1 { print $2 "\t" $3 "\t" $4; exit }' "$3"
}

# collect SEED CHIP EXPERIMENT NAME=VALUE...
collect()
{
    seed=$1 chip=$2
    shift 2
    l2collect -q -s "$seed" -d "sim:./$chip" -o "$1.tsv" "$@" 2>"$1.err"
}

one()
{
    chip=chip$1.dev
    "$TESTS/draw_chip" "$1" - 6000 >"$chip"
    if [ "$(key sides "$chip" 1)" -gt 2 ]; then
        echo "skip $1: four sides"
        rm "$chip"
        return
    fi
    # The line first: pools of another are no measure of the sets.
    collect "$1" "$chip" evict targets=8 tips=0
    line=$(l2assoc evict.tsv 2>assoc.err | awk -F '\t' '$1 == "line" { print $2 }')
    collect "$1" "$chip" evict targets=12 line="${line:-128}"
    l2assoc evict.tsv >assoc.tsv 2>assoc.err
    collect "$1" "$chip" replace sets=3 extra=16 line="${line:-128}"
    l2policy replace.tsv >policy.tsv 2>policy.err
    {
        printf '%s\t%s\t%s\n' "$(key ways "$chip" 16)" $(($(key sets "$chip" 64) * $(key slices "$chip" 1))) \
            "$(key policy "$chip" lru)"
        for row in 'ways evict assoc' 'sets_side tipping assoc' 'policy replay policy'; do
            # shellcheck disable=SC2086
            set -- "$1" $row
            value "$2" "$3" "$4.tsv" | grep . || echo nothing
        done
    } | awk -F '\t' -v n="$1" '
        NR == 1 { ways = $1; sets = $2; policy = $3 }
        NR > 1 { found = found "; " $1 " " $2 " " $3 }
        NR == 2 { ok_ways = $1 == ways }
        NR == 3 {
            outside = $2 > sets || sets > $3
            ok_sets = $1 / sets < 1.05 && $1 / sets > 0.95
        }
        NR == 4 { k = split($1, name, " or "); for (i = 1; i <= k; i++) if (name[i] == policy) ok_policy = 1 }
        END {
            bad = (ok_ways ? "" : " ways") (ok_sets ? "" : " sets") (ok_policy ? "" : " policy")
            print (bad == "" ? "ok" : "WRONG" bad) " " n ": truth " ways " " sets " " policy "; found" substr(found, 2) \
                (outside ? "; outside" : "")
            exit bad != ""
        }' || { cat "$chip"; bad=1; return; }
    rm "$chip"
}

bad=0
i=$1
while [ "$i" -le "$2" ]; do
    one "$i"
    i=$((i + 1))
done
exit $bad
