#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# An incast through mrc switch with small buffers: packets are trimmed all the time, every trim is accounted for at both
# ends, the senders get equal shares, and no byte is wrong.
#
# The fabric is a thousand times slower and longer than its file says, so that links are the limit, not the machine. The
# senders are all behind the other T0 and sleep for their completions, so that the switches get the processor.
# shellcheck disable=SC2317 # exits calls functions
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/netns.sh"
cat >"$SCRATCH/small.yaml" <<EOF
planes: 2
t0s: 2
t1s: 2
hosts_per_t0: 4
buffers: { data: 64KiB, host_data: 64KiB }
EOF
senders='4 5 6 7'
counters=data_trimmed,nack_sent,nack_received,beyond_window,no_buffer,feedback_range,control_overflow,control_no_path
counters=$counters,retransmit_nack,retransmit_time,retransmit_count,retransmit_probe,retransmit_timeout,retransmit_for_ack

rank() # HOST RANK OPTION...
{
    on=$1
    number=$2
    shift 2
    never_give_up "$on"
    within "h$on" timeout 120 "$mrc" perf incast -d "mrc$on" --rank "$number" --ranks 5 --rendezvous 10.99.0.1:18515 "$@"
}

incast()
{
    number=0
    for sender in $senders; do
        number=$((number + 1))
        rank "$sender" "$number" >"$SCRATCH/rank$number" 2>&1 &
    done
    rank 0 0 -b 8M -e 8M -n 3 -w 0 -c --events --counters "$counters" --out_json_file "$SCRATCH/result.json"
}

# Of all ranks together.
total() # COUNTER...
{
    for counter in "$@"; do
        awk -v name="\"$counter\":" '$1 == name { print $2 + 0 }' "$SCRATCH/result.json"
    done | awk '{ sum += $1 } END { print sum + 0 }'
}

# For numbers that agree unless something is counted that explains the difference.
differs_by_at_most() # SENTENCE NUMBER THAN SLACK
{
    if [ "$2" -ge "$3" ] && [ "$2" -le $(($3 + $4)) ]; then
        ok "$1"
    else
        not_ok "$1" "$2 is not between $3 and $(($3 + $4))"
    fi
}

# What happened to the packets that were trimmed.
account()
{
    trims=$(($(counted trimmed_arriving) + $(counted trimmed_tail)))
    lost=$(($(counted dropped_control_queue) + $(counted dropped_buffer) + $(counted lost)))
    arrived=$(total data_trimmed)
    sent=$(total nack_sent)
    received=$(total nack_received)
    again=$(total retransmit_nack retransmit_time retransmit_count retransmit_probe retransmit_timeout retransmit_for_ack)
    unsent=$(total control_overflow control_no_path)
    others=$(total beyond_window no_buffer)
    echo "# $trims trims, $arrived arrived, $sent NACKs sent, $received received;" \
        "$lost lost, $again repeated for other reasons, $others other NACKs at most, $unsent answers not sent"
}

# Where processes wait long for a processor, senders repeat what is only late, or send too little to fill a queue. That
# says nothing of trims: another try.
for try in 1 2 3; do
    "$mrc" fabric up -q -n "$fabric" --slower 1000 "$SCRATCH/small.yaml"
    base=$(cat "$MRC_RUN_DIR/mrc/mrc0/config")
    exits 0 'four senders write to one receiver, and every write arrives' incast
    contains '  and every byte is correct' "$output" 'Out of bounds values : 0 OK'
    wait
    account
    if [ "$try" -eq 3 ] || { [ "$trims" -gt 100 ] && [ "$again" -le $((arrived / 20)) ]; }; then
        break
    fi
    "$mrc" fabric down -n "$fabric"
done
contains 'the devices have the base RTT and timeout of the paced links' "$base" 'base_rtt: 10620800ns
  timeout: 18'

is_more 'more than 100 packets are trimmed' "$trims" 100
# A trimmed packet is not trimmed again: it arrives, or is lost.
differs_by_at_most '  the trimmed packets arrive or are lost' "$trims" "$arrived" "$lost"
# A trimmed packet draws a NACK, unless another copy of it has arrived: one that was sent for another reason.
differs_by_at_most '  each causes a NACK, unless another copy of the packet has arrived' "$((arrived + others))" "$sent" \
    "$((others + again + unsent))"
# A NACK arrives, is lost, or comes when its packet is long forgotten.
differs_by_at_most '  and the sender receives the NACK' "$sent" "$received" "$(($(total feedback_range) + lost))"

fairness=$(awk '$1 == "\"fairness\":" { print $2 + 0 }' "$SCRATCH/result.json")
echo "# Jain's index of the senders' rates: $fairness"
is 'the senders have equal shares' "$(echo "${fairness:-0}" | awk '{ print ($1 >= 0.9 ? "yes" : $1) }')" yes
"$mrc" fabric down -n "$fabric"
nothing_is_left 'fabric down leaves nothing'
done_testing
