#!/usr/bin/env bats
# Some seconds of clang's libFuzzer on the reader, from the inputs of tests/data; FUZZ_SECONDS=600 digs deeper.
load ../common

@test "fuzz: the reader refuses or reads any bytes" {
    command -v clang >/dev/null || skip "no clang: bin/bootstrap fuzz installs it"
    echo 'int LLVMFuzzerTestOneInput(void);int LLVMFuzzerTestOneInput(void){return 0;}' |
        clang -xc -fsanitize=fuzzer - -o /dev/null 2>/dev/null || skip "no libFuzzer: bin/bootstrap fuzz installs it"
    make -s -C "$TOP" build/fuzz_tsv
    mkdir "$BATS_TEST_TMPDIR/seeds"
    cp "$DATA"/*.tsv "$BATS_TEST_TMPDIR/seeds/"
    cd "$BATS_TEST_TMPDIR"
    "$TOP/build/fuzz_tsv" -seed=1 -max_total_time="${FUZZ_SECONDS:-4}" -max_len=2000 -verbosity=0 seeds
}
