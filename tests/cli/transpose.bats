# share/examples/transpose.sh with a compiler and a profiler that are scripts: what ncu prints is read, whatever stands
# around it, and a profiler that may read no counters leaves times and predictions.
load ../common

# stub NAME: a program of this name from standard input.
stub()
{
    cat >"stubs/$1"
    chmod +x "stubs/$1"
}

setup()
{
    cd "$BATS_TEST_TMPDIR" || return 1
    mkdir stubs
    PATH=$PWD/stubs:$PATH
    # The kernel: prints its time. The compiler: the word after -o is what to make.
    stub nvcc <<'END'
#!/bin/sh
while [ "$1" != -o ]; do shift; done
printf '#!/bin/sh\nprintf "block\\tms\\n%%s\\t0.25\\n" "$3"\n' >"$2"
chmod +x "$2"
END
}

# An ncu that knows these counters; its table is in the form of ncu --csv, its numbers are made up.
ncu()
{
    stub ncu <<'END'
#!/bin/sh
case $* in
*--query-metrics*)
    printf '%s  Counter  sectors\n' lts__t_sectors_srcunit_tex_op_read lts__t_sectors_srcunit_tex_op_read_lookup_hit \
        lts__t_sectors_op_read lts__t_sectors_op_read_lookup_hit dram__bytes_read
    exit ;;
esac
echo '==PROF== Connected to process 7 (transpose)'
echo 'block	ms'
echo '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"'
row() { printf '"0","7","transpose","127.0.0.1","transpose(float *, const float *, int, int)","1","7","(256, 1, 1)","(9, 1, 1)","0","9.0","Command line profiler metrics","%s.sum","sector","%s"\n' "$@"; }
row dram__bytes_read 1,033,915,328
row lts__t_sectors_op_read 4,000
row lts__t_sectors_op_read_lookup_hit 600
row lts__t_sectors_srcunit_tex_op_read 2,000
row lts__t_sectors_srcunit_tex_op_read_lookup_hit 500
echo '==PROF== Disconnected from process 7'
END
}

@test "counters stand beside the prediction" {
    ncu
    "$TOP/share/examples/transpose.sh" -m tiny -r 512 -c 32 -o t 32x8 >got 2>err
    # Of 16 384 loads 2000 were looked up; 500 of these hit at once and 100 more on the other side.
    grep -v '^#' got | cut -f 1,5-9 | tail -n 1 | tr '\t' ' ' | grep -x '32x8 0.25 0.914551 0.908447 0.15 1033915328'
    [ ! -s err ]
    # The table of a run is taken where there is no GPU.
    rm stubs/ncu
    "$TOP/share/examples/transpose.sh" -m tiny -r 512 -c 32 -o u -k t/table.tsv 32x8 >again 2>err
    cmp got again
    [ ! -s err ]
    fails 1 'nothing.tsv: cannot read it' "$TOP/share/examples/transpose.sh" -k nothing.tsv
}

@test "no permission: what ncu said is shown, the rest is there" {
    ncu
    sed -i '/^echo .==PROF== Conn/,$d' stubs/ncu
    echo "echo '==ERROR== ERR_NVGPUCTRPERM - The user does not have permission'; exit 1" >>stubs/ncu
    "$TOP/share/examples/transpose.sh" -m tiny -r 512 -c 32 -o t 32x8 >got 2>err
    grep -q 'ncu gave not all of .*dram__bytes_read' err
    grep -q ERR_NVGPUCTRPERM err
    grep -v '^#' got | cut -f 1,5-9 | tail -n 1 | tr '\t' ' ' | grep -x '32x8 0.25 nan nan nan nan'
}

@test "no compiler: predictions only; a shape that is none is status 2" {
    printf '#!/bin/sh\nexit 1\n' >stubs/nvcc
    "$TOP/share/examples/transpose.sh" -m tiny -r 512 -c 32 -o t 32x8 16x16 >got 2>err
    grep -q 'predictions only' err
    [ "$(grep -vc '^#' got)" -eq 3 ]
    fails 2 "not a number or a shape: '16x'" "$TOP/share/examples/transpose.sh" 16x
}
