#!/usr/bin/env bats
# The format as every filter reads it, tried with l2stat: each input of tests/data is named by its defect.
load ../common
bats_require_minimum_version 1.5.0

# refused NAME 'TEXT': l2stat ends with 1 and one line that begins "l2stat: .../NAME" and holds TEXT.
refused()
{
    fails 1 "$DATA/$1$2" l2stat "$DATA/$1"
    grep -q '^l2stat: ' "$BATS_TEST_TMPDIR/err"
    not grep -q '^#end.*status=ok' "$BATS_TEST_TMPDIR/out"
}

@test "good: read without a word" {
    l2stat "$DATA/good.tsv" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
    [ ! -s "$BATS_TEST_TMPDIR/err" ]
    grep -q '^#simulated yes$' "$BATS_TEST_TMPDIR/out"
    grep -q '^#by l2collect 0.1.0: l2collect -d sim:tiny latency$' "$BATS_TEST_TMPDIR/out"
    grep -q '^#by l2stat ' "$BATS_TEST_TMPDIR/out"
    [ "$(tail -n 1 "$BATS_TEST_TMPDIR/out")" = '#end rows=2 status=ok' ]
}

@test "short_row" { refused short_row.tsv ':3: short row: 5 fields, the header has 6'; }
@test "long_row" { refused long_row.tsv ':3: long row: 7 fields, the header has 6'; }
@test "blank_line" { refused blank_line.tsv ':3: short row: 1 fields'; }
@test "empty_field" { refused empty_field.tsv ':3: column size: empty field'; }
@test "crlf" { refused crlf.tsv ':1: line ends in CR LF: convert it with dos2unix'; }
@test "nul" { refused nul.tsv ':3: NUL byte'; }
@test "dup_column" { refused dup_column.tsv ":1: two columns have the name 'size'"; }
@test "not_a_number" { refused not_a_number.tsv ":3: column cycles: not a number: 'slow'"; }
@test "over_64bit" { refused over_64bit.tsv ":3: column n: over 64 bits: '18446744073709551616'"; }
@test "negative_count" { refused negative_count.tsv ":3: column n: not a whole number: '-1'"; }
@test "hex" { refused hex.tsv ":3: column cycles: not a number: '0xD2'"; }
@test "blank_in_number" { refused blank_in_number.tsv ":3: column cycles: not a number: ' 210'"; }
@test "decimal_comma" { refused decimal_comma.tsv ":3: column cycles: not a number: '210,5'"; }
@test "byte_order_mark" { refused byte_order_mark.tsv ':1: byte order mark'; }
@test "version_2" { refused version_2.tsv ':1: this program reads format 1'; }
@test "empty" { refused empty.tsv ': no header row: the input is empty'; }
@test "no_header" { refused no_header.tsv ': no header row'; }
@test "two_different" { refused two_different.tsv ':11: its columns differ'; }
@test "missing file" { refused nowhere.tsv ': No such file or directory'; }
@test "directory" { refused . ': Is a directory'; }
@test "damaged gz" { fails_with_gzip cut.tsv.gz; }

# gzip says a line of its own before ours.
fails_with_gzip()
{
    local status=0
    l2stat "$DATA/$1" >/dev/null 2>"$BATS_TEST_TMPDIR/err" || status=$?
    [ "$status" -eq 1 ]
    grep -q "^l2stat: $DATA/$1: gzip failed" "$BATS_TEST_TMPDIR/err"
}

@test "truncated in a row: refused, and says that the file may be cut off" {
    refused truncated.tsv ':'
    l2stat "$DATA/truncated.tsv" 2>&1 >/dev/null | grep -q 'cut off'
}

# warned NAME 'TEXT': read to the end with a warning; --strict refuses.
warned()
{
    l2stat "$DATA/$1" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err"
    cat "$BATS_TEST_TMPDIR/err"
    grep -q "^l2stat: warning: $DATA/$1.*$2" "$BATS_TEST_TMPDIR/err"
    grep -q '^#incomplete ' "$BATS_TEST_TMPDIR/out"
    fails 1 "$2" l2stat --strict "$DATA/$1"
}

@test "no_end: a warning, an error with --strict" { warned no_end.tsv 'truncated: no #end line'; }
@test "error_end: the reason is passed on" { warned error_end.tsv 'cuMemAlloc: out of memory'; }
@test "wrong_count" { warned wrong_count.tsv '#end says 4 rows, there are 3'; }

@test "no_newline: a warning, and the last row counts" {
    l2stat "$DATA/no_newline.tsv" 2>"$BATS_TEST_TMPDIR/err" >"$BATS_TEST_TMPDIR/out"
    grep -q 'no newline at the end' "$BATS_TEST_TMPDIR/err"
    [ "$(body "$BATS_TEST_TMPDIR/out" | wc -l)" -eq 2 ]
}

@test "header_only: an empty result is a result" {
    [ "$(l2stat "$DATA/header_only.tsv" | body | wc -l)" -eq 1 ]
    l2stat "$DATA/header_only.tsv" | tail -n 1 | grep -qx '#end rows=0 status=ok'
}

@test "shuffled: the same result" {
    [ "$(l2stat "$DATA/good.tsv" | body | sort)" = "$(l2stat "$DATA/shuffled.tsv" | body | sort)" ]
}

@test "concatenated with equal headers: one table, both devices named" {
    l2stat "$DATA/two_equal.tsv" >"$BATS_TEST_TMPDIR/out"
    [ "$(grep -c '^#device' "$BATS_TEST_TMPDIR/out")" -eq 2 ]
    [ "$(body "$BATS_TEST_TMPDIR/out" | wc -l)" -eq 4 ]
    [ "$(l2stat "$DATA/good.tsv" "$DATA/good.tsv" | body)" = "$(cat "$DATA/good.tsv" "$DATA/good.tsv" | l2stat | body)" ]
}

