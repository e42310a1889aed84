#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrcd in an adverse world: clocks that jump, disks that are full, read-only or broken, folders that cannot be written.
# shellcheck disable=SC2119,SC2086,SC2317 # options of functions; $adverse is words; functions called by until_true
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
. "$(dirname "$0")/../harness/mrcd.sh"

command -v curl >/dev/null || skip_all 'no curl'
[ -f "$BUILD/tests/libadverse.so" ] || skip_all 'tests/libadverse.so is not built'

has_noted() # TEXT: in the audit log
{
    "$mrc" ctl audit | grep -qF "$1"
}

has_status() # TEXT
{
    "$mrc" ctl status | grep -qF "$1"
}

has_denied() # DEVICE TEXT
{
    [ "$("$mrc" ev deny dev "$1")" = "$2" ]
}

day_ms=86400000
mkdir "$ADVERSE" "$ADVERSE.agent"
begin_fabric 100
"$mrcd" init >/dev/null
"$mrcd" init --agent node1 >/dev/null
begin_remote_controller $adverse
begin_agent env "ADVERSE=$ADVERSE.agent" $adverse
token="Authorization: Bearer $(cat "$MRCD_STATE/token")"
until_true are_current 4

# ---- the clock of the controller -------------------------------------------------------------------------------------
exits 0 'an element is drained' "$mrc" drain p0.t1.1
echo $((365 * day_ms)) >"$ADVERSE/clock"
exits 0 'the time of day of the controller jumps by a year, and the log says so' until_true has_noted 'jumped by 31536000.0 s'
exits 0 '  changes are taken' "$mrc" drain p1.t1.1
echo $((-365 * day_ms)) >"$ADVERSE/clock"
exits 0 'it jumps back by two years, and the log says so' until_true has_noted 'jumped by -63072000.0 s'
exits 0 '  changes are taken' "$mrc" restore p1.t1.1
rm "$ADVERSE/clock"
until_true has_noted 'jumped by 31536000.0 s'
until_true are_current 4
is '  the list is right' "$("$mrc" drain -j | sed -n 's/.*"element": "\(.*\)",*/\1/p')" p0.t1.1
is '  and so is a device' "$("$mrc" ev deny dev mrc2)" '0x1 plane 0 denied'
is '  and the log is in order' "$("$mrc" ctl audit | awk '$4 == "operator" { print $5, $6 }' | tr '\n' ' ')" \
    'drain p0.t1.1: drain p1.t1.1: restore p1.t1.1: '
is '  the agent was connected all the time' "$(grep -c 'https://' "$SCRATCH/agent.log")" 0

# ---- the clock of the agent ------------------------------------------------------------------------------------------
echo $((100 * day_ms)) >"$ADVERSE.agent/clock"
exits 0 'the clock of an agent jumps by 100 days: it gets its orders' "$mrc" drain p2.t1.1
exits 0 '  as before' until_true has_denied mrc2 "$(printf '0x1 plane 0 denied\n0x201 plane 2 denied')"
transfers=
for pair in mrc0,mrc3 mrc1,mrc2; do # so that all NICs are open
    timeout 100 "$mrc" perf write --devices "$pair" -s 64K -D 90 >/dev/null 2>&1 &
    transfers="$transfers $!"
done
others="$others $transfers"
exits 0 '  its NICs send probes' until_true has_status 'map         4 NICs in the last round'
"$mrc" fabric fault link p3.t0.0-t1.0 down >/dev/null
exits 0 '  and a dead link gets a verdict' until_true has_status 'verdict     p3.t0.0-t1.0: plane 3, '
kill $transfers
wait $transfers 2>/dev/null
"$mrc" fabric fault clear >/dev/null
echo $((-400 * day_ms)) >"$ADVERSE.agent/clock"
kill -9 "$agent"
wait "$agent" 2>/dev/null
begin_agent env "ADVERSE=$ADVERSE.agent" $adverse
exits 0 'an agent that starts in a time before all certificates says that it has no connection' \
    until_true grep -q 'https://' "$SCRATCH/agent.log"
is '  and its devices keep their orders' "$("$mrc" ev deny dev mrc2 | wc -l)" 2
rm "$ADVERSE.agent/clock"
exits 0 '  with the right time it connects again' until_true grep -q 'connected to its controller' "$SCRATCH/agent.log"
exits 0 '  and gets its orders' "$mrc" restore p2.t1.1
exits 0 '  at once' until_true has_denied mrc2 '0x1 plane 0 denied'

# ---- the disk of the controller --------------------------------------------------------------------------------------
for disk in '28 full' '30 read-only' '5 broken'; do
    listed=$("$mrc" drain -j)
    echo "${disk% *}" >"$ADVERSE/disk"
    is "a disk that is ${disk#* } refuses a drain" "$(ask POST /v1/drain '{"element": "p1.t1.1"}' "$token")" 507
    contains '  with a reason' "$(cat "$SCRATCH/answer")" 'nothing was changed'
    is '  and a restore' "$(ask POST /v1/restore '{"element": "p0.t1.1"}' "$token")" 507
    is '  and the state says so' "$("$mrc" ctl status | grep -c 'store       ok')" 0
    is '  and the list is as before' "$("$mrc" drain -j)" "$listed"
    is '  and questions are answered' "$(ask GET /v1/nics)" 200
    rm "$ADVERSE/disk"
    is '  and with a disk again, changes are taken' "$(ask POST /v1/drain '{"element": "p1.t1.1"}' "$token")" 200
    is '  and taken back' "$(ask POST /v1/restore '{"element": "p1.t1.1"}' "$token")" 200
done
contains 'the state is well' "$("$mrc" ctl status)" 'store       ok'

# ---- the disk of the agent -------------------------------------------------------------------------------------------
until_true are_current 4
echo 28 >"$ADVERSE.agent/disk"
exits 0 'the disk of an agent is full: the controller takes a drain' "$mrc" drain p3.t1.1
exits 0 '  the agent says that it cannot store its orders' until_true grep -q 'cannot store orders' "$SCRATCH/agent.log"
is '  and keeps those that it has' "$("$mrc" ev deny dev mrc2)" '0x1 plane 0 denied'
contains '  which the controller shows' "$("$mrc" ctl status)" 'devices     0 of 4 have the current denylist'
rm "$ADVERSE.agent/disk"
exits 0 '  with room again, it carries them out' until_true are_current 4
end_controller

# ---- folders ---------------------------------------------------------------------------------------------------------
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$SCRATCH"
    chmod 555 "$MRCD_STATE"
    chmod 444 "$MRCD_STATE"/*.db* "$MRCD_STATE"/token "$MRCD_STATE"/lock
    exits 1 'a state folder that cannot be written is refused' setpriv --reuid 65534 --clear-groups \
        "$mrcd" controller --fabric "$SCRATCH/four.yaml" --listen 127.0.0.1:0
    contains '  and the message names it' "$output" "$MRCD_STATE"
else
    skip 'a state folder that cannot be written is refused' 'needs root and setpriv'
fi

done_testing
