#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrcd on a soft fabric: drains while a transfer runs, limits, and kills of the controller at random moments
# (MRCD_KILLS, default 10; make soak: 1000).
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
. "$(dirname "$0")/../harness/mrcd.sh"

begin_fabric 100
begin_controller
exits 0 'the controller answers' "$mrc" ctl status
until_true are_current 4
is 'it finds the four devices' "$("$mrc" ctl nics | wc -l)" 4
exits 1 'a second controller on the same folder is refused' "$mrcd" controller --fabric "$SCRATCH/four.yaml" --listen 127.0.0.1:0
contains '  with a reason' "$output" 'another mrcd runs on'

# ---- a drained T1 carries nothing, and a running transfer does not notice -------------------------------------------
drain_under_load()
{
    timeout 200 "$mrc" perf write --devices mrc0,mrc3 -s 256K -D 5 -b -c --counters data_retransmitted,timeout_fired \
        >"$SCRATCH/perf" 2>&1 &
    perf=$!
    others="$others $perf"
    until_true has_sent mrc0 300
    until_true has_sent mrc3 300
    said=$("$mrc" drain p1.t1.1 -r 'new firmware' 2>&1)
    until_true are_current 4
    sleep 1
    drained=$(packets_of p1.t1.1)
    other=$(packets_of p1.t1.0)
    sleep 1
    moved=$(($(packets_of p1.t1.1) - drained))
    beside=$(($(packets_of p1.t1.0) - other))
    "$mrc" restore p1.t1.1 >/dev/null
    until_true has_moved p1.t1.1 "$drained"
    carries_again=$?
    wait "$perf"
    ended=$?
    sent_again=$(sed -n 's/^# Counters of rank .*: data_retransmitted \([0-9]*\).*/\1/p' "$SCRATCH/perf" | xargs)
}

# On a busy machine, a process that gets no CPU for long makes the other side send again: there are three tries.
for _ in 1 2 3; do
    drain_under_load
    [ "$sent_again" != '0 0' ] || break
done
contains 'a T1 is drained, and the answer has the share that is left' "$said" \
    '(h0) has 87.5 % of them, and must keep 75.0 %'
is 'a second later it carries no data, no feedback and no probe' "$moved" 0
is_more '  while its neighbour carries packets' "$beside" 0
is 'it is restored, and carries packets again' "$carries_again" 0
is 'the transfer ends well, every byte correct' "$ended" 0
is '  and neither side has sent anything again' "$sent_again" '0 0'
contains '  and the fabric lost nothing' "$("$mrc" fabric show -j)" '"lost": {}'

# ---- limits ----------------------------------------------------------------------------------------------------------
exits 0 'a dry run says what would happen' "$mrc" drain p2.t1.1 -n
is '  and changes nothing' "$("$mrc" drain -j)" '[]'
exits 0 'two T1s are drained' "$mrc" drain p2.t1.1 p3.t1.1
exits 1 'a third is refused' "$mrc" drain p0.t1.0
contains '  with the numbers' "$output" 'h0 would keep 62.5 % of its paths, below the limit of 75.0 %; it has 75.0 % now, with 2 elements drained'
exits 1 'an element that does not exist is refused' "$mrc" drain p7.t1.0
contains '  with a reason' "$output" 'p7.t1.0: no plane p7'
exits 1 'what is not drained cannot be restored' "$mrc" restore p0.t1.0
exits 0 'all is restored' "$mrc" restore --all
contains 'the log has every attempt, with its reason' "$("$mrc" ctl audit)" 'operator drain p1.t1.1: done, new firmware'
contains '  also refused ones' "$("$mrc" ctl audit)" 'operator drain p0.t1.0: refused, h0 would keep 62.5 %'

# ---- kills -----------------------------------------------------------------------------------------------------------
timeout "$((${MRCD_KILLS:-10} * 3 + 400))" "$mrc" perf write --devices mrc0,mrc3 -s 64K -D "$((${MRCD_KILLS:-10} - 4))" -c >"$SCRATCH/perf" 2>&1 &
perf=$!
others="$others $perf"
: >"$SCRATCH/expected" # what is drained for certain
faults=

# The element whose change was under way when the controller died may be either.
change_until_dead()
{
    while :; do
        for element in p0.t1.1 p1.t1.1; do
            if grep -qx "$element" "$SCRATCH/expected"; then verb=restore; else verb=drain; fi
            echo "$element" >"$SCRATCH/doubtful"
            "$mrc" "$verb" "$element" >/dev/null 2>&1 || return 0
            grep -vx "$element" "$SCRATCH/expected" >"$SCRATCH/next"
            [ "$verb" = restore ] || echo "$element" >>"$SCRATCH/next"
            sort "$SCRATCH/next" >"$SCRATCH/expected"
        done
    done
}

list_drained()
{
    "$mrc" drain -j | sed -n 's/.*"element": "\(.*\)",*/\1/p' | sort
}

kill_count=0
while [ "$kill_count" -lt "${MRCD_KILLS:-10}" ]; do
    kill_count=$((kill_count + 1))
    change_until_dead &
    changer=$!
    sleep "0.$(od -An -N1 -tu1 /dev/urandom | awk '{ printf "%03d", $1 * 2 }')"
    end_controller KILL
    wait "$changer"
    begin_controller
    list_drained >"$SCRATCH/found"
    doubtful=$(cat "$SCRATCH/doubtful")
    [ "$(grep -vx "$doubtful" "$SCRATCH/found")" = "$(grep -vx "$doubtful" "$SCRATCH/expected")" ] ||
        faults="$faults kill $kill_count: found $(tr '\n' ' ' <"$SCRATCH/found"), expected $(tr '\n' ' ' <"$SCRATCH/expected");"
    cp "$SCRATCH/found" "$SCRATCH/expected"
    until_true are_current 4 || faults="$faults kill $kill_count: devices are not current;"
    is_wanted=$(wc -l <"$SCRATCH/found")
    [ "$("$mrc" ev deny dev mrc2 | wc -l)" -eq "$is_wanted" ] || faults="$faults kill $kill_count: devices differ;"
done
is "after each of $kill_count kills the denylist is the same, on the controller and on devices" "$faults" ''
audited=$("$mrc" ctl audit -j | grep -c '"outcome": "done"')
version=$("$mrc" ctl status | sed -n 's/^denylist *version \([0-9]*\),.*/\1/p')
[ "$audited" -ge 1000 ] || is '  and the log has an entry for each change' "$audited" "$version"
wait "$perf"
is '  and the transfer did not notice' "$?" 0

# ---- the controller is gone: the devices keep their orders -----------------------------------------------------------
exits 0 'with the controller gone' sh -c "\"$mrc\" restore --all && \"$mrc\" drain p3.t1.0"
until_true are_current 4
end_controller KILL
is '  devices keep what it ordered' "$("$mrc" ev deny dev mrc1)" '0x300 plane 3 denied'
exits 1 '  and commands say that it does not answer' "$mrc" drain p3.t1.0
contains '  with its address' "$output" 'http://127.0.0.1:'
"$mrc" ev allow dev mrc1 p3/u0
begin_controller
exits 0 'a controller that returns puts devices right that others have changed' \
    until_true sh -c "\"$mrc\" ev deny dev mrc1 | grep -qx '0x300 plane 3 denied'"

done_testing
