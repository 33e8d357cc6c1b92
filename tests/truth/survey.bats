# A quick survey of drawn chips: no row of the verdict may be wrong; a row may say that it can't tell.
# SURVEY_SEEDS="1 2 3" tries others, SURVEY_MODE= makes the default survey (make truth does).
load ../common

@test "no verdict of drawn chips is wrong" {
    cd "$BATS_TEST_TMPDIR" || return 1
    bad=0
    for seed in ${SURVEY_SEEDS:-1 2 5 6}; do
        "$TESTS/draw_chip" "$seed" - 4096 >chip.dev
        # shellcheck disable=SC2086 # one word or none
        l2survey -q -d sim:./chip.dev -o "$seed" ${SURVEY_MODE---quick} >/dev/null 2>err || grep -q 'nothing to conclude' err
        echo "seed $seed:"
        "$TOP/tests/truth/survey_score.sh" chip.dev "$seed/verdict.tsv" || bad=$((bad + 1))
    done
    [ "$bad" -eq 0 ]
}

@test "the verdict of the small chip is right, and most of it told" {
    cd "$BATS_TEST_TMPDIR" || return 1
    l2survey -q -d sim:tiny -o run --quick >/dev/null 2>&1
    "$TOP/tests/truth/survey_score.sh" "$L2TOOLS_SHARE/devices/tiny.dev" run/verdict.tsv | tee score
    grep -E '^1[5-9] right, 0 wrong' score
}
