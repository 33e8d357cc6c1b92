#!/bin/sh
# tests/gpu/predict.sh [-d DEVICE] [-m MODEL] [-l LEVELS] [-o FOLDER] [PATTERN...]: predicted against measured shares.
#
# Runs twenty patterns (or those given) by `l2collect replay` on DEVICE (cuda), splits the cycles by the levels of LEVELS,
# latency rows of the same device (measured first when not given), and sets what l2predict says with MODEL (h200) beside
# it. Prints a table; the raw runs stay in FOLDER. Exit 1 when more than one pattern in ten is off by over 3 points.
# l2collect, l2level and l2predict are found on PATH.
set -eu

device=cuda model=h200 levels='' folder=''
while getopts d:m:l:o: letter; do
    case $letter in
    d) device=$OPTARG ;;
    m) model=$OPTARG ;;
    l) levels=$OPTARG ;;
    o) folder=$OPTARG ;;
    *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- \
    cyclic,size=4M \
    cyclic,size=24M,order=random \
    cyclic,size=40M,order=random \
    cyclic,size=50M \
    cyclic,size=100M,order=random \
    cyclic,size=200M \
    shuffled,size=28M \
    shuffled,size=45M \
    shuffled,size=80M \
    random,size=60M,count=1000000 \
    random,size=40M,sms=8,count=1500000,chunk=512 \
    hot,size=100M,count=1500000,hot=0.2,rate=0.8 \
    strided,size=48M,step=64K \
    mixed,size=32M,count=1000000 \
    mixed,size=64M,stores=0.5,count=1500000 \
    shuffled,size=26M,side=own \
    shuffled,size=40M,side=other \
    tiled,rows=8192,columns=1024,block=128x32,sms=16,chunk=128 \
    stencil,rows=4096,columns=2048,block=128x16,sms=16,chunk=256 \
    transpose,rows=256K,columns=8,element=16,block=256x2,sms=16,chunk=1024

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
folder=${folder:-$scratch}
mkdir -p "$folder"
if [ -z "$levels" ]; then
    levels=$folder/levels.tsv.gz
    l2collect -q -d "$device" -o "$levels" latency size=1M,4M,16M,24M:80M:8,100M,130M,180M,240M hops=16384 passes=2
fi
l2collect -q -d "$device" -o "$folder/replay.tsv.gz" replay pattern="$(printf '%s;' "$@")"
l2level "$levels" "$folder/replay.tsv.gz" >"$folder/measured.tsv"
l2predict -m "$model" "$@" >"$folder/predicted.tsv"

# Rows of side "all", by pattern; off is the largest difference of the four shares.
awk -F '\t' -v OFS='\t' '
    /^#/ { if (FNR == NR && /^#(device|driver|simulated) /) print; next }
    FNR == NR && $3 == "all" { for (i = 6; i <= 11; i++) got[$2, i] = $i; next }
    !header++ {
        print "pattern", "local", "local_measured", "remote", "remote_measured", "dram", "dram_measured", "dram_remote",
            "dram_remote_measured", "hit", "hit_measured", "cycles", "cycles_measured", "off"
    }
    $3 != "all" { next }
    {
        row = $2; off = 0
        for (i = 6; i <= 11; i++) row = row OFS $i OFS got[$2, i]
        for (i = 6; i <= 9; i++) { d = $i - got[$2, i]; d = d < 0 ? -d : d; off = d > off ? d : off }
        print row, off
        n++; good += off <= 0.03
    }
    END {
        print "#note " good + 0 " of " n + 0 " patterns within 3 points"
        exit !(n > 0 && good >= 0.9 * n)
    }' "$folder/measured.tsv" "$folder/predicted.tsv"
