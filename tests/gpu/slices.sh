#!/bin/sh
# tests/gpu/slices.sh [-d DEVICE] [-o FOLDER] CHECK: holds what l2slice says against what is measured anew.
#
#   predict   masks from 2048 lines of 78 pages, then one measured line a page for 50 fresh pages: the predicted sides of
#             10 000 fresh lines there against their latencies by atomics
#   sms       the sides of all SMs in ten runs, each with an allocation of its own
#   agree     contention and fingerprints call at least 99.5 % of pairs of lines alike
#   counter   slices by contention against the profiler's count of them (lts__cycles_elapsed, sum over mean)
#
# Prints one line and ends with 0 when the check holds, 1 when not, 77 when it cannot be made here, and says why.
# Raw runs stay in FOLDER. l2collect and l2slice are found on PATH, so is ncu.
set -eu

device=cuda folder=''
while getopts d:o: letter; do
    case $letter in
    d) device=$OPTARG ;;
    o) folder=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
folder=${folder:-$scratch}
mkdir -p "$folder"

# Offsets: 2048 lines in the pages 0 to 77, then 1 and 200 lines in each of the pages 78 to 127, all different.
draw_lines()
{
    awk 'BEGIN {
        srand(7)
        for (i = 0; i < 2048; i++) print line(int(rand() * 78))
        for (page = 78; page < 128; page++) for (i = 0; i < 201; i++) print line(page)
    }
    function line(page,    x) {
        do x = page * 2097152 + int(rand() * 16384) * 128; while (x in drawn)
        drawn[x] = 1
        return x
    }'
}

# keep LINES RUN: RUN without the rows of other lines.
keep()
{
    awk -F '\t' '
        FNR == NR { wanted[$1] = 1; next }
        /^#end/ { print "#end rows=" n + 0 " status=ok"; next }
        /^#/ { print; next }
        !offset { for (i = 1; i <= NF; i++) if ($i == "offset") offset = i; print; next }
        $offset in wanted { n++; print }' "$1" "$2"
}

# Sixteen SMs or so, spread over all.
some_sms()
{
    l2collect -q -d "$device" matrix count=1 sms=0 reps=1 | awk '
        /^#sms / { for (k = 0; k < 16 && k < $2; k++) printf "%s%d", k ? "," : "", int(k * $2 / ($2 < 16 ? $2 : 16)) }'
}

predict()
{
    draw_lines >"$folder/lines"
    # Every page has its first line among those the constants come from; the other 200 are fresh.
    awk 'NR <= 2048 || (NR - 2049) % 201 == 0' "$folder/lines" >"$folder/known"
    { echo offset; awk 'NR > 2048 && (NR - 2049) % 201 != 0' "$folder/lines"; } >"$folder/fresh.tsv"
    l2collect -q -d "$device" -o "$folder/all.tsv" matrix op=atom lines=- buffer=256M sms="$(some_sms)" reps=5 <"$folder/lines"
    keep "$folder/known" "$folder/all.tsv" >"$folder/known.tsv"
    l2slice -m "$folder/all.tsv" 2>"$folder/measured.err" >"$folder/measured"
    l2slice -p "$folder/fresh.tsv" "$folder/known.tsv" 2>"$folder/predicted.err" >"$folder/predicted"
    awk -F '\t' '
        /^#/ || $1 == "offset" { next }
        FNR == NR { side[$1] = $3; next }
        { n++; right += $2 == side[$1] && $2 >= 0; unknown += $2 < 0; unclear += side[$1] < 0 }
        END {
            printf "predict %d of %d fresh lines right, %d without a prediction, %d without a clear measurement\n",
                right, n, unknown, unclear
            exit !(n == 10000 && right >= 0.999 * n)
        }' "$folder/measured" "$folder/predicted"
}

sms()
{
    for run in 1 2 3 4 5 6 7 8 9 10; do
        l2collect -q -d "$device" -s "$run" -o "$folder/sms.$run.tsv" matrix op=atom count=128 random=256 reps=5
        l2slice -s "$folder/sms.$run.tsv" 2>/dev/null | grep -v '^#' | awk -v run="$run" 'NR > 1 { print run, $1, $2 }'
    done | awk '
        # Sides are numbered from the first SM on, in every run.
        !($1 in runs) { runs[$1] = $3; n++ }
        { s = $3 < 0 ? -1 : $3; if (!($2 in side)) { side[$2] = s; all++ } else if (side[$2] != s) bad[$2] = 1; unknown += s < 0; rows++ }
        END {
            for (k in side) of[side[k]]++
            for (k in bad) moved++
            printf "sms %d of %d SMs on the same side in %d runs (", all - moved, all, n
            for (s = 0; s in of; s++) printf "%s%d", s ? " + " : "", of[s]
            printf "), %d rows without a side\n", unknown
            exit !(n == 10 && rows == 10 * all && all > 0 && moved == 0 && unknown == 0)
        }'
}

# What ncu --csv said on stdin: sum over mean of the counter, of the first kernel. Other lines are messages.
units()
{
    awk -F '","' '
        /"Metric Name"/ {
            for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); if ($i == "Metric Name") name = i; if ($i == "Metric Value") value = i }
            next
        }
        name && value && /^"/ && NF >= value && !($name in of) { of[$name] = $value; gsub(/[",]/, "", of[$name]) }
        END {
            mean = of["lts__cycles_elapsed.avg"]
            if (mean > 0) printf "%.2f\n", of["lts__cycles_elapsed.sum"] / mean
        }'
}

agree()
{
    l2collect -q -d "$device" -o "$folder/agree.tsv" matrix contend op=atom count=1024 random=2048
    l2slice "$folder/agree.tsv" 2>"$folder/agree.err" >"$folder/found.tsv"
    awk -F '\t' '
        /^#/ { next }
        !($1 in v) { v[$1] = $2; note[$1] = $7 }
        END {
            printf "agree %s of pairs alike by contention and fingerprints; %s slices, %s a side, grain %s, sides by bits %s\n",
                v["slice_agreement"], v["slices"], v["slices_side"], v["grain"], v["side_mask"]
            exit !(v["slice_agreement"] >= 0.995 && v["slices"] > 0)
        }' "$folder/found.tsv"
}

counter()
{
    command -v ncu >/dev/null || { echo "counter: no ncu (Nsight Compute) on PATH"; exit 77; }
    ncu --csv --print-units base --clock-control none --launch-count 1 --metrics lts__cycles_elapsed.sum,lts__cycles_elapsed.avg \
        l2collect -q -d "$device" matrix count=16 sms=0 reps=1 >"$folder/ncu.csv" 2>&1 || true
    units=$(units <"$folder/ncu.csv")
    [ -n "$units" ] || { echo "counter: ncu gave no lts__cycles_elapsed: $(grep '^==' "$folder/ncu.csv" | tail -1)"; exit 77; }
    l2collect -q -d "$device" -o "$folder/contend.tsv" contend op=atom count=1024
    slices=$(l2slice "$folder/contend.tsv" 2>/dev/null | awk -F '\t' '$1 == "slices" { print $2; exit }')
    echo "counter $units slice units by the profiler, ${slices:-no} slices by contention"
    awk -v u="$units" -v s="${slices:-0}" 'BEGIN { d = u - s; exit !(d < 0.01 && d > -0.01) }'
}

case ${1-} in
predict | sms | agree | counter | units) "$1" ;;
*)
    echo "slices.sh: predict, sms, agree or counter" >&2
    exit 2
    ;;
esac
