#!/bin/sh
# knee_score.sh FOLDER [-v]: runs l2knee over a folder of public curves and prints how many of their knees it finds.
#
# FOLDER/INDEX.tsv has a row a curve: name, columns x and y, and accept_ranges "lo-hi,lo-hi" (empty: no knee is to be
# found, or only uncertain ones). A knee counts as found when onset, middle or end of a row lies within its range; a row of
# high confidence that lies in no range is false. The last line is the sum; the exit status is 1 when fewer than 95 % are
# found or a confident row is false.
set -eu

folder=$1
verbose=${2:-}

# score NAME RANGES: reads the table of knees.
score()
{
    awk -F '\t' -v name="$1" -v ranges="$2" -v verbose="$verbose" '
        BEGIN {
            n = ranges == "" ? 0 : split(ranges, r, ",")
            for (i = 1; i <= n; i++) {
                cut = match(r[i], /[0-9]-[0-9]/)
                lo[i] = substr(r[i], 1, cut) + 0
                hi[i] = substr(r[i], cut + 2) + 0
            }
        }
        function place(x, i) { return x >= lo[i] && x <= hi[i] }
        /^#/ { next }
        !header { for (f = 1; f <= NF; f++) at[$f] = f; header = 1; next }
        {
            rows++
            hit = 0
            for (i = 1; i <= n; i++)
                for (m = 1; m <= 3; m++)
                    if (place($at[m == 1 ? "x_onset" : m == 2 ? "x_mid" : "x_end"], i)) {
                        hit = 1
                        how[i] = how[i] (m == 1 ? "o" : m == 2 ? "m" : "e")
                    }
            if ($at["conf"] == "high") {
                high++
                if (!hit) bad++
            }
            if (verbose) seen = seen "    " $0 (hit ? "" : "   <- in no range") "\n"
        }
        END {
            for (i = 1; i <= n; i++) {
                found += how[i] != ""
                list = list " " (how[i] != "" ? how[i] : "MISSED")
            }
            printf "%-30s %d of %d found, %d rows, %d high, %d false %s\n", name, found, n, rows, high, bad, list
            printf "%s", seen
        }'
}

tail -n +2 "$folder/INDEX.tsv" | cut -f 1,6,7,11 | while IFS= read -r line; do
    name=$(printf '%s' "$line" | cut -f 1)
    x=$(printf '%s' "$line" | cut -f 2)
    y=$(printf '%s' "$line" | cut -f 3 | sed 's/[ ,].*//')
    ranges=$(printf '%s' "$line" | cut -f 4)
    [ -r "$folder/$name.tsv" ] || continue
    l2knee -x "$x" -y "$y" "$folder/$name.tsv" 2>/dev/null | score "$name" "$ranges"
done | awk '
    { print }
    / found, / { found += $2; of += $4; bad += $10; curves++ }
    END {
        if (curves == 0) exit 1
        printf "%d of %d knees found (%.1f %%), %d confident false ones, %d curves\n", found, of, 100 * found / of, bad, curves
        exit found < 0.95 * of || bad > 0
    }'
