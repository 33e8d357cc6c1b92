#!/bin/bash
# slice_draw.sh SEED DIR: draws a chip from SEED, writes DIR/chip.dev and what l2slice must find to DIR/truth: lines
# "slices N", "sides N", "grain N", "linear yes|no", "side BITS" and "xor BITS" (rows of the reduced spans, sorted; "xor
# any" for an even modulo, whose lowest bits are XOR functions, too).
set -eu
state=$(($1 * 2654435761 + 12345))
dir=$2

# draw LO HI: d becomes one number of them (a linear congruential generator, for $RANDOM forgets its seed in subshells).
draw()
{
    state=$((state * 6364136223846793005 + 1442695040888963407))
    d=$(($1 + (state >> 33 & 0x3fffffff) % ($2 - $1 + 1)))
}

# reduce MASK...: the rows of the reduced span as bit numbers, sorted.
reduce()
{
    local rows=() m r i b lead text
    for m; do
        for r in ${rows[@]+"${rows[@]}"}; do
            ((m ^ r)) && (((m ^ r) < m)) && m=$((m ^ r))
        done
        rows+=("$m")
    done
    # Clear each leading bit from the other rows.
    for ((b = 40; b >= 0; b--)); do
        lead=
        for ((i = 0; i < ${#rows[@]}; i++)); do
            (((rows[i] >> b) == 1)) && lead=$i
        done
        [ -n "$lead" ] || continue
        for ((i = 0; i < ${#rows[@]}; i++)); do
            ((i != lead && (rows[i] >> b & 1))) && rows[i]=$((rows[i] ^ rows[lead]))
        done
    done
    for r in ${rows[@]+"${rows[@]}"}; do
        text=
        for ((b = 0; b < 41; b++)); do
            ((r >> b & 1)) && text=$text${text:+,}$b
        done
        echo "$text"
    done | sort
}

draw 7 12
grain_bit=$d
draw 0 2
sides=$((1 << d))
draw 0 2
hash=$d # 0 XOR, 1 modulo, 2 both, mixed
modulos=(3 5 6 7 9 10 11 12 13 15 17 19 20 23 24 29 31 37 41 43 47 53 59 61)
while :; do
    nmask=0 modulo=1
    draw 1 5
    [ "$hash" = 1 ] || nmask=$d
    draw 0 $((${#modulos[@]} - 1))
    [ "$hash" = 0 ] || modulo=${modulos[$d]}
    slices=$(((1 << nmask) * modulo))
    total=$((sides * slices))
    [ $total -ge 8 ] && [ $total -le 128 ] && break
done

# Masks with pivots of their own below the page's end, so that they are independent within a page; one of them has the
# grain's bit. A side takes bits above the grain only.
nside=$((sides == 1 ? 0 : sides == 2 ? 1 : 2))
pivots=() masks=() all=0
for ((i = 0; i < nside + nmask; i++)); do
    while :; do
        draw $((grain_bit + 1)) 20
        p=$d
        [ "$i" = $((nside + nmask - 1)) ] && [ "$hash" = 0 ] && p=$grain_bit
        ((all >> p & 1)) || break
    done
    all=$((all | 1 << p))
    pivots+=("$p")
done
for ((i = 0; i < nside + nmask; i++)); do
    m=0
    for ((b = grain_bit + 1; b <= 26; b++)); do
        draw 0 2
        ((d == 0 && !(all >> b & 1))) && m=$((m | 1 << b))
    done
    masks+=($((m | 1 << pivots[i])))
done

hex()
{
    for m; do
        printf ' 0x%x' "$m"
    done
}

draw 4 12
r1=$d
draw 0 4
r2=$d
draw 1 2
r3=$d
draw 20 60
r4=$d
draw 360 480
r5=$d
draw 2 12
r6=$d
draw 0 10
r7=$d
draw 4 20
r8=$d
draw 1 5
r9=$d
draw 3 7
r10=$d
cat >"$dir/chip.dev" <<END
name drawn
about drawn from seed $1
seed $1
sms $(($r1 * 4))
sm_run $r2
memory 512M
sides $sides
side_page $([ "$sides" = 1 ] && echo none || echo random)
slices $slices
slice_modulo $modulo
slice_order $([ "$hash" = 2 ] && echo mixed || echo plain)
slice_key $(printf 0x%x $((0xffffffffffff & ~((1 << grain_bit) - 1))))
sub_slices $r3
sets $r4
ways 16
timer 16
latency_local 250
latency_remote $r5
spread_slice $r6
spread_sm $r7
spread_pair $r8
spread_sub 3
noise $r9
outlier_rate 0.001
outlier_cycles 300
service_partner 0.$r10
END
[ $nside = 0 ] || echo "side_masks$(hex "${masks[@]:0:nside}")" >>"$dir/chip.dev"
[ $nmask = 0 ] || echo "slice_masks$(hex "${masks[@]:nside}")" >>"$dir/chip.dev"

page=$(((1 << 21) - 1))
inside=()
for m in ${masks[@]+"${masks[@]}"}; do
    inside+=($((m & page)))
done
{
    echo "slices $total"
    echo "sides $sides"
    echo "grain $((1 << grain_bit))"
    echo "linear $([ "$hash" = 0 ] && echo yes || echo no)"
    reduce ${inside[@]+"${inside[@]:0:nside}"} | sed 's/^/side /'
    if [ "$hash" = 1 ] && ((modulo % 2 == 0)); then
        echo "xor any"
    else
        reduce ${inside[@]+"${inside[@]}"} | sed 's/^/xor /'
    fi
} >"$dir/truth"
