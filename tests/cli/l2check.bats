# Each rule of l2check, provoked on a changed small chip or by an edited archive; and silence when all is well.
load ../common

setup()
{
    cd "$BATS_TEST_TMPDIR" || return 1
}

# chip LINE...: tiny with other keys, in chip.dev.
chip()
{
    cp "$L2TOOLS_SHARE/devices/tiny.dev" chip.dev
    printf '%s\n' "$@" | while read -r key value; do
        sed -i "/^$key /d" chip.dev
        echo "$key $value" >>chip.dev
    done
}

run_on()
{
    l2collect -q -d "sim:./chip.dev" -o run.tsv "$@"
}

sizes='latency size=4K:512K:6 hops=2048'

# sees RULE: exactly this rule speaks of run.tsv (or the files given), in all columns, with status 1 under -e.
sees()
{
    local rule=$1 status=0
    shift
    l2check -e "${@:-run.tsv}" >got || status=$?
    cat got
    [ "$status" -eq 1 ]
    [ "$(body got | cut -f 2 | tail -n +2 | sort -u)" = "$rule" ]
    [ "$(body got | awk -F '\t' 'NF != 6 || /\t\t/' | wc -l)" -eq 0 ]
}

# among RULE: it is one of those that speak.
among()
{
    l2check run.tsv | cut -f 2 | grep -qx "$1"
}

@test "silent when all is well" {
    chip
    for e in "$sizes" clock 'bandwidth size=16K,1M bytes=16M' 'matrix contend op=atom count=256' 'evict targets=6'; do
        # shellcheck disable=SC2086
        run_on $e
        [ -z "$(l2check -e run.tsv)" ]
    done
    l2check -e - <run.tsv >got
    [ ! -s got ]
}

@test "incomplete: stopped, failed, cut, damaged" {
    chip 'fail_after 8'
    not run_on $sizes 2>/dev/null
    sees incomplete
    grep -F 'status=error' got
    chip
    run_on $sizes
    head -c 5000 run.tsv >cut.tsv
    sees incomplete cut.tsv
    gzip -c run.tsv | head -c 5000 >cut.tsv.gz
    sees incomplete cut.tsv.gz
}

@test "devices: archives of two chips" {
    chip
    run_on $sizes
    l2collect -q -d sim:v100 -o other.tsv clock
    sees devices run.tsv other.tsv
}

@test "zero_cycles: accesses of 0 or 1 cycle" {
    chip
    run_on $sizes
    awk -F '\t' -v OFS='\t' '/^latency/ && $2 == 0 { $15 = 1 } { print }' run.tsv >x && mv x run.tsv
    among zero_cycles
}

@test "zero_timer: clock reads with nothing between" {
    chip 'timer 0'
    run_on clock
    sees zero_timer
}

@test "chain: no proof of a single cycle" {
    chip
    run_on $sizes
    grep -v '^#cycles_verified' run.tsv >x && mv x run.tsv
    sees chain
}

@test "l1: latencies that are those of L1" {
    chip
    run_on $sizes op=ca size=1K:512K:6
    sees l1
}

@test "spread: hits over 30 %" {
    chip 'noise 40'
    run_on $sizes
    among spread
}

@test "cold: a first pass without a warm cache" {
    chip
    run_on $sizes
    awk -F '\t' -v OFS='\t' '/^latency/ && $14 == 0 { $15 = int($15 * 1.2) } { print }' run.tsv >x && mv x run.tsv
    sees cold
}

@test "drift: a clock that moves over the run" {
    chip 'drift 0.1' 'drift_seconds 0.5'
    run_on $sizes
    among drift
    among clock_moved
}

@test "clock_moved, warmed, throttled: from the lines before and after" {
    chip
    run_on $sizes
    sed 's/^#clock_measured_after .*/#clock_measured_after 1200/' run.tsv >x.tsv
    sees clock_moved x.tsv
    grep -F 'from 1500 to 1200 MHz, by -20.0 %' got
    sed 's/^#temperature_after .*/#temperature_after 71/' run.tsv >x.tsv
    sees warmed x.tsv
    sed 's/^#throttle .*/#throttle power/' run.tsv >x.tsv
    sees throttled x.tsv
}

@test "neighbours, partitioned, persisting: the state of the device" {
    chip 'processes 2'
    run_on clock
    sees neighbours
    chip 'mig 1'
    run_on clock
    sees partitioned
    chip
    run_on clock
    sed -i 's/^#persisting .*/#persisting 65536/' run.tsv
    sees persisting
    l2=$(sed -n 's/^#l2_bytes //p' run.tsv)
    sed -i "s/^#persisting .*/#persisting $((l2 * 3 / 16))/" run.tsv
    [ -z "$(l2check -e run.tsv)" ]
}

@test "no_knee: why there is none" {
    chip
    run_on latency size=4K:48K:6
    sees no_knee
    grep -F 'the range ends before the cache does' got
    run_on latency size=512K:4M:6
    sees no_knee
    grep -F 'begins beyond the cache' got
    run_on latency size=4K,512K,1M
    sees no_knee
    grep -F 'too coarse' got
    run_on $sizes
    awk -F '\t' -v OFS='\t' '/^latency/ { $15 = 200 + $2 % 2 } { print }' run.tsv >x && mv x run.tsv
    sees no_knee
    grep -F 'a chain that closes early' got
}

@test "translation: a rise that is the TLB's" {
    chip 'tlb_pages 4' 'tlb_cycles 200'
    run_on latency size=4K:32M:4 hops=2048
    sees translation
}

@test "no_spike: unless eviction sets were found" {
    chip
    run_on stride buffer=16M
    mv run.tsv stride.tsv
    sees no_spike stride.tsv
    run_on evict targets=6
    l2check -e stride.tsv run.tsv
    l2collect -q -d sim:v100flat -o run.tsv stride
    l2check -e run.tsv
}

@test "few_sets: targets without an eviction set" {
    chip 'neighbour 0.1'
    run_on evict targets=6 tries=1
    sees few_sets
}

@test "slow_cache, slow_memory: few threads" {
    chip
    run_on bandwidth size=16K,1M op=read bytes=16M blocks=1 threads=32 unroll=1
    among slow_cache
    among slow_memory
}

@test "above_bus: memory faster than its bus" {
    chip 'bus_width 64'
    run_on bandwidth size=16K,1M op=read bytes=16M
    sees above_bus
}

@test "repeats: launches that differ" {
    chip
    run_on bandwidth size=16K op=read bytes=16M
    awk -F '\t' -v OFS='\t' 'NF > 10 && !/^#/ && ++n == 2 { $(NF - 1) /= 2 } { print }' run.tsv >x && mv x run.tsv
    sees repeats
}

@test "slices_merged: pairs that tell nothing apart" {
    chip 'service_atom 0' 'service_load 0'
    run_on contend op=atom count=64
    sees slices_merged
}

@test "every rule has a test here" {
    for rule in $(l2check -l | cut -f 1); do
        grep -qE "(sees|among) $rule\b" "$BATS_TEST_FILENAME" || { echo "no test of $rule"; return 1; }
    done
}

@test "bad input and usage" {
    fails 1 'no column exp' l2check "$DATA/two_equal.tsv" || fails 1 'nowhere.tsv' l2check nowhere.tsv
    fails 1 'nowhere.tsv: No such file' l2check nowhere.tsv
    fails 2 'usage' l2check --nonsense
}
