#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A process with a NIC, or a client of the fabric or of a NIC, is stopped (SIGSTOP): pairs that do not involve it go on,
# every byte right. Their rate is measured before and while it is stopped, STOPPED_ROUNDS times for STOPPED_SECONDS each;
# the share that is left must be STOPPED_SHARE percent (make soak: 90).
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
rounds=${STOPPED_ROUNDS:-1}
seconds=${STOPPED_SECONDS:-1}
share=${STOPPED_SHARE:-0}
port=$((20000 + $$ % 12000)) # below those that the system gives to clients
failed=

result() # KEY
{
    sed -n "s/^ *\"$1\": \([0-9.]*\),*/\1/p" "$SCRATCH/result"
}

# The pair that is not involved: h0 and h2, behind different T0s. Its rate is in $rate, in Mb/s.
write_beside()
{
    timeout 100 "$mrc" perf write --devices mrc0,mrc2 --events -s 64K -D "$seconds" -c -j >"$SCRATCH/result" 2>"$SCRATCH/said" ||
        failed="$failed $(cat "$SCRATCH/said")"
    rate=$(result bw_average_gbps | awk '{ print int($1 * 1000) }')
}

# The other pair, h1 and h3. It starts afresh for each round: QPs fail when a peer is stopped for long.
start_pair()
{
    port=$((port + 1))
    "$mrc" perf write -d mrc3 -p "$port" --events --quiet 2>/dev/null &
    receiver=$!
    "$mrc" perf write -d mrc1 -p "$port" --events --quiet -s 1M -q 16 -D 3600 127.0.0.1 2>/dev/null &
    sender=$!
    others="$receiver $sender $monitor $watch"
    until_true has_sent mrc1 500
}

end_pair()
{
    kill -9 "$receiver" "$sender" 2>/dev/null
    wait "$receiver" "$sender" 2>/dev/null
}

stop() # receiver, sender or PROCESS; WHAT it is
{
    before=0
    beside=0
    round=0
    failed=
    while [ "$round" -lt "$rounds" ]; do
        round=$((round + 1))
        start_pair
        write_beside
        before=$((before + rate))
        case $1 in
        receiver) process=$receiver ;;
        sender) process=$sender ;;
        *) process=$1 ;;
        esac
        kill -STOP "$process" || failed="$failed $2 has ended"
        write_beside
        beside=$((beside + rate))
        pause=$(result longest_pause_ms)
        kill -CONT "$process" || failed="$failed $2 has ended while it was stopped"
        end_pair
    done
    is "other NICs write while $2 is stopped, and every byte is correct" "$failed" ''
    echo "# $((before / rounds)) Mb/s before, $((beside / rounds)) Mb/s beside $2; longest pause of the last round $pause ms"
    is_more "  with at least $share % of their rate" "$((beside * 100 + 1))" "$((before * share))"
}

# The links carry 100 Mb/s each, so that the rate is theirs and not that of the processors.
begin_fabric 1000
"$mrc" monitor >/dev/null 2>&1 &
monitor=$!
"$mrc" fabric show --watch 1 -a >/dev/null 2>&1 &
watch=$!
stop receiver 'a receiver'
stop sender 'a sender'
stop "$monitor" 'a client of the NICs'
stop "$watch" 'a client of the fabric'
is 'the fabric has buffers left' "$("$mrc" fabric show -j | sed -n 's/.*"frames_without_buffer": \([0-9]*\).*/\1/p')" 0
done_testing
