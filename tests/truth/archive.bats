#!/usr/bin/env bats
# The archived runs of a real H200, analyzed again: the same knees on every machine, without a GPU.
load ../common

setup()
{
    archive=$TOP/share/archive/h200
    cd "$BATS_TEST_TMPDIR" || return 1
}

# knees FILE: x_mid and capacity of every high knee, in megabytes.
knees()
{
    l2stat "$archive/$1.tsv.gz" 2>/dev/null | l2knee 2>/dev/null | body - |
        awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["conf"] == "high" { print $at["x_mid"] / 1e6, $at["capacity"] / 1e6 }'
}

@test "h200 latency: knees at one side and at the whole L2" {
    knees latency | tee got
    awk '{ x[NR] = $1 } END { exit !(NR == 2 && x[1] > 26 && x[1] < 34 && x[2] > 54 && x[2] < 66) }' got
    # 47 slices x 320 sets x 16 ways x 128 bytes on each of two sides, found by eviction sets: within 3 %.
    awk '{ c = 30.80192 * NR; bad += !($2 > 0.97 * c && $2 < 1.03 * c) } END { exit bad }' got
}

@test "h200 latency walked back: the count, short of the sets by the lines of others" {
    archive=$TOP/share/archive/h200-d
    knees latency | tee got
    awk '{ c = 30.80192 * NR; bad += !($2 > 0.96 * c && $2 < c) } END { exit !(NR == 2 && bad == 0) }' got
    l2level "$archive/latency.tsv.gz" 2>/dev/null >levels
    found levels capacity_side count | awk '{ print; ok = $1 > 0.97 * 30801920 && $1 < 30801920 } END { exit !ok }'
}

# Lines that hit the own side after a pause of so many milliseconds, of 240 640 that fit.
@test "h200 linger: lines of others come in with time" {
    l2stat -g pause -m "$TOP/share/archive/h200-d/linger.tsv.gz" 2>/dev/null | body - |
        awk -F '\t' '$2 == 1 { left[$1] = $9 / 5 }
            END { rate = (left[0] - left[1000]) / 1000; print left[0], left[1000], rate
                  exit !(left[0] > 233000 && left[0] < 240640 && rate > 10 && rate < 20) }'
}

@test "h200 latency through L1: L1, then the same two" {
    knees latency-ca | tee got
    awk '{ x[NR] = $1 } END {
        exit !(NR == 3 && x[1] > 0.22 && x[1] < 0.3 && x[2] > 26 && x[2] < 34 && x[3] > 54 && x[3] < 66) }' got
}

@test "h200 clock: the timer is what lies between a hop timed alone and in a pass" {
    l2stat -g what "$archive/clock.tsv.gz" 2>/dev/null | body - |
        awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } { mean[$1] = $at["mean"] }
            END { d = mean["chase_each"] - mean["chase_total"]; print d, mean["timer"]
                  exit !(d > 0 && d < 2 * mean["timer"] && mean["mhz"] > 1900 && mean["mhz"] < 2000) }'
}

@test "h200 bandwidth: reads from L2 are faster than from memory, which no spec is exceeded by" {
    gzip -dc "$archive/bandwidth.tsv.gz" | body - |
        awk -F '\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["op"] == "read" {
            if ($at["size"] < 32e6 && $at["gbps"] > fast) fast = $at["gbps"]
            if ($at["size"] > 128e6 && $at["gbps"] > slow) slow = $at["gbps"] }
        END { print fast, slow; exit !(fast > 9500 && slow > 4000 && slow < 4900) }'
}

# found FILE PARAM METHOD: a value of a findings table.
found()
{
    body "$1" | awk -F '\t' -v p="$2" -v m="$3" '$1 == p && $6 == m { print $2; exit }'
}

