#!/usr/bin/env bats
# Sectors and stores: simulated chips with each combination of what a store does must be recovered, by every method.
load ../common

setup()
{
    cd "$BATS_TEST_TMPDIR" || return 1
}

# is PARAM METHOD VALUE: what was found.
is()
{
    local got
    got=$(body found | awk -F '\t' -v p="$1" -v m="$2" '$1 == p && $6 == m { print $2; exit }')
    [ "$got" = "$3" ] || { echo "$1 by $2: '$got', not '$3'"; diff "$L2TOOLS_SHARE/devices/tiny.dev" my.dev; body found | cut -f 1,2,6-; return 1; }
}

@test "sector, line and fetch size: every combination, by three methods" {
    for line in 64 128 256; do
        for sector in 16 32 64; do
            [ $sector -le $line ] && [ $((line / sector)) -le 4 ] || continue
            for fetch in $sector $line; do
                chip "line $line" "sector $sector" "fetch $fetch" "side_masks 0x3000" "l2_api $((960 * line))"
                step=$((sector < 32 ? sector : 32))
                l2collect -q -d sim:./my.dev sector op=cg step=$step reps=2 line=$step fetch=$sector,$line |
                    l2sector >found
                is sector touch_probe "$sector"
                is line touch_probe "$line"
                is fetch_default touch_probe "$fetch"
                l2collect -q -d sim:./my.dev sametag sets=3 line=256 span=512 step=$step reps=1 | l2sector >found
                is line same_tag "$line"
                is fetch_default same_tag "$fetch"
                [ $sector -ge 32 ] || continue
                l2collect -q -d sim:./my.dev partial take=16,32,64,128,256 every=64,128,256,512 bytes=1M reps=1 \
                    fetch=$sector | l2sector >found
                is fetch_default partial_memory "$fetch"
                is sector partial_memory "$sector"
                is sector partial_l2 "$sector"
            done
        done
    done
}

@test "the line by nodes that fit at each stride: lines, hashes, policies" {
    for line in 64 128 256; do
        for kind in 'none lru' 'xor plru'; do
            chip "line $line" "sector $((line / 4))" "fetch $((line / 2))" "set_hash ${kind% *}" "policy ${kind#* }" \
                "l2_api $((960 * line))"
            l2collect -q -d sim:./my.dev pitch sample=16384 | l2sector >found
            body found | awk -F '\t' -v line="$line" '$1 == "line" && $6 == "stride" {
                print line ":", $0; ok = $3 <= line && line <= $4 && $4 < 1.35 * $3 } END { exit !ok }'
        done
    done
}

@test "strides of a plain index that leave sets unused, or too few: the line is not decided" {
    chip 'set_hash none'
    l2collect -q -d sim:./my.dev pitch stride=256,512,1024,2048 buffer=16M sample=8192 | l2sector >found
    is line stride 'not decided'
    l2collect -q -d sim:./my.dev pitch stride=96,160,288 sample=8192 | l2sector >found
    is line stride 'not decided'
    grep -q 'four strides are needed' found
}

@test "allocate, fetch on a partial store, byte mask: every combination" {
    for allocate in sector fetch none; do
        for partial in mask fetch; do
            for back in yes no; do
                chip "write_allocate $allocate" "partial_store $partial" "write_back $back"
                l2collect -q -d sim:./my.dev write reps=2 | l2write >found
                is atomic_fetch store_probe 64
                is write_resident store_probe yes
                case $allocate,$partial in
                sector,mask) is write_allocate store_probe sector
                    is sector store_probe 32
                    is partial_fetch store_probe no
                    is byte_mask fill yes ;;
                sector,fetch) is write_allocate store_probe sector
                    is partial_fetch store_probe yes ;;
                fetch,*) is write_allocate store_probe fetch
                    is partial_fetch store_probe yes ;;
                none,*) is write_allocate store_probe no ;;
                esac
            done
        done
    done
}

