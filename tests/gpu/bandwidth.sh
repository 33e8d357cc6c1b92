#!/bin/sh
# tests/gpu/bandwidth.sh [DEVICE]: reading, writing, copying by every variant of the kernels, the best of each, and with
# $BENCH_PEER the ratio to another program in the same run. l2collect and l2stat must be on PATH. About 20 s.
#
# $BENCH_PEER is a program, a file with its output or a figure in GB/s: peer.sh says what counts.
set -eu
device=${1:-cuda}
here=$(dirname -- "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export LC_ALL=C
case ${BENCH_PEER:-1} in
*[!0-9.]*) [ -f "$BENCH_PEER" ] || {
    echo "bandwidth.sh: BENCH_PEER='$BENCH_PEER' is no program, no file and no figure in GB/s" >&2
    exit 1
} ;;
esac

# collect NAME PARAMETERS...: rows into NAME; into NAME.med their medians and what each is of: gbps op kind size threads
# width unroll same blocks set, and the fastest launch.
collect()
{
    name=$1
    shift
    l2collect -q -d "$device" -o "$dir/$name" bandwidth "$@" passes=3
    l2stat -g op,kind,size,threads,width,unroll,same,blocks,set -y gbps "$dir/$name" 2>/dev/null |
        awk -F '\t' '/^#/ { next } !at["op"] { for (i = 1; i <= NF; i++) at[$i] = i; next }
            { print $at["median"], $at["op"], $at["kind"], $at["size"], $at["threads"], $at["width"], $at["unroll"],
                $at["same"], $at["blocks"], $at["set"], $at["max"] }' >"$dir/$name.med"
}

table() # TITLE FILE LINES
{
    printf '\n%s\n%9s %-5s %-11s %7s %7s %5s %6s %4s %7s %s\n' "$1" GB/s op kind 'size/M' threads width unroll same blocks set
    sort -rn "$2" | head -n "$3" |
        awk '{ printf "%9.1f %-5s %-11s %7.1f %7d %5d %6d %4d %7d %s\n", $1, $2, $3, $4 / 1048576, $5, $6, $7, $8, $9, $10 }'
}

# by COLUMN NAME FILE: the best of each value of a column.
by()
{
    awk -v c="$1" '$1 > best[$c] { best[$c] = $1 } END { for (v in best) print v, best[v] }' "$3" | sort -n |
        awk -v name="$2" 'BEGIN { printf "best by %-8s", name } { printf "  %s: %.0f", $1, $2 } END { print "" }'
}

collect l2 op=read kind=cg,no_allocate,ca size=24M threads=128,256,512,1024 width=8,16 unroll=1,2,4,8 same=1
table 'read, 24 MiB, of all shapes of a launch' "$dir/l2.med" 8
for c in '3 kind' '5 threads' '6 width' '7 unroll'; do
    by "${c% *}" "${c#* }" "$dir/l2.med"
done
sms=$(awk '$1 == "#sms" { print $2 }' "$dir/l2")

collect turns op=read kind=no_allocate size=24M threads=256 unroll=4 \
    blocks=$((8 * sms)),$((16 * sms)),$((32 * sms)),$((64 * sms)),$((128 * sms)),$((512 * sms))
table 'read by 256 threads, blocks as many as fit, 2, 4, 8, 16, 64 times as many' "$dir/turns.med" 9

collect same op=read kind=cg,no_allocate,ca size=24M threads=256,1024 unroll=4,8 same=1,2,4,8
by 8 same "$dir/same.med"
collect sizes op=read kind=no_allocate,ca size=4M,15M,16M,20M,24M,28M,32M,36M,40M,48M,56M,64M threads=256,512 unroll=4,8
by 4 size "$dir/sizes.med"
collect sets op=read,write,atom kind=no_allocate size=16M,24M,32M,48M,56M set=all,own,other threads=512 unroll=2,4,8
for op in read write atom; do
    for set in all own other; do
        awk -v op=$op -v set=$set '$2 == op && $10 == set' "$dir/sets.med" >"$dir/one"
        by 4 "$op $set" "$dir/one"
    done
done

# Launches as long as the other program's, so that how SMs start and end counts as little.
collect long op=read kind=cg,no_allocate size=15M,16M,17M,20M,24M,28M,32M,36M threads=256,512,1024 unroll=4,8 bytes=64G
table 'read, launches of 64 GiB' "$dir/long.med" 8
by 4 size "$dir/long.med"
# Loads of blocks that read the same data at the same time are answered together: more than L2 can give, and no figure of it.
# (The other program's blocks read the same data, too, but not together: 0.8 % of its sectors were answered so.)
collect shared op=read kind=cg,no_allocate size=16M,20M,28M threads=256,512,1024 unroll=4,8 same=2,4,8 bytes=64G
table 'read by blocks that move the same' "$dir/shared.med" 4

l2=$(awk '$1 == "#l2_bytes" { print $2 }' "$dir/l2")
collect memory op=read kind=cg,no_allocate,ca size=$((l2 * 8)) threads=128,256,512,1024 unroll=1,2,4,8 bytes=32G
table 'read from memory' "$dir/memory.med" 6
collect others op=write,copy,atom kind=no_allocate,cg size=4M,24M,32M,$((l2 * 8)) threads=256,512,1024 width=8,16 unroll=1,2,4,8
for op in write copy atom; do
    awk -v op=$op '$2 == op' "$dir/others.med" >"$dir/one"
    table "$op" "$dir/one" 3
    by 4 size "$dir/one"
done

# best COLUMN FROM TO: the best read, by median (1) or fastest launch (11), of a working set within bounds, in bytes;
# several blocks that move the same do not count.
best()
{
    cat "$dir"/*.med | awk -v c="$1" -v from="$2" -v to="$3" \
        '$2 == "read" && $8 == 1 && $3 != "ca" && $4 >= from && $4 <= to && $c > b { b = $c } END { print b + 0 }'
}
printf '\nours, by medians: %.0f GB/s from the L2 (15 to 40 MB), %.0f GB/s from memory\n' \
    "$(best 1 15000000 41943040)" "$(best 1 $((l2 * 8)) 1e18)"
# The other program prints its fastest launch.
ours=$(best 11 15000000 41943040)
ours_memory=$(best 11 $((l2 * 8)) 1e18)
printf 'ours, by the fastest launch: %.0f and %.0f GB/s\n' "$ours" "$ours_memory"
[ -n "${BENCH_PEER:-}" ] || exit 0

"$here/peer.sh" "$BENCH_PEER" "$l2" "$ours" "$ours_memory"