@test "h200 sectors: line 128, sector 32, 64 fetched, by four methods" {
    l2sector "$archive/sector.tsv.gz" "$archive/partial.tsv.gz" "$archive/sametag.tsv.gz" >got
    [ "$(found got sector touch_probe)" = 32 ]
    [ "$(found got sector partial_l2)" = 32 ]
    [ "$(found got sector partial_memory)" = 32 ]
    [ "$(found got line same_tag)" = 128 ]
    [ "$(found got fetch_default touch_probe)" = 64 ]
    [ "$(found got fetch_default partial_memory)" = 64 ]
    [ "$(found got fetch_default same_tag)" = 64 ]
    [ "$(body got | awk -F '\t' '$1 == "fetch_set" { print $2 }' | sort -n | tr '\n' ' ')" = "32 64 128 " ]
    [ "$(body got | grep -c 'touch_.*	limit [0-9]*; 0 of 480 probes contradict')" -eq 9 ]
}

@test "h200 stores: whole sectors without a fetch, 7 dirty lines of 16, a dirty line is spared once" {
    l2write "$archive/write.tsv.gz" "$archive/dirty.tsv.gz" >got
    [ "$(found got write_allocate store_probe)" = sector ]
    [ "$(found got partial_fetch store_probe)" = no ]
    [ "$(found got byte_mask fill)" = yes ]
    [ "$(found got write_back discard)" = yes ]
    [ "$(found got dirty_ways discard)" = 7 ]
    [ "$(found got dirty_ways order)" = 7 ]
    [ "$(found got evicted_first order)" = clean ]
    [ "$(found got dirty_outlives outlive)" = 1 ]
}

@test "h200 eviction sets, survival, stride: 16 ways, 15 040 sets of a side, a hashed index" {
    l2assoc "$archive/evict.tsv.gz" "$archive/survive.tsv.gz" "$archive/stride.tsv.gz" >got 2>/dev/null
    [ "$(found got ways evict_home)" = 16 ]
    [ "$(found got ways survival)" = 16 ]
    [ "$(found got line same_tag)" = 128 ]
    [ "$(found got index stride)" = hashed ]
    body got | awk -F '\t' '$1 == "sets_side" && $3 <= 15040 && 15040 <= $4 { n++ } END { exit n < 2 }'
}

@test "h200 replacement: LRU, every other candidate rejected" {
    l2policy "$archive/replace.tsv.gz" >got 2>/dev/null
    [ "$(found got policy replay)" = lru ]
    body got | grep -q '^policy	lru	.*100.000 % as predicted; all [0-9]* other candidates rejected'
}

@test "h200 copies: kept at once, like any line, whatever becomes of the home" {
    l2copies "$archive/copies.tsv.gz" >got 2>/dev/null
    [ "$(found got copy_model replay)" = first,high,kept,shared ]
}

@test "h200 slices: 94, 47 a side, sides by bits 12 13 15 17 19 and a constant a page" {
    l2slice "$archive/contend.tsv.gz" "$archive/matrix.tsv.gz" >got 2>/dev/null
    body got | awk -F '\t' '$1 == "slices" { a = $2 } $1 == "slices_side" { b = $2 } $1 == "side_mask" { c = $2 }
        $1 == "grain" { d = $2 } END { print a, b, c, d; exit !(a == 94 && b == 47 && c == "12,13,15,17,19" && d == 256) }'
}

@test "h200 slices: contention and fingerprints agree on 99.5 % of pairs, and no pair contradicts" {
    l2slice "$archive/contend.tsv.gz" "$archive/matrix.tsv.gz" >got 2>/dev/null
    body got | awk -F '\t' '$1 == "slice_agreement" { a = $2 } $1 == "subslices" { b = $2 } $1 == "slice_linear" { c = $2 }
        $1 == "slice_xor" { d = d $2 } END { print a, b, c, d; exit !(a >= 0.995 && b == 94 && c == "no" && d == "12,13,15,17,19") }'
    grep -q '^slices	.* 0 of [0-9]* pairs contradict' got
}

