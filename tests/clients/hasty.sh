#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs that set timeouts for hardware (hasty.c) beside HASTY_LOAD others that want the processors, for HASTY_SECONDS
# each: no QP fails, and the timeout in force is told.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
seconds=${HASTY_SECONDS:-2}

begin_fabric 1
for _ in $(seq "${HASTY_LOAD:-4}"); do
    nice -n 5 sh -c 'while :; do :; done' &
    others="$others $!"
done

lasts() # SENTENCE ATTRIBUTES TIMEOUT-IN-FORCE
{
    exits 0 "$1" timeout $((seconds + 200)) "$BUILD/tests/hasty" "$2" mrc0 mrc3 "$seconds"
    echo "# $output"
    contains '  and its timeout is longer than requested' "$output" "timeout in force $3"
}

lasts 'a QP with timeout 7 and retry count 7 of verbs does not fail on a busy machine' verbs7 17
lasts 'a QP with timeout 7 and retry count 14 of verbs does not fail on a busy machine' verbs14 17
lasts 'a QP with timeout 7, seven linear and no exponential retries of MRC does not fail on a busy machine' mrc 19
done_testing
