# l2survey on the small simulated chip: whole, stopped in every way, and resumed.
load ../common

setup_file()
{
    cd "$BATS_FILE_TMPDIR" || return 1
    cp "$L2TOOLS_SHARE/devices/tiny.dev" .
    l2survey -d sim:./tiny.dev -o run --quick >out 2>err
}

setup()
{
    cd "$BATS_TEST_TMPDIR" || return 1
    cp "$L2TOOLS_SHARE/devices/tiny.dev" .
}

survey()
{
    l2survey -d sim:./tiny.dev -o run --quick "$@"
}

# A survey that is done, in run, its output in first.
done_before()
{
    cp -r "$BATS_FILE_TMPDIR/run" .
    cp "$BATS_FILE_TMPDIR/out" first
}

# start: the same in the background, so that $! is the survey itself.
start()
{
    l2survey -d sim:./tiny.dev -o run --quick >out 2>err &
}

manifest()
{
    body run/manifest.tsv | tail -n +2
}

# whole: every archive of the manifest ends well, has as many rows as it says, is there once; nothing else is left.
whole()
{
    manifest | while IFS=$(printf '\t') read -r a _ _ _ rows status; do
        [ "$status" = ok ] || { echo "$a: $status"; return 1; }
        gzip -dc "run/$a.tsv.gz" | tail -n 1 | grep -x "#end rows=$rows status=ok" || return 1
        [ "$(gzip -dc "run/$a.tsv.gz" | grep -c '^#l2tsv')" -eq 1 ] || return 1
    done
    [ -z "$(manifest | cut -f 1 | sort | uniq -d)" ]
    [ "$(manifest | wc -l)" -eq "$(find run -maxdepth 1 -name '*.tsv.gz' | wc -l)" ]
    [ -z "$(find run -name '.part-*')" ]
    [ "$(manifest | wc -l)" -ge 10 ]
}

# steps_done N: waits until the manifest has as many rows.
steps_done()
{
    for _ in $(seq 200); do
        [ "$(manifest 2>/dev/null | wc -l)" -ge "$1" ] && return 0
        sleep 0.02
    done
    return 1
}

sums()
{
    (cd run && md5sum clock.tsv.gz sector.tsv.gz latency.tsv.gz)
}

@test "every archive, the findings, the verdict; the bound before it starts" {
    done_before
    cp first out
    cp "$BATS_FILE_TMPDIR/err" .
    whole
    head -n 1 out | grep -F 'SIMULATED'
    grep -E '^\| ways +\| 8 lines +\|.* agree ' out
    grep -E '^\| slices +\| 6 slices ' out
    grep -E '^\| dirty_ways +\| - .* missing ' out
    grep -E '^\| policy +\| lru ' out
    grep -qx 'l2survey: at most 100 s, about [0-9]* s' err
    grep -x 'l2survey: --quick leaves out: stride contend .*dirty.*' err
    body run/verdict.tsv | cut -f 1,2,6 | grep -x "ways	8	agree"
    l2verdict --strict run/findings/*.tsv >/dev/null
    l2assoc run/evict.tsv.gz run/survive.tsv.gz | grep -v '^#' | cmp - <(body run/findings/assoc.tsv)
}

@test "run again it measures nothing and says the same" {
    done_before
    sums >before
    survey >second 2>err
    cmp first second
    sums | cmp - before
    not grep -q 'of .*: clock' err
}

@test "killed with -9 in the middle: the next run goes on" {
    start
    steps_done 3
    kill -9 $!
    not wait $!
    sums >before
    survey >out 2>err
    whole
    sums | cmp - before
    not grep -q ': latency, ' err
}

@test "terminated: says so, and the next run goes on" {
    start
    steps_done 2
    kill -TERM $!
    not wait $!
    grep -F 'stopped; run it again to go on' err
    [ -z "$(find run -name '.part-*')" ]
    survey >out
    whole
}

@test "the device fails after some operations: status 1, the rest is measured, the next run goes on" {
    echo 'fail_after 1000' >>tiny.dev
    not survey >out 2>err
    grep -F 'l2collect: evict: error: ' err
    grep -F 'of the steps failed; run it again to go on' err
    manifest | grep -P '^clock\t.*\tok$'
    manifest | grep -P '^evict\t.*\tl2collect: evict: error: '
    [ ! -e run/evict.tsv.gz ]
    md5sum run/latency.tsv.gz run/matrix.tsv.gz >before
    cp "$L2TOOLS_SHARE/devices/tiny.dev" .
    survey >out 2>err
    whole
    md5sum run/latency.tsv.gz run/matrix.tsv.gz | cmp - before
}

@test "the disk is full: says so, and the next run goes on" {
    if (trap '' XFSZ; ulimit -f 200; survey) >out 2>err; then false; fi
    grep -E 'run it again to go on' err
    [ -z "$(find run -name '.part-*')" ]
    survey >out
    whole
}

@test "the folder vanishes: status 1 and one clear line, the next run starts anew" {
    start
    steps_done 2
    mv run gone
    not wait $!
    grep -E 'l2survey: .*/run: (the folder has vanished|cannot write)' err
    survey >out
    whole
}

@test "an archive that is cut is measured again, and only that" {
    done_before
    sums >before
    head -c 3000 run/replace.tsv.gz >cut && mv cut run/replace.tsv.gz
    survey >second 2>err
    [ "$(grep -c ' of .*, about' err)" -eq 1 ]
    grep -F ': replace, about' err
    whole
    cmp first second
    sums | cmp - before
}

@test "other parameters measure again, and replace" {
    done_before
    l2survey -q -d sim:./tiny.dev -o run >/dev/null
    whole
    manifest | grep -P '^evict\tevict\ttargets=60 '
}

@test "what l2check finds is told and kept" {
    echo 'processes 1' >>tiny.dev
    sed -i '/^processes 0/d' tiny.dev
    survey >out 2>err
    grep -E 'l2survey: clock.tsv.gz: warning: 1 other process on the device; likely another program' err
    body run/check.tsv | cut -f 2 | grep -qx neighbours
}

@test "a chip of one side: copies are left out, and that is no failure" {
    sed -i 's,^sides .*,sides 1,; /^side_\|^sm_split/d' tiny.dev
    l2survey -d sim:./tiny.dev -o run >out 2>err
    grep -F 'copies: left out: no two sides' err
    manifest | grep -P '^copies\t.*\tleft out: no two sides$'
    [ ! -e run/copies.tsv.gz ]
}

@test "another device in the same folder is refused" {
    done_before
    fails 1 "holds a survey of the device 'sim:./tiny.dev'" l2survey -q -d sim:v100 -o run --quick
}

@test "-n makes findings and verdict from archives alone" {
    done_before
    rm -r run/findings run/verdict.tsv
    (
        l2collect() { false; }
        survey -n >second 2>/dev/null
    )
    cmp first second
    fails 1 'no such folder' l2survey -n -o nowhere
}

@test "after the time that it was given it stops with status 1, and goes on later" {
    not l2survey -d sim:h200 -o run -t 2 --quick >out 2>err
    grep -F 'stopped after the time of 2 s' err
    manifest | grep -P '^clock\t.*\tok$'
    [ ! -e run/bandwidth.tsv.gz ]
}

@test "wrong usage is status 2, --help and --version are 0" {
    fails 2 "not known: '--fast'" l2survey --fast
    fails 2 '-o needs a value' l2survey -o
    fails 2 "not a number of seconds: 'x'" l2survey -t x
    l2survey --help | grep -q -- '--quick'
    l2survey --version | grep -q l2tools
}