@test "h200 sides: 1061 lines of 87 pages predicted from one line a page and the mask of 41 others" {
    gzip -dc "$archive/matrix.tsv.gz" >all.tsv
    l2slice -m all.tsv 2>/dev/null | body - >measured
    awk -F '\t' 'NR == 1 { next } { page = int($1 / 2097152) } page <= 40 || !seen[page]++ { print $1 }' measured >known
    { echo offset; awk -F '\t' 'FNR == NR { known[$1]; next } FNR > 1 && !($1 in known) { print $1 }' known measured; } >fresh.tsv
    awk -F '\t' 'FNR == NR { known[$1]; next } /^#end/ { print "#end rows=" n + 0 " status=ok"; next }
        /^#/ || $1 == "exp" { print; next } $4 in known { n++; print }' known all.tsv >known.tsv
    l2slice -p fresh.tsv known.tsv 2>/dev/null | body - >predicted
    awk -F '\t' 'FNR == 1 { next } FNR == NR { side[$1] = $3; next } { n++; right += side[$1] == $2 && $2 >= 0 }
        END { print right, n; exit !(n == 1061 && right == n) }' measured predicted
}

@test "h200-c: 500 of 500 eviction sets have 16 lines, sets within 2 % of 47 x 320" {
    l2assoc "$archive-c/evict.tsv.gz" >got 2>/dev/null
    grep -q '^ways	16	.*	500 of 500 verified sets have 16 lines; 500 of 500 targets verified' got
    body got | awk -F '\t' '$1 == "sets_side" && $6 == "tipping" { print $2, $3, $4; ok = $2 / 15040 < 1.02 && $2 / 15040 > 0.98 && $3 < 15040 && 15040 < $4 }
        END { exit !ok }'
}

@test "h200-c: the line by stride; a hint of 256 bytes is followed at their start; one slice" {
    l2sector "$archive-c/sector.tsv.gz" "$archive-c/pitch.tsv.gz" >got
    body got | awk -F '\t' '$1 == "line" && $6 == "stride" { n += $3 < 128 && 128 < $4 } END { exit n != 1 }'
    [ "$(body got | grep -c '^fetch_hint	128	.*touch_pf256.*a touch at the start of 256 brings all of them (16 probes); 0 of 480')" -eq 4 ]
    l2band "$archive-c/slice.tsv.gz" | body - | awk -F '\t' '{ v[$1] = $2 } END {
        print v["slice_bw"], v["slice_write_bw"], v["slice_atom_bw"]
        exit !(v["slice_bw"] > 54 && v["slice_bw"] < 64 && v["slice_write_bw"] > 27 && v["slice_write_bw"] < 32 && v["slice_atom_bw"] > 21 && v["slice_atom_bw"] < 32) }'
}

@test "h200-c: the transpose as predicted, by counters: 1 point, 3 where every line is read 32 times" {
    awk -F '\t' '/^#/ { next } !header++ { for (i = 1; i <= NF; i++) at[$i] = i; next }
        {
            d = $at["hit"] - $at["hit_seen"]; d = d < 0 ? -d : d
            r = $at["read"] / $at["dram"] - 1; r = r < 0 ? -r : r
            print $1, d, r
            n += d < ($1 == "256x1" ? 0.03 : 0.01) && r < ($1 == "256x1" ? 0.03 : 0.01)
        }
        END { exit n != 6 }' "$archive-c/transpose.tsv"
}

@test "h200 predictions: twenty patterns, 18 within 3 points; what was measured comes out of the raw replay" {
    l2level "$archive-c/predict-levels.tsv.gz" "$archive-c/predict-replay.tsv.gz" 2>/dev/null | body - >measured
    awk -F '\t' '
        FNR == NR { if ($3 == "all") got[$2] = $6; next }
        /^#/ { next }
        !header++ { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { n++; good += $at["off"] <= 0.03; d = got[$1] - $at["local_measured"]; same += $1 in got && d < 0.001 && d > -0.001 }
        END { print n, good, same; exit !(n == 20 && good >= 18 && same == n) }' measured "$archive/predictions.tsv"
}
