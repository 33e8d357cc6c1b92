# Chips drawn from seeds, with 1, 2 or 4 sides, 8 to 128 slices and XOR, modulo or mixed hashes: l2collect and l2slice must
# find exactly what was drawn. Where fingerprints answer, too, they agree with contention on 99.5 % of pairs; on one chip in 50
# on 95 %, for two of its slices may look alike from every SM. SLICE_DRAWS=200 tries more of them (make truth).
load ../common

setup()
{
    export SLICE_DIR=$BATS_TEST_TMPDIR SLICE_DRAWS=${SLICE_DRAWS:-30}
}

# find FILE PARAM: the different values of a parameter of a findings table, sorted.
find_values()
{
    body "$1" | awk -F'\t' -v p="$2" '$1 == p { print $2 }' | sort -u
}

# one SEED: draws, collects, analyses; what was found in the form of the truth file.
one()
{
    "$TOP"/tests/truth/slice_draw.sh "$1" "$SLICE_DIR"
    l2collect -q -s "$1" -d "sim:$SLICE_DIR/chip.dev" contend matrix op=atom buffer=64M count=1024 random=1024 reps=5 \
        >"$SLICE_DIR/run.tsv" || return 1
    l2slice "$SLICE_DIR/run.tsv" >"$SLICE_DIR/found.tsv" 2>"$SLICE_DIR/warnings" || return 1
    {
        echo "slices $(find_values "$SLICE_DIR/found.tsv" slices)"
        echo "sides $(find_values "$SLICE_DIR/found.tsv" sides | uniq)"
        echo "grain $(find_values "$SLICE_DIR/found.tsv" grain)"
        echo "linear $(find_values "$SLICE_DIR/found.tsv" slice_linear)"
        find_values "$SLICE_DIR/found.tsv" side_mask | uniq | sed 's/^/side /'
        if grep -qx 'xor any' "$SLICE_DIR/truth"; then
            echo "xor any"
        else
            find_values "$SLICE_DIR/found.tsv" slice_xor | sed 's/^/xor /'
        fi
    } >"$SLICE_DIR/found"
    find_values "$SLICE_DIR/found.tsv" slice_agreement | sed "s/^/seed $1: agreement /" | tee -a "$SLICE_DIR/agreements"
    diff "$SLICE_DIR/truth" "$SLICE_DIR/found" || {
        echo "seed $1:"
        cat "$SLICE_DIR/chip.dev" "$SLICE_DIR/warnings"
        return 1
    }
}

@test "drawn chips are recovered exactly" {
    bad=0
    for seed in $(seq "$SLICE_DRAWS"); do
        one "$seed" || bad=$((bad + 1))
    done
    echo "$bad of $SLICE_DRAWS are wrong"
    [ "$bad" -eq 0 ]
    awk '{ n++; low += $4 < 0.995; bad += $4 < 0.95 } END {
        print n, "agreements,", low + 0, "below 0.995"
        exit !(n >= ENVIRON["SLICE_DRAWS"] / 2 && low * 50 <= n && bad == 0)
    }' "$SLICE_DIR/agreements"
}
