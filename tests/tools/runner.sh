# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# The runner of the tests: that nothing that goes wrong is counted as passed.
set -eu
. "$(dirname "$0")/../harness/tap.sh"

# Runs one program in the runner and leaves its line of the counts in $counts.
run() # COMMAND
{
    rm -rf "$SCRATCH/logs"
    mkdir "$SCRATCH/logs"
    output=$(printf "sample %s\n" "$1" | TEST_TIMEOUT=2 "$ROOT/tools/tap-run" "$SCRATCH/logs" 2>&1)
    counts=$(cat "$SCRATCH/logs/counts")
}

run 'printf "1..2\nok 1 - a\nok 2 - b # SKIP because\n"'
is 'passed and skipped points are counted' "$counts" 'sample 1 0 1'
run 'printf "1..2\nok 1 - a\nnot ok 2 - b\n"; exit 1'
is 'a failing point is counted' "$counts" 'sample 1 1 0'
contains '  and shown' "$output" 'not ok 2 - b'
run 'printf "1..3\nok 1 - a\n"'
is 'fewer points than planned are a failure' "$counts" 'sample 1 1 0'
contains '  and both numbers are printed' "$output" 'planned 3 points and gave 1'
run 'printf "1..1\nok 1 - a\nok 2 - b\n"'
is 'more points than planned are a failure' "$counts" 'sample 2 1 0'
run 'true'
is 'a program without output is a failure' "$counts" 'sample 0 1 0'
run 'printf "1..1\nok 1 - a\n"; exit 3'
is 'a bad exit status is a failure' "$counts" 'sample 1 1 0'
run 'printf "1..1\nnot ok 1 - a\n"'
is 'a failing point is a failure even with exit status 0' "$counts" 'sample 0 2 0'
run 'printf "1..2\nok 1 - a\n"; kill -SEGV $$'
is 'a crash is a failure' "$counts" 'sample 1 1 0'
contains '  and the signal is printed' "$output" 'signal 11'
run 'printf "1..1\nok 1 - a\n"; exec sleep 60'
is 'a program that hangs is a failure' "$counts" 'sample 1 1 0'
contains '  and its time limit is printed' "$output" 'took longer than 2 s'
run 'printf "1..0 # SKIP no tool\n"'
is 'a program may be skipped as a whole' "$counts" 'sample 0 0 1'
contains '  and the reason is printed' "$output" 'skipped: no tool'

printf 'one 3 0 0\ntwo 4 0 1\n' >"$SCRATCH/logs/counts"
exits 0 'tap-sum succeeds if every test has passed' "$ROOT/tools/tap-sum" "$SCRATCH/logs"
is '  and prints the totals' "$output" '7 passed, 0 failed, 1 skipped'
printf 'one 3 0 0\ntwo 4 2 0\n' >"$SCRATCH/logs/counts"
exits 1 'tap-sum fails if one test has failed' "$ROOT/tools/tap-sum" "$SCRATCH/logs"
is '  and names it' "$output" "failed: two
7 passed, 2 failed"
exits 0 'tap-step reports a command that succeeds as ok' "$ROOT/tools/tap-step" 'it works' true
exits 1 'tap-step reports a command that fails as not ok' "$ROOT/tools/tap-step" 'it works' sh -c 'echo why; exit 7'
is '  with the output of the command' "$output" "1..1
# why
not ok 1 - it works"
done_testing
