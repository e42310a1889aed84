#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# NICs on two tiers with exceptions: weights and missing paths as the plan has them, with a denylist.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
printf '%s\n' 'planes: 2' 't0s: 2' 't1s: 4' 'hosts_per_t0: 2' 'exceptions:' \
    '- { link: p0.t0.0-t1.1, rate: 25Gb/s }' '- { link: p1.t0.0-t1.2, missing: yes }' >"$SCRATCH/uneven.yaml"
"$mrc" fabric run -b -q -s 1000 "$SCRATCH/uneven.yaml"

run_writes() # FROM TO
{
    "$mrc" perf write --devices "$1,$2" -s 16K -n 1000000 -t 4 >/dev/null 2>&1 &
    writes=$!
    others="$others $writes"
    until_true has_sent "$1" 20
}

end_writes()
{
    kill "$writes"
    wait "$writes" 2>/dev/null
}

evs() # DEVICE: EV and STATE of all EVs, in order
{
    "$mrc" ev show dev "$1" -a | awk '$1 ~ /^(0x)?[0-9a-f]+$/ { print "p" $2 "/u" $3, $4 }' | sort | xargs
}

run_writes mrc0 mrc2
is 'an EV over a slower link has fewer turns, and one over a missing link is not used' "$(evs mrc0)" \
    'p0/u0 good p0/u1 skip p0/u2 good p0/u3 good p1/u0 good p1/u1 good p1/u3 good'
"$mrc" ev deny dev mrc0 p0/u3
until_true sh -c "'$mrc' ev show dev mrc0 -a | grep -q denied"
contains 'a denied EV is denied to a QP that runs' "$(evs mrc0)" 'p0/u3 denied'
end_writes
run_writes mrc0 mrc3
contains '  and to the next, with another destination' "$(evs mrc0)" 'p0/u1 skip p0/u2 good p0/u3 denied'
end_writes
run_writes mrc0 mrc1
is 'within a leaf each plane has one EV' "$(evs mrc0)" 'p0/u0 good p1/u0 good'
end_writes
"$mrc" ev allow dev mrc0 p0/u3
"$mrc" fabric stop
is 'no files remain' "$(ls "$MRC_RUN_DIR/mrc")" ''
done_testing
