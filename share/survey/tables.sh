# shellcheck shell=sh disable=SC2034,SC2154 # read by bin/l2survey
# What l2survey measures and what it makes of it: one line an experiment and mode, one a table of findings.

# What is measured, in this order: modes (quick, default, full), archives, seconds on an H200 and on sim:h200, experiments
# (several run in one allocation, an archive each), parameters. {l2}: the driver's bytes of L2, {l2*5/2} and so on; {line}:
# bytes of a line, as found by the sectors; {room}: memory to stride over; {few}: lines that hardly fill a cache, {often}: repeats that
# make up for few; {move}: bytes that a bandwidth launch moves. What this build lacks is skipped.
steps='
qdf clock           1   1  clock           steps=50 n=16384
qd  sector          1   1  sector
f   sector          4   2  sector          reps=16
q   latency         4   6  latency         size={l2/16}:{l2/4}:2,{l2/4}:{l2*5/4}:6,{l2*3/2},{l2*2} hops=4096 passes=2 stride={line}
d   latency        12  14  latency         size=4K:{l2/8}:1,{l2/8}:{l2*5/4}:12,{l2*5/4}:{l2*5/2}:4 hops=4096 passes=2 order=cycle,back stride={line}
f   latency        60  60  latency         size=4K:{l2*4}:16 order=cycle,back stride={line}
q   evict           4   4  evict           targets=10 tips=150 line={line}
d   evict          10  20  evict           targets=60 line={line}
f   evict          20  55  evict           targets=200 extra=2 line={line}
q   survive         1   1  survive         points=15 targets={few} reps={often} line={line}
d   survive         1   6  survive         points=21 targets={few} reps={often} line={line}
f   survive         5  10  survive         targets={few} reps={often} line={line}
d   stride          4   2  stride          from={line} buffer={room}
f   stride          4   4  stride          from={line} buffer={room} to=256M
q   matrix          1   1  matrix          op=atom count=512 random=512 reps=5 step={line}
d   matrix,contend  9   3  matrix contend  op=atom count=1024 random=2048 step={line} line={line}
f   matrix,contend 15   8  matrix contend  op=atom count=2048 random=4096 step={line} line={line}
qdf loads           1   2  contend         op=cg line={line}
q   replace         2   3  replace         sets=2 line={line}
d   replace         4   7  replace         sets=6 line={line}
f   replace        10  20  replace         line={line}
q   bandwidth       1   2  bandwidth       size={l2*2/5},{l2*8} op=read,write bytes={move} passes=2
d   bandwidth       2   7  bandwidth       size={l2/16},{l2/4},{l2*2/5},{l2/2},{l2*8} bytes={move}
f   bandwidth       5  60  bandwidth
df  partial         1   8  partial         bytes={move}
d   sametag         2   3  sametag         line={line}
f   sametag         3   9  sametag         sets=24 line={line}
qdf write           1   1  write           line={line}
d   dirty           2   6  dirty           sets=2
f   dirty           5  22  dirty
d   copies          3   4  copies          sets=6 line={line}
f   copies          8  11  copies          line={line}
df  inclusion       2   5  inclusion       line={line}
df  tlb             3   1  tlb
f   persist         2  30  persist         reps=1
'

# What is made of the archives: a name, the filter that it takes, the archives that it reads, and below a pipe of the same
# name that reads them as $1, $2 ...; $ways is what was found before. What this build lacks is skipped.
findings='
assoc      l2assoc   evict survive stride
level      l2level   latency
knee       l2knee    latency
policy     l2policy  replace
slice      l2slice   matrix contend
loads      l2slice   loads
sector     l2sector  sector partial sametag
write      l2write   write dirty inclusion
copies     l2copies  copies
band       l2band    bandwidth tlb persist
'
find_level() { l2level ${ways:+-w "$ways"} "$@"; }
find_knee() { l2knee "$@"; }
find_assoc() { l2assoc "$@"; }
find_policy() { l2policy "$@"; }
find_slice() { l2slice "$@"; }
find_loads() { l2slice "$@" | only slices_side grain; } # by loads, partners are one
find_sector() { l2sector "$@"; }
find_write() { l2write "$@"; }
find_copies() { l2copies "$@"; }
find_band() { l2band "$@"; }

# only PARAM...: these rows of a table of findings.
only()
{
    awk -F "$TAB" -v names=" $* " '/^#end/ { next } /^#/ || !header || index(names, " " $1 " ") { rows += !/^#/; print }
        !/^#/ { header = 1 } END { print "#end rows=" rows - 1 " status=ok" }'
}
