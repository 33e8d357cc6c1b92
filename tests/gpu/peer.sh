#!/bin/sh
# tests/gpu/peer.sh PEER L2_BYTES [OURS OURS_MEMORY]: what another program says of reading from the L2 and from memory,
# "NEAR FAR" in GB/s (0: nothing), or with our own figures the ratios to them.
#
# PEER is a program, a file with its output, or a plain figure in GB/s. Of its output count the lines with "SIZE kB" and
# "BANDWIDTH GB/s": of several kB the last is the working set, of several GB/s the first the bandwidth (so prints
# gpu-benches' gpu-l2-cache: block, working set, time, spread, bandwidth, four counters). From the L2 counts the best of
# 15 to 40 MB, from memory the best beyond 8 times the L2. Exit 1 and one line when there is no such figure.
set -eu
peer=$1 l2=$2
export LC_ALL=C

fail()
{
    echo "peer.sh: $*" >&2
    exit 1
}

out=$(mktemp)
trap 'rm -f "$out"' EXIT
case $peer in
'' | *[!0-9.]*)
    if [ -d "$peer" ] || [ ! -e "$peer" ]; then
        fail "'$peer' is no program, no file and no figure in GB/s"
    elif [ -x "$peer" ]; then
        case $peer in
        */*) ;;
        *) peer=./$peer ;;
        esac
        status=0
        "$peer" >"$out" || status=$?
        [ "$status" -eq 0 ] || fail "$peer: ended with $status after $(wc -l <"$out") lines"
    else
        cat -- "$peer" >"$out"
    fi
    ;;
*) echo "20000 kB $peer GB/s" >"$out" ;;
esac
[ -s "$out" ] || fail "$peer: prints nothing"

figures=$(awk -v l2="$l2" '/GB\/s/ {
        size = 0
        for (i = 2; i <= NF; i++) {
            if ($i == "kB") size = $(i - 1) + 0
            if ($i == "GB/s") { bw = $(i - 1) + 0; break }
        }
        if (size >= 14648 && size <= 40960 && bw > near) near = bw
        if (size >= l2 / 128 && bw > far) far = bw
    } END { print near + 0, far + 0 }' "$out")
near=${figures% *} far=${figures#* }
[ "$figures" != "0 0" ] ||
    fail "$peer: no line with 'SIZE kB' (15 to 40 MB, or beyond 8 times the L2) and 'BANDWIDTH GB/s' in its $(wc -l <"$out") lines"
if [ $# -lt 4 ]; then
    echo "$figures"
    exit
fi
awk -v a="$3" -v b="$near" -v c="$4" -v d="$far" 'BEGIN {
    if (b > 0) printf "peer: %.0f GB/s from the L2: ours is %.3f of it\n", b, a / b
    else print "peer: nothing of 15 to 40 MB"
    if (d > 0) printf "peer: %.0f GB/s from memory: ours is %.3f of it\n", d, c / d
    else print "peer: nothing beyond 8 times the L2" }'