@test "sectors of 16 and 64 bytes in lines of 64 and 256, from stores" {
    for pair in '64 16' '64 64' '256 64' '128 64'; do
        line=${pair% *} sector=${pair#* }
        chip "line $line" "sector $sector" "fetch $sector" "l2_api $((960 * line))"
        l2collect -q -d sim:./my.dev write reps=2 line=32 | l2write >found
        is sector store_probe "$sector"
        is byte_mask fill yes
    done
}

@test "write-back or through, with and without allocation" {
    for back in yes no; do
        for allocate in sector none; do
            chip "write_back $back" "write_allocate $allocate" 'dram_write_gbps 5'
            l2collect -q -d sim:./my.dev dirty sets=3 | l2write >found
            is write_back discard "$back"
            [ $back = yes ] && [ $allocate = sector ] || continue
            l2collect -q -d sim:./my.dev bandwidth op=write,read size=16K,32K,1M bytes=1M passes=1 | l2write >found
            is write_back footprint yes
        done
    done
}

@test "dirty lines of a set: every limit, cleaned or evicted, and who goes first" {
    for ways in 4 6 8; do
        for limit in 1 2 3 0; do
            for excess in clean evict; do
                chip "ways $ways" "dirty_ways $limit" "dirty_excess $excess" "l2_api $((120 * ways * 128))"
                l2collect -q -d sim:./my.dev dirty sets=3 reps=2 | l2write >found
                is dirty_ways discard $((limit > 0 ? limit : ways))
                is evicted_first order oldest
                [ $limit,$excess != 0,evict ] && [ $excess = evict ] || continue
                is dirty_ways keep "$limit"
                [ "$limit" -ge $((ways - 1)) ] || is dirty_ways order "$limit"
            done
        done
    done
}

@test "dirty lines first, or dirty ones written back and spared once" {
    for first in dirty washed; do
        for limit in 3 0; do
            chip "evict_first $first" "dirty_ways $limit"
            l2collect -q -d sim:./my.dev dirty sets=3 reps=2 | l2write >found
            case $first in
            dirty) is evicted_first order dirty
                is evicted_first outlive 'not decided' ;;
            washed) is evicted_first order clean
                is evicted_first outlive clean
                is write_back order yes
                is dirty_outlives outlive 1 ;;
            esac
            [ $first = dirty ] || [ $limit = 0 ] || is dirty_ways order 3
            [ $first = dirty ] || [ $limit = 0 ] || is dirty_ways discard 3
        done
    done
}

@test "a dirty line's eviction costs what the chip says" {
    chip 'dirty_evict 60'
    l2collect -q -d sim:./my.dev dirty sets=3 reps=3 | l2write >found
    body found | awk -F '\t' '$1 == "dirty_evict_cost" { print; ok = $3 <= 60 && 60 <= $4 && $4 - $3 < 20 } END { exit !ok }'
}

@test "the H200 as it is modelled" {
    cp "$L2TOOLS_SHARE/devices/h200.dev" my.dev
    l2collect -q -d sim:h200 write dirty sets=3 sets=2 | l2write >found
    is write_allocate store_probe sector
    is dirty_ways order 7
    is evicted_first order clean
    is dirty_outlives outlive 1
}

# value FILE PARAM METHOD: what a table of findings says.
value()
{
    awk -F '\t' -v p="$2" -v m="$3" '$1 == p && $6 == m { print $2; exit }' "$1"
}

# told: sector, line, fetch, allocation, write-back, dirty lines, as l2sector and l2write find them on my.dev.
told()
{
    l2collect -q -d sim:./my.dev -o s.tsv sector op=cg reps=1 step="$1" line=32 fetch="$2"
    l2collect -q -d sim:./my.dev -o w.tsv write reps=1 line=32 step="$1"
    l2collect -q -d sim:./my.dev -o d.tsv dirty sets=2 reps=1
    l2sector s.tsv >fs
    l2write w.tsv d.tsv >fw
    echo "$(value fs sector touch_probe) $(value fs line touch_probe) $(value fs fetch_default touch_probe)" \
        "$(value fw write_allocate store_probe) $(value fw write_back discard) $(value fw dirty_ways discard)"
}

@test "sector x line x fetch x allocate x write-back x dirty limit: 88 combinations, each as the chip says" {
    combinations=0 bad=0
    for geometry in '64 16 16' '64 16 64' '64 32 32' '64 32 64' '64 64 64' '128 32 32' '128 32 128' '128 64 64' \
        '128 64 128' '256 64 64' '256 64 256'; do
        read -r line sector fetch <<<"$geometry"
        for rest in 'sector yes 0' 'sector yes 3' 'sector no 0' 'sector no 3' 'none yes 0' 'none yes 3' 'none no 0' 'none no 3'; do
            read -r allocate back limit <<<"$rest"
            combinations=$((combinations + 1))
            case $BIN in
            */asan/*) [ $((combinations % 7)) -eq 0 ] || continue ;; # slow there
            esac
            chip "line $line" "sector $sector" "fetch $fetch" "write_allocate $allocate" "write_back $back" \
                "dirty_ways $limit" "l2_api $((960 * line))"
            want="$sector $line $fetch ${allocate/none/no} $back $((limit > 0 ? limit : 8))"
            [ "$back" = yes ] || want="${want% *} not decided"
            got=$(told $((sector < 32 ? sector : 32)) "$sector,$line")
            [ "$got" = "$want" ] || { bad=$((bad + 1)); echo "want $want, got $got"; }
        done
    done
    echo "$combinations combinations, $bad wrong"
    [ $combinations -eq 88 ]
    [ $bad -eq 0 ]
}
