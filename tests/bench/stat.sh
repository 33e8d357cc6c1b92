#!/bin/bash
# tests/bench/stat.sh BINDIR READERDIR: l2stat against GNU datamash, Miller and awk on one file, and the reader alone, as TSV:
# what program input seconds cpu ratio mb rss_mb note
#
# 5 million rows, 200 groups, median, quartiles and MAD. `seconds` (by the clock) and `cpu` (of the processors) are the least
# of RUNS (3) runs; `ratio` is cpu of datamash over cpu of this one, since other load on the machine stretches seconds; mb is
# the input, rss_mb the most memory held. A tool that is missing has a row that says so. ROWS=500000 makes a quick one.
set -euo pipefail

bin=$(cd "${1:?usage: tests/bench/stat.sh BINDIR READERDIR}" && pwd)
reader=$(cd "${2:?usage: tests/bench/stat.sh BINDIR READERDIR}" && pwd)
ROWS=${ROWS:-5000000} RUNS=${RUNS:-3}
export LC_ALL=C PATH="$bin:$reader:$PATH"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"

# Two modes and a tail of whole cycles, as a latency run has.
awk -v rows="$ROWS" 'BEGIN {
    srand(1)
    print "size\tcycles"
    for (g = 0; g < 200; g++)
        for (i = 0; i < rows / 200; i++)
            print 4096 * (g + 1) "\t" (rand() < 0.5 ? 280 : 455) + int((rand() + rand() + rand() - 1.5) * 60) + (rand() < 0.01) * int(rand() * 500)
}' >sorted.tsv
{ head -n 1 sorted.tsv && tail -n +2 sorted.tsv | shuf --random-source=<(yes); } >unsorted.tsv
# The same rows in the columns of `l2collect latency`.
awk -F'\t' 'NR == 1 { print "exp\tseq\tsize\tstride\top\ttiming\torder\twindow\tsm\tchain\tchains\tcarveout\tfresh\tpass\tcycles\tn"; next }
    { print "latency\t" int(NR / 1000) "\t" $1 "\t64\tcg\teach\tcycle\t0\t17\t0\t1\tauto\tno\t1\t" $2 "\t12" }' sorted.tsv >wide.tsv

# least COMMAND...: seconds, processor seconds and MB of memory, the best of RUNS
least()
{
    for _ in $(seq "$RUNS"); do
        /usr/bin/time -f '%e %U %S %M' -o time "$@" >out 2>err || { cat err >&2 && return 1; }
        cat time
    done | awk '
        NR == 1 || $1 < s { s = $1 }
        NR == 1 || $2 + $3 < cpu { cpu = $2 + $3 }
        $4 > m { m = $4 }
        END { printf "%.2f %.2f %.1f\n", s, cpu, m / 1024 }'
}

mb()
{
    awk -v b="$(stat -c %s "$1")" 'BEGIN { printf "%.0f", b / 1e6 }'
}

base=
# bench WHAT PROGRAM INPUT COMMAND...
bench()
{
    local what=$1 program=$2 input=$3 result seconds cpu rss
    shift 3
    if ! command -v "$program" >/dev/null; then
        printf '%s\t%s\t%s\tnan\tnan\tnan\t%s\tnan\tnot installed\n' "$what" "$program" "$input" "$(mb "$input")"
        return
    fi
    result=$(least "$@")
    read -r seconds cpu rss <<<"$result"
    [ "$program" != datamash ] || base=$cpu
    awk -v what="$what" -v program="$program" -v input="$input" -v s="$seconds" -v cpu="$cpu" -v base="${base:-nan}" -v mb="$(mb "$input")" -v rss="$rss" 'BEGIN {
        OFS = "\t"
        ratio = what == "quantiles" && base != "nan" && cpu > 0 ? sprintf("%.1f", base / cpu) : "nan"
        note = cpu > 0 ? sprintf("%.0f MB per cpu second", mb / cpu) : "-"
        print what, program, input, s, cpu, ratio, mb, rss, note }'
}

# A fair awk: counts values a group (gawk's and mawk's arrays), sorts the different ones, no MAD.
# shellcheck disable=SC2016
counting='NR > 1 { c[$1, $2]++; n[$1]++ }
    END { for (k in c) { split(k, p, SUBSEP); print p[1] "\t" p[2] "\t" c[k] | "sort -k1,1n -k2,2n >/dev/null" } }'

[ -x /usr/bin/time ] || { echo "bench: GNU time is not installed (apt install time)" >&2 && exit 1; }
printf 'what\tprogram\tinput\tseconds\tcpu\tratio\tmb\trss_mb\tnote\n'
bench quantiles datamash sorted.tsv sh -c 'datamash -H -g 1 median 2 q1 2 q3 2 mad 2 <sorted.tsv'
bench quantiles l2stat sorted.tsv l2stat sorted.tsv
bench quantiles l2stat unsorted.tsv l2stat unsorted.tsv
bench quantiles mlr sorted.tsv mlr --tsv stats1 -a p25,p50,p75 -f cycles -g size sorted.tsv
bench quantiles awk sorted.tsv awk -F'\t' "$counting" sorted.tsv
bench summary l2stat wide.tsv l2stat wide.tsv
bench reader reader sorted.tsv reader sorted.tsv
bench reader reader wide.tsv reader wide.tsv
