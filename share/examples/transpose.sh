#!/bin/sh
# transpose.sh [-m MODEL] [-r ROWS] [-c COLUMNS] [-o FOLDER] [-k TABLE] [SHAPE...]: the hit rate of transpose.cu by its block
# shape, predicted by l2predict and, where there are a GPU, nvcc and ncu, measured by the profiler's counters, or taken
# from TABLE, which an earlier run left.
#
# Prints a table (nan: not measured) and leaves it in FOLDER (transpose/) with a picture, transpose.png (gnuplot).
#   hit, local, read         predicted: reads that hit either side, the SM's own side; bytes read from memory
#   hit_seen, local_seen     measured: loads for which no lookup missed on both sides, at the first lookup
#   hit_lookups              measured: lookups of L2 that hit, which is what profilers call its hit rate
#   dram                     measured: bytes read from memory
# Loads of one sector are answered together, within a warp and on their way to L2, before it counts them: lookups are fewer
# than loads, and those that are left are the ones that miss. Neither clocks nor caches are touched by the profiler.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:$here/../../bin:$here/../../../bin
model=h200 rows=524288 columns=32 folder=transpose kept=
while getopts m:r:c:o:k: letter; do
    case $letter in
    m) model=$OPTARG ;;
    r) rows=$OPTARG ;;
    c) columns=$OPTARG ;;
    o) folder=$OPTARG ;;
    k) kept=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- 256x1 128x2 64x4 32x8 16x16 8x32
for word in "$rows" "$columns" "$@"; do
    case $word in
    *[!0-9x]* | x* | *x | '')
        echo "transpose.sh: not a number or a shape: '$word'" >&2
        exit 2
        ;;
    esac
done
[ -z "$kept" ] || [ -r "$kept" ] || {
    echo "transpose.sh: $kept: cannot read it" >&2
    exit 1
}
mkdir -p "$folder"

# The metrics that this chip's profiler has.
tex=lts__t_sectors_srcunit_tex_op_read all=lts__t_sectors_op_read dram=dram__bytes_read
metrics()
{
    ncu --query-metrics 2>/dev/null | awk -v want="$tex ${tex}_lookup_hit $all ${all}_lookup_hit $dram" '
        BEGIN { n = split(want, w, " "); for (i = 1; i <= n; i++) is[w[i]] = 1 }
        $1 in is && !seen[$1]++ { printf "%s%s.sum", sep, $1; sep = "," }'
}

# profile SHAPE: "metric value" lines of the second launch. What ncu said stays in FOLDER/ncu.SHAPE.log, and is shown when
# a metric is missing.
profile()
{
    log=$folder/ncu.$1.log
    ncu --csv --print-units base --clock-control none --cache-control none --kernel-name transpose \
        --launch-skip 1 --launch-count 1 --metrics "$list" "$folder/transpose" "$rows" "$columns" "$1" >"$log" 2>&1 || :
    counters <"$log" >"$log.counters"
    if [ "$(wc -l <"$log.counters")" -lt "$(echo "$list" | tr , '\n' | wc -l)" ]; then
        echo "transpose.sh: $1: ncu gave not all of $list; it said:" >&2
        grep -v '^"' "$log" | tail -n 5 >&2 || :
    fi
    cat "$log.counters"
}

# ncu's table, whose columns are found by its header; other lines are messages.
counters()
{
    awk -F '","' '
        /"Metric Name"/ {
            for (i = 1; i <= NF; i++) { gsub(/"/, "", $i); if ($i == "Metric Name") name = i; if ($i == "Metric Value") value = i }
            next
        }
        name && value && /^"/ && NF >= value && $name ~ /\.sum$/ { v = $value; gsub(/[",]/, "", v); print $name, v }'
}

