#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A process with a NIC is stopped (SIGSTOP) while others send to it: pairs that do not involve it go on.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
port=$((20000 + $$ % 20000))

# shellcheck disable=SC2317 # exits calls it
writes() # COUNT
{
    timeout 100 "$mrc" perf write --devices mrc0,mrc2 --events -s 64K -n "$1" -c -j >"$SCRATCH/result"
}

result() # KEY
{
    sed -n "s/^ *\"$1\": \([0-9.]*\),*/\1/p" "$SCRATCH/result"
}

begin_fabric 1
"$mrc" perf write -d mrc3 -p "$port" --events --quiet 2>/dev/null &
receiver=$!
"$mrc" perf write -d mrc1 -p "$port" --events --quiet -s 1M -q 16 -D 120 127.0.0.1 2>/dev/null &
others="$receiver $!"
until_true has_sent mrc1 2000
exits 0 'a pair writes beside another' writes 500
before=$(result bw_average_gbps)
kill -STOP "$receiver"
exits 0 'and goes on while the receiver of the other is stopped' writes 1500
echo "# $before Gb/s before, $(result bw_average_gbps) Gb/s beside the one that is stopped; longest pause $(result longest_pause_ms) ms"
is 'the fabric has buffers left' "$("$mrc" fabric show -j | sed -n 's/.*"frames_without_buffer": \([0-9]*\).*/\1/p')" 0
kill -CONT "$receiver"
done_testing
