#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `mrc fabric stop; mrc fabric run` STOP_AND_RUN_TIMES times (make soak: 100), without a pause between them, every other
# time without --background and while NICs write: the fabric is always there, and so are all its NICs.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
times=${STOP_AND_RUN_TIMES:-10}

"$mrc" fabric run -q --background --slower 1000 "$SCRATCH/four.yaml"
"$mrc" perf write --devices mrc0,mrc3 -s 64K -D "$((times * 10))" >/dev/null 2>&1 &
others=$!
until_true has_sent mrc0 10
round=0
worked=0
while [ "$round" -lt "$times" ]; do
    round=$((round + 1))
    before=$(process_of fabric)
    "$mrc" fabric stop >"$SCRATCH/said" 2>&1 || echo "# round $round: stop fails: $(cat "$SCRATCH/said")"
    if [ $((round % 2)) -eq 0 ]; then
        "$mrc" fabric run -q --background --slower 1000 "$SCRATCH/four.yaml" >"$SCRATCH/said" 2>&1 || continue
    else
        "$mrc" fabric run -q --slower 1000 "$SCRATCH/four.yaml" >"$SCRATCH/said" 2>&1 &
        until_true "$mrc" fabric show || continue
    fi
    now=$(process_of fabric)
    if [ "${now:-0}" -gt 0 ] && [ "$now" != "$before" ] && until_true has_attached 8; then
        worked=$((worked + 1))
    else
        echo "# round $round: $(cat "$SCRATCH/said")"
    fi
done
is "a fabric that was stopped can be started $times times, and its NICs attach again" "$worked" "$times"
kill "$others"
wait "$others" 2>/dev/null
exits 0 'the last fabric stops' "$mrc" fabric stop
is 'no files remain' "$(find "$MRC_RUN_DIR/mrc" -mindepth 1)" ''
done_testing