@test "gzip: a file is read as it is, on standard input too; on a pipe it says what to do" {
    want=$(l2stat "$DATA/good.tsv" | body)
    [ "$(l2stat "$DATA/good.tsv.gz" | body)" = "$want" ]
    [ "$(l2stat <"$DATA/good.tsv.gz" | body)" = "$want" ]
    [ "$(cat "$DATA/good.tsv" | l2stat - | body)" = "$want" ]
    run bash -c 'cat "$DATA/good.tsv.gz" | l2stat'
    [ "$status" -eq 1 ]
    [[ "$output" == 'l2stat: stdin:1: compressed data on a pipe: put gzip -dc before it' ]]
}

@test "full disk: exit 1 and the reason" {
    run bash -c 'l2stat "$DATA/good.tsv" 2>&1 >/dev/full'
    [ "$status" -eq 1 ]
    [ "$output" = 'l2stat: stdout: No space left on device' ]
}

@test "closed pipe: ends quietly, not with success" {
    { printf 'exp\tsize\top\tseq\tcycles\tn\n'; seq -f 'latency	%.0f	cg	0	5	9' 20000; } >"$BATS_TEST_TMPDIR/many.tsv"
    run bash -c 'l2stat "$BATS_TEST_TMPDIR/many.tsv" 2>"$BATS_TEST_TMPDIR/err" | head -n 1 >/dev/null; echo "${PIPESTATUS[0]}"'
    cat "$BATS_TEST_TMPDIR/err"
    [ ! -s "$BATS_TEST_TMPDIR/err" ]
    [ "$output" -ne 0 ]
}

@test "control bytes of the data do not reach the terminal" {
    printf 'exp\tsize\tcycles\tn\nlatency\t1\t\033[31mred\007\t1\n' >"$BATS_TEST_TMPDIR/escape.tsv"
    fails 1 "not a number: '?[31mred?'" l2stat "$BATS_TEST_TMPDIR/escape.tsv"
}

@test "LC_NUMERIC=de_DE: numbers keep their point" {
    if ! locale -a | grep -q '^de_DE'; then
        [ -e /usr/share/i18n/locales/de_DE ] || skip "no locale de_DE: bin/bootstrap check installs it"
        localedef -i de_DE -f UTF-8 "$BATS_TEST_TMPDIR/de_DE.UTF-8" || true
        export LOCPATH=$BATS_TEST_TMPDIR
    fi
    name=$(locale -a 2>/dev/null | grep '^de_DE' | head -n 1)
    name=${name:-de_DE.UTF-8}
    [ "$(LC_ALL=$name awk 'BEGIN { printf "%.1f", 1.5 }')" = 1,5 ] ||
        [ "$(LC_ALL=$name bash -c 'printf %.1f 1,5')" = 1,5 ] || skip "de_DE has no decimal comma here"
    want=$(l2stat "$DATA/good.tsv" | body)
    [ "$(LC_ALL=$name LC_NUMERIC=$name l2stat "$DATA/good.tsv" | body)" = "$want" ]
    fails 1 "not a number: '210,5'" env LC_ALL="$name" l2stat "$DATA/decimal_comma.tsv"
}

@test "1 GB: streamed in little memory" {
    # One block of a megabyte a thousand times; a reader that kept it would need more than the limit on its memory.
    block=$BATS_TEST_TMPDIR/block
    awk 'BEGIN { for (i = 0; i < 33000; i++) printf "latency\t%d\tcg\t0\t%d\t1\n", 65536 * (1 + i % 20), 200 + i % 97 }' >"$block"
    bytes=$(stat -c %s "$block")
    times=$((1000000000 / bytes + 1))
    if [[ $BIN == */asan/* ]]; then times=20; else ulimit -v 300000; fi
    start=$(date +%s%N)
    { printf 'exp\tsize\top\tseq\tcycles\tn\n'; for ((i = 0; i < times; i++)); do cat "$block"; done; } |
        l2stat >"$BATS_TEST_TMPDIR/out"
    ms=$((($(date +%s%N) - start) / 1000000))
    echo "$((bytes * times / 1000)) KB in $ms ms"
    # Every one of its rows was counted.
    [ "$(body "$BATS_TEST_TMPDIR/out" | awk '{ for (i = 1; i <= NF; i++) if (NR == 1 && $i == "n") c = i; s += $c } END { print s }')" -eq $((33000 * times)) ]
}

@test "l2tsv(5) names every key that a run writes, and a run writes the conditions that it must" {
    {
        l2collect -q -d sim:tiny latency size=32K
        l2collect -q -d sim:tiny clock
    } 2>/dev/null | grep '^#' | cut -d ' ' -f 1 | tr -d '#' | sort -u >"$BATS_TEST_TMPDIR/keys"
    while read -r key; do
        grep -qE "^\.It Cm ([a-z_]+ , )?$key( |$)" "$TOP/man/l2tsv.5" || { echo "man/l2tsv.5 lacks #$key"; return 1; }
    done <"$BATS_TEST_TMPDIR/keys"
    for key in l2tsv by device uuid cc sms l2_bytes bus_width driver simulated host time seed clock_sm_before clock_sm_after \
        clock_mem_before clock_mem_after clock_locked clock_measured_before clock_measured_after temperature_before \
        processes ecc mig persisting fetch buffer end; do
        grep -qx "$key" "$BATS_TEST_TMPDIR/keys" || { echo "a run does not write #$key"; return 1; }
    done
}
