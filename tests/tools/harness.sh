# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# The test harness from outside: that a failure is a failure, and can be replayed.
set -eu
. "$(dirname "$0")/../harness/tap.sh"
failing=$BUILD/tests/failing

point() # NUMBER: the line of that point
{
    printf '%s\n' "$output" | grep -E "^(not )?ok $1 "
}

exits 1 'a program with failing tests exits with 1' "$failing"
contains 'the plan counts every test' "$output" '1..10'
is 'a test that passes is reported as ok' "$(point 1)" 'ok 1 - passes'
is 'a false condition is a failure' "$(point 2)" 'not ok 2 - a false condition fails'
place=$(grep -n '1 + 1 == 3' "$ROOT/tests/harness/failing.c" | cut -d : -f 1)
contains 'a false condition is shown with its place' "$output" "tests/harness/failing.c:$place: expected 1 + 1 == 3"
is 'a failure inside a helper ends the test' "$(point 3)" 'not ok 3 - unequal integers fail and are shown'
contains 'the left value is shown' "$output" 'left : -3'
contains 'the right value is shown' "$output" 'right: 4 (0x4)'
is 'unequal memory is a failure' "$(point 4)" 'not ok 4 - unequal memory fails and shows the offset'
contains 'the first differing offset is shown' "$output" 'first difference at offset 3 of 6'
is 'unequal strings are a failure' "$(point 5)" 'not ok 5 - unequal strings fail and are shown'
is 'comparison respects signs' "$(point 6)" 'not ok 6 - a wrong order fails'
is 'a property fails if it fails for one seed' "$(point 7)" 'not ok 7 - a property that fails for one seed only'
is 'a skipped test is not a failure' "$(point 8)" 'ok 8 - a skipped test says why # SKIP it is an example'
is 'a test without an expectation is a failure' "$(point 10)" 'not ok 10 - a test without an expectation fails'

replay=$(printf '%s\n' "$output" | sed -n 's/^# replay: //p')
is 'a failing seed is printed with the command that replays it' "$replay" \
    "$failing --seed 42 \"a property that fails for one seed only\""
exits 1 '  the command fails again' sh -c "$replay"
contains '  and runs no other test' "$output" '1..1'
exits 0 'the property passes with another seed' "$failing" --seed 41 'a property that fails for one seed only'
exits 0 '--count limits the runs, so that the failing seed is not reached' "$failing" --count 41 --only 'one seed only'
exits 0 '--at-most limits the runs' "$failing" --at-most 41 --only 'one seed only'
exits 0 '--at-most does not raise the number of --count' "$failing" --at-most 99 --count 41 --only 'one seed only'
exits 0 '--from begins after the failing seed, and the property passes' "$failing" --from 43 --only 'one seed only'
exits 1 '--from begins at the failing seed, and the property fails' "$failing" --from 42 --count 1 --only 'one seed only'

exits 0 '--only selects tests by a part of their name' "$failing" --only passes
is '  and counts them from 1' "$output" "1..1
ok 1 - passes"
exits 0 '--list lists the names of tests' "$failing" --list
is '  all of the program' "$(printf '%s\n' "$output" | wc -l)" 10
exits 2 'an unknown name of a test is refused' "$failing" 'no such sentence'
exits 2 'an unknown option is refused' "$failing" --frobnicate
exits 2 'a seed that is not a number is refused' "$failing" --seed ten

exits 134 'an aborted program ends with SIGABRT' env SPEC_ABORT=1 "$failing" --only dies
contains '  and prints the test that it ran' "$output" "while running: $failing \"a test that dies names itself\""
done_testing
