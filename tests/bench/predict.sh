#!/bin/bash
# tests/bench/predict.sh BINDIR: how many accesses a second l2predict models, as TSV: pattern accesses cpu mps
#
# One pattern of each kind, on the h200, one draw of pages: a pass to warm up and a counted one. cpu is processor seconds,
# the least of RUNS (5) runs, the program's start and the lookup of all lines included; mps is million accesses a second.
set -euo pipefail

bin=$(cd "${1:?usage: tests/bench/predict.sh BINDIR}" && pwd)
RUNS=${RUNS:-5}
TIMEFORMAT='%3U %3S'
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

printf 'pattern\taccesses\tcpu\tmps\n'
for pattern in cyclic,size=52M,order=random shuffled,size=120M random,size=75M,sms=6,count=1500000 \
    hot,size=140M,count=1500000 strided,size=72M,step=96K mixed,size=24M,stores=0.4,count=1000000 \
    shuffled,size=36M,side=own tiled,rows=6144,columns=1536,block=64x48 \
    stencil,rows=3072,columns=1536,block=96x24,radius=2 transpose,rows=192K,columns=16,element=8,block=128x4; do
    for _ in $(seq "$RUNS"); do
        { time "$bin/l2predict" -d 1 "$pattern" >"$tmp/out"; } 2>"$tmp/time" || { cat "$tmp/time" >&2 && exit 1; }
        cat "$tmp/time"
    done | awk -v OFS='\t' -v pattern="$pattern" -v out="$tmp/out" '
        NR == 1 || $1 + $2 < cpu { cpu = $1 + $2 }
        END {
            FS = "\t"
            while ((getline <out) > 0) if ($3 == "all") n = 2 * ($4 + $5)
            printf "%s\t%d\t%.3f\t%.1f\n", pattern, n, cpu, n / cpu / 1e6
        }'
done
