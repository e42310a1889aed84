#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# NICs return to a fabric that was stopped or killed and starts again: their QPs go on, every byte arrives.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"

start_again()
{
    "$mrc" fabric run -q --background --slower 1000 "$SCRATCH/four.yaml"
}

start_again
# On a busy machine two restarts take ten seconds.
"$mrc" perf write --devices mrc0,mrc3 -s 64K -q 4 -D 15 -c >"$SCRATCH/perf" 2>&1 &
perf=$!
others=$perf
until_true has_sent mrc0 100
kill -9 "$(process_of fabric)"
start_again
is 'NICs attach again to a fabric that was killed and started' "$(until_true has_attached 8 && echo yes)" yes
"$mrc" fabric stop
start_again
is 'NICs attach again to a fabric that was stopped and started' "$(until_true has_attached 8 && echo yes)" yes
wait "$perf"
is 'the QPs survive both restarts' "$?" 0
contains '  and every byte is correct' "$(cat "$SCRATCH/perf")" 'Out of bounds values : 0 OK'
"$mrc" fabric stop
is 'no files remain' "$(find "$MRC_RUN_DIR/mrc" -mindepth 1)" ''
done_testing