# Rows "block ms hit_seen local_seen hit_lookups dram". A lookup of an SM that hits nowhere is a load that misses: a lookup
# on the other side counts with all, not with the SMs'.
measure()
{
    for shape; do
        ms=$("$folder/transpose" "$rows" "$columns" "$shape" | awk 'NR == 2 { print $2 }')
        { [ -z "$list" ] || profile "$shape"; } | awk -v OFS='\t' -v shape="$shape" -v ms="$ms" \
            -v loads=$((rows * columns)) -v tex=$tex -v all=$all -v dram=$dram '
            { sub(/\.sum$/, "", $1); v[$1] = $2 }
            function hits(m) { return v[m "_lookup_hit"] }
            function kept(h) { return v[tex] > 0 ? 1 - (v[tex] - h) / loads : "nan" }
            END {
                print shape, ms, kept(hits(all)), kept(hits(tex)), (v[all] > 0 ? hits(all) / v[all] : "nan"), \
                    (v[dram] > 0 ? v[dram] : "nan")
            }'
    done
}

# The same rows from a table of an earlier run.
take()
{
    awk -F '\t' -v OFS='\t' '
        /^#note measured/ { print }
        /^#/ { next }
        !header++ { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { print $at["block"], $at["ms"], $at["hit_seen"], $at["local_seen"], $at["hit_lookups"], $at["dram"] }' "$kept"
}

list=
: >"$folder/measured.tsv"
if [ -n "$kept" ]; then
    take >"$folder/measured.tsv"
elif make -s -f "$here/Makefile" O="$folder" 2>"$folder/make.log" && "$folder/transpose" 64 64 8x8 >/dev/null 2>&1; then
    if command -v ncu >/dev/null; then
        list=$(metrics)
    fi
    [ -n "$list" ] || echo "transpose.sh: no ncu that may read counters: times only" >&2
    {
        nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1 |
            sed "s/^/#note measured on /; s/\$/, $(date -u +%F)/"
        measure "$@"
    } >"$folder/measured.tsv"
else
    echo "transpose.sh: no GPU, or no nvcc (see $folder/make.log): predictions only" >&2
fi

# The matrix is far larger than the cache, so the pass that warms it is left out.
for shape; do
    l2predict -m "$model" -W 0 transpose block="$shape" rows="$rows" columns="$columns" resident=8
done >"$folder/predicted.tsv"
awk -F '\t' -v OFS='\t' '
    /^#note measured/ { print }
    /^#/ && FILENAME == ARGV[1] { next }
    FILENAME == ARGV[1] { got[$1] = $2 OFS $3 OFS $4 OFS $5 OFS $6; next }
    /^#/ || $1 == "exp" { if (/^#note/ && !seen[$0]++) print; next }
    !header++ { print "block", "hit", "local", "read", "ms", "hit_seen", "local_seen", "hit_lookups", "dram" }
    $3 == "all" {
        block = "32x8"
        if (match($2, /block=[0-9x]+/))
            block = substr($2, RSTART + 6, RLENGTH - 6)
        print block, $10, $6, $12, block in got ? got[block] : "nan" OFS "nan" OFS "nan" OFS "nan" OFS "nan"
    }' "$folder/measured.tsv" "$folder/predicted.tsv" | tee "$folder/table.tsv"

command -v gnuplot >/dev/null || exit 0
cd "$folder"
gnuplot 2>plot.log <<'GNUPLOT' || { cat plot.log >&2; exit 1; }
set terminal pngcairo size 900,520 font "Sans,11"
set output "transpose.png"
set datafile separator "\t"
set datafile missing "nan"
set multiplot layout 1,2
set style data linespoints
set bmargin 8
set key at graph 1,-0.17 top right
set grid y
set xlabel "threads of a block, x by y"
set ylabel "share of the reads"
set yrange [0:1.05]
rows = "< grep -v '^#' table.tsv"
plot rows every ::1 using 0:2:xtic(1) title "hit, predicted" lw 2, \
     '' every ::1 using 0:6 title "hit, measured" lw 2 dt 2, \
     '' every ::1 using 0:8 title "hits of the lookups that L2 counts, measured" lw 2 dt 3
set ylabel "read from memory, MB"
set yrange [0:*]
plot rows every ::1 using 0:($4 / 1e6):xtic(1) title "predicted" lw 2, \
     '' every ::1 using 0:($9 / 1e6) title "measured" lw 2 dt 2
GNUPLOT
