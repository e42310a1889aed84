#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# NICs with one, two and four engines on one soft fabric: every byte arrives, ports may fail, and a host with four
# engines has no more of a link than one with a single engine.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"

engines() # DEVICE COUNT
{
    echo "  engines: $2" >>"$MRC_RUN_DIR/mrc/$1/config"
}

# shellcheck disable=SC2317 # exits calls it
all_to_all()
{
    timeout 200 "$mrc" perf alltoall --local 4 -b 4K -e 1M -f 16 -q 4 -n 10 -c
}

# shellcheck disable=SC2317 # exits calls it
writes()
{
    timeout 200 "$mrc" perf write --devices mrc1,mrc2 -s 256K -q 8 -n 400 -c
}

# shellcheck disable=SC2317 # exits calls it
shows()
{
    "$mrc" qp show dev mrc1 -j && "$mrc" port show dev mrc1 && "$mrc" stat show dev mrc1
}

# shellcheck disable=SC2317 # exits calls it
incast()
{
    timeout 200 "$mrc" perf incast --local 3 -b 8M -e 8M -q 4 -n 4 -w 1 -c -j --events # polling would starve the fabric
}

begin_fabric 1
engines mrc1 4
engines mrc2 2
engines mrc3 1
exits 0 'NICs with the default number of engines, four, two and one exchange data' all_to_all
contains '  and every byte is correct' "$output" 'Out of bounds values : 0 OK'

"$mrc" perf write --devices mrc1,mrc2 -s 256K -q 8 -D 100 --events --quiet 2>/dev/null &
others="$others $!"
until_true has_sent mrc1 1000
exits 0 'a NIC with four engines answers all show commands' shows
is '  qp show lists the QPs of all engines' "$(echo "$output" | grep -c '"qpn":')" 8
is '  and no window is above 1 MiB' \
    "$("$mrc" qp show dev mrc1 -j | sed -n 's/.*"window_bytes": *\([0-9]*\).*/\1/p' | awk '$1 > most { print "more" }' most=1048576)" ''
# On a busy machine a receiver may run out of packets and answer early, so one interval in which it does not is enough.
# shellcheck disable=SC2317 # until_true calls it
sends_few_sacks()
{
    set -- "${data:-0}" "${sacks:-0}"
    data=$("$mrc" stat show dev mrc2 -j | sed -n 's/.*"data_received": *\([0-9]*\).*/\1/p')
    sacks=$("$mrc" stat show dev mrc2 -j | sed -n 's/.*"sack_sent": *\([0-9]*\).*/\1/p')
    [ $((data - $1)) -gt 200 ] && [ $((data - $1)) -gt $((6 * (sacks - $2))) ]
}
if until_true sends_few_sacks; then ok '  and receivers send less than one SACK for six packets'; else
    not_ok '  and receivers send less than one SACK for six packets' "$sacks for $data"; fi
kill "${others##* }"
wait "${others##* }"

(
    for fault in 'port h1.p0 down' 'plane p1 down' 'port h1.p0 up' 'plane p1 up' 'port h2.p2 down' 'port h2.p2 up'; do
        sleep 0.3
        # shellcheck disable=SC2086
        "$mrc" fabric fault $fault >/dev/null
    done
) &
others="$others $!"
exits 0 'writes complete while ports and a plane fail and return' writes
contains '  and every byte is correct' "$output" 'Out of bounds values : 0 OK'
wait "${others##* }"
end_fabric

begin_fabric 1
exits 1 'an invalid MRC_ENGINES is refused' env MRC_ENGINES=3 "$mrc" perf lat --devices mrc0,mrc1 -n 10
contains '  and the message lists the valid numbers' "$output" 'MRC_ENGINES=3: not 1, 2 or 4'
end_fabric

begin_fabric 1000
engines mrc0 1
engines mrc1 4
engines mrc2 1
exits 0 'a host with four engines and one with a single engine write to a third' incast
fairness=$(echo "$output" | awk '$1 == "\"fairness\":" { print $2 + 0 }')
echo "# Jain's index of the hosts' rates: $fairness"
is '  and have equal shares' "$(echo "${fairness:-0}" | awk '{ print ($1 >= 0.9 ? "yes" : $1) }')" yes
done_testing
