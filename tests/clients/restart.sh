#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# NICs return to a fabric that was stopped or killed and starts again: their QPs go on, every byte arrives.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"

start_again()
{
    "$mrc" fabric run -q --background --slower 1000 "$SCRATCH/four.yaml"
    fabric=$(cut -d ' ' -f 1 "$MRC_RUN_DIR/mrc/fabric/lock")
}

moves() # more frames have left mrc0 than $1
{
    [ "$("$mrc" stat show dev mrc0 -j | sed -n 's/.*"data_sent": *\([0-9]*\).*/\1/p')" -gt "$1" ]
}

clean_up()
{
    kill "$perf" 2>/dev/null
    kill -9 "$fabric" 2>/dev/null
    rm -rf "$SCRATCH"
}

start_again
"$mrc" perf write --devices mrc0,mrc3 -s 64K -q 4 -D 8 -c >"$SCRATCH/perf" 2>&1 &
perf=$!
until_true moves 100
kill -9 "$fabric"
start_again
is 'NICs attach again to a fabric that was killed' \
    "$(until_true sh -c '"$1" fabric show -j | grep -c "\"attached\": true" | grep -qx 8' - "$mrc" && echo yes)" yes
"$mrc" fabric stop
start_again
is 'and to one that was stopped' \
    "$(until_true sh -c '"$1" fabric show -j | grep -c "\"attached\": true" | grep -qx 8' - "$mrc" && echo yes)" yes
wait "$perf"
is 'the QPs went on, and every byte was right' "$?" 0
contains '  as the last line says' "$(cat "$SCRATCH/perf")" 'Out of bounds values : 0 OK'
"$mrc" fabric stop
is 'nothing is left behind' "$(find "$MRC_RUN_DIR/mrc" -mindepth 1)" ''
done_testing
