# make bench-gpu: what is made of another program's output.
load ../common

setup()
{
    cd "$BATS_TEST_TMPDIR" || return 1
    peer=$TOP/tests/gpu/peer.sh
    cat >said <<'END'
     data set   exec time     spread       Eff. bw
       256 kB       256 kB        14ms       0.1%   12811.5 GB/s        0 GB/s      0 GB/s      0 GB/s      0 GB/s 
       256 kB     15104 kB        19ms       0.2%    9701.2 GB/s      3 GB/s      0 GB/s  99999 GB/s      0 GB/s 
       256 kB     40704 kB        20ms       0.1%    9500.0 GB/s        0 GB/s      0 GB/s      0 GB/s      0 GB/s 
       256 kB     63232 kB        31ms       0.1%    5300.0 GB/s        0 GB/s      0 GB/s      0 GB/s      0 GB/s 
       256 kB    503296 kB        41ms       0.1%    4720.0 GB/s        0 GB/s      0 GB/s      0 GB/s      0 GB/s 
END
}

@test "peer: the best of 15 to 40 MB, and beyond 8 times the L2" {
    run -0 "$peer" said 62914560
    [ "$output" = "9701.2 4720" ]
    run -0 "$peer" said 62914560 9600 4606.72
    [ "${lines[0]}" = "peer: 9701 GB/s from the L2: ours is 0.990 of it" ]
    [ "${lines[1]}" = "peer: 4720 GB/s from memory: ours is 0.976 of it" ]
}

@test "peer: a program says the same as its output" {
    printf '#!/bin/sh\ncat "%s/said"\n' "$PWD" >program
    chmod +x program
    run -0 "$peer" program 62914560
    [ "$output" = "9701.2 4720" ]
}

@test "peer: a figure" {
    run -0 "$peer" 9600 62914560 4800 1
    [ "${lines[0]}" = "peer: 9600 GB/s from the L2: ours is 0.500 of it" ]
    [ "${lines[1]}" = "peer: nothing beyond 8 times the L2" ]
}

@test "peer: one that prints nothing, or nothing of use, or fails, is told in one line" {
    : >empty
    run -1 "$peer" empty 62914560
    [ "$output" = "peer.sh: empty: prints nothing" ]
    echo 'no CUDA device' >useless
    run -1 "$peer" useless 62914560
    [[ $output == "peer.sh: useless: no line with 'SIZE kB'"*"in its 1 lines" ]]
    printf '#!/bin/sh\nexit 3\n' >broken
    chmod +x broken
    run -1 "$peer" broken 62914560
    [ "$output" = "peer.sh: ./broken: ended with 3 after 0 lines" ]
    run -1 "$peer" nowhere 62914560
    [ "$output" = "peer.sh: 'nowhere' is no program, no file and no figure in GB/s" ]
    BENCH_PEER=nowhere run -1 "$TOP/tests/gpu/bandwidth.sh" sim:tiny
    [ "$output" = "bandwidth.sh: BENCH_PEER='nowhere' is no program, no file and no figure in GB/s" ]
}
