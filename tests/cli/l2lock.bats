# l2lock with a stand-in nvidia-smi (and id) first on PATH: it locks, runs, and always restores.
load ../common

setup()
{
    fake=$BATS_TEST_TMPDIR/fake
    calls=$BATS_TEST_TMPDIR/calls
    mkdir "$fake"
    export calls fake
    cat >"$fake/nvidia-smi" <<'EOF'
#!/bin/sh
echo "$*" >>"$calls"
case "$*" in
*clocks.max.sm*) echo 1980 ;;
*) echo "All done." ;;
esac
case "$*" in
*"${FAIL:-nothing}"*) exit 4 ;;
esac
EOF
    printf '#!/bin/sh\necho 0\n' >"$fake/id"
    chmod +x "$fake"/*
    PATH=$fake:$PATH
}

@test "locks to the clock given, runs the command, unlocks" {
    run --separate-stderr l2lock -f 1200 sh -c 'tail -n 1 "$calls"; cat' <<<"words from stdin"
    [ "$status" -eq 0 ]
    [ "$output" = "-i 0 -lgc 1200,1200
words from stdin" ]
    [ "$(tail -n 1 "$calls")" = "-i 0 -rgc" ]
}

@test "without -f: the highest clock; -i chooses the GPU" {
    l2lock -i 3 true
    [ "$(cat "$calls")" = "-i 3 --query-gpu=clocks.max.sm --format=csv,noheader,nounits
-i 3 -lgc 1980,1980
-i 3 -rgc" ]
}

@test "the command's exit status is kept, its arguments are not split" {
    run l2lock -f 1200 sh -c 'test "$1" = "a  b" && exit 7' - "a  b"
    [ "$status" -eq 7 ]
    [ "$(tail -n 1 "$calls")" = "-i 0 -rgc" ]
}

@test "a command that is not there: 127, and unlocked" {
    run l2lock -f 1200 no-such-command
    [ "$status" -eq 127 ]
    [ "$(tail -n 1 "$calls")" = "-i 0 -rgc" ]
}

@test "TERM ends the command, then unlocks" {
    l2lock -f 1200 sh -c 'echo $$ >"$fake/pid"; trap "echo ended >$fake/ended; exit 5" TERM; while :; do sleep 0.05; done' 3>&- &
    lock=$!
    for _ in $(seq 100); do
        [ -s "$fake/pid" ] && break
        sleep 0.05
    done
    kill "$lock"
    status=0
    wait "$lock" || status=$?
    [ "$status" -eq 143 ]
    [ "$(cat "$fake/ended")" = ended ]
    [ "$(tail -n 1 "$calls")" = "-i 0 -rgc" ]
}

@test "refused lock: the command does not run, clocks are restored" {
    export FAIL=-lgc
    run l2lock -f 1200 touch "$fake/ran"
    [ "$status" -eq 1 ]
    [[ "$output" == *"could not lock the clocks to 1200 MHz"* ]]
    [ ! -e "$fake/ran" ]
    [ "$(tail -n 1 "$calls")" = "-i 0 -rgc" ]
}

@test "a failed restore is said and is a failure" {
    export FAIL=-rgc
    run l2lock -f 1200 true
    [ "$status" -eq 1 ]
    [[ "$output" == *"the clocks are still locked: run nvidia-smi -i 0 -rgc"* ]]
}

@test "not root: says so and touches nothing" {
    printf '#!/bin/sh\necho 1000\n' >"$fake/id"
    run l2lock -f 1200 true
    [ "$status" -eq 1 ]
    [ "$output" = "l2lock: locking clocks needs root: sudo l2lock ..." ]
    [ ! -e "$calls" ]
}

@test "no driver: says so" {
    rm "$fake/nvidia-smi"
    if command -v nvidia-smi; then skip "there is a real nvidia-smi"; fi
    run l2lock true
    [ "$status" -eq 1 ]
    [[ "$output" == *"nvidia-smi is not installed"* ]]
}

@test "usage: no command, bad numbers, unknown option" {
    run l2lock
    [ "$status" -eq 2 ]
    run l2lock -f 12x true
    [ "$status" -eq 2 ]
    run l2lock -f 1200 -i "0; reboot" true
    [ "$status" -eq 2 ]
    run l2lock -x true
    [ "$status" -eq 2 ]
    run l2lock -h
    [ "$status" -eq 0 ]
    [ ! -e "$calls" ]
}
