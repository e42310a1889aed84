#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The closed loop of mrcd on a soft fabric: a lossy link gets a verdict, the policy drains it, a transfer goes on, and
# the link is restored when it is sound. A dry run only says so.
# shellcheck disable=SC2317,SC2119 # until_true calls functions
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
. "$(dirname "$0")/../harness/mrcd.sh"

link=p1.t0.0-t1.1
begin_with() # OPTION...: a period as short as a busy machine allows
{
    MRCD_OPTIONS="--map-period 10 --map-round 10 --policy-hold 1 --policy-clean 3 $*"
    begin_controller
}

shows() # VIEW PATTERN
{
    "$mrc" ctl "$1" | grep -q "$2"
}

# until_true() waits for ten seconds; a verdict is cleared after some hundred periods.
until_shown() # VIEW PATTERN
{
    until_true shows "$1" "$2" || until_true shows "$1" "$2" || until_true shows "$1" "$2" ||
        until_true shows "$1" "$2" || until_true shows "$1" "$2"
}

rounds()
{
    "$mrc" ctl status | sed -n 's/^map  *4 NICs in the last round, \([0-9]*\) rounds.*/\1/p'
}

has_judged() # ROUNDS
{
    [ "$(rounds)" -gt "$1" ]
}

has_denied()
{
    "$mrc" ctl verdicts -j | grep -q '"evs_denied": 1'
}

exits 2 'a policy that does not exist is refused' "$mrcd" controller --fabric "$SCRATCH/four.yaml" --policy maybe
contains '  and the message lists them' "$output" "--policy 'maybe': write off, dry-run or on"
exits 2 'more actions in an hour than there can be are refused' \
    "$mrcd" controller --fabric "$SCRATCH/four.yaml" --policy-actions 1000
exits 2 'a period of no length is refused' "$mrcd" controller --fabric "$SCRATCH/four.yaml" --map-period 0
exits 2 'so are rounds that are too short to be judged' \
    "$mrcd" controller --fabric "$SCRATCH/four.yaml" --map-period 33 --map-round 3
contains '  and the message says so' "$output" \
    '--map-period 33, --map-round 3: a round must last 100 ms at least'
printf 'fabric: %s\nlisten: 127.0.0.1:0\npolicy: perhaps\n' "$SCRATCH/four.yaml" >"$SCRATCH/wrong.yaml"
exits 2 'so is a wrong policy in a configuration' "$mrcd" controller --config "$SCRATCH/wrong.yaml"

begin_fabric 100

# ---- devices that no process has open -------------------------------------------------------------------------------
begin_with
until_shown status 'map         4 NICs in the last round'
is 'the agent borrows devices that no process has open, and sends their probes' "$?" 0
contains '  in its own name' "$("$mrc" dev show mrc0)" 'mrcd'
for pair in mrc0,mrc3 mrc1,mrc2; do
    timeout 300 "$mrc" perf write --devices "$pair" -s 64K -D 200 -c >"$SCRATCH/perf.$pair" 2>&1 &
    others="$others $!"
    eval "perf_${pair%%,*}=$!"
done
exits 0 'a program that opens them gets them' until_true has_sent mrc0 100
exits 0 '  all of them' until_true has_sent mrc1 100

# ---- dry run: the default -------------------------------------------------------------------------------------------
contains 'the policy is a dry run unless it is asked for more' "$("$mrc" ctl status)" 'policy      dry-run, 0 of 6 actions'
last=$(($(rounds) + 20))
exits 0 'probes go on through the programs that have them open' until_true has_judged "$last"
is '  and nothing is blamed for the change' "$("$mrc" ctl status | grep verdict)" ''
"$mrc" fabric fault link "$link" loss 30% >/dev/null
until_shown status "verdict     $link: plane 1, t0.0 port 3 - t1.1"
is 'a lossy link gets a verdict' "$?" 0
contains '  which is stored, with its confidence' "$("$mrc" ctl verdicts)" ', confidence 100.0 %'
until_shown audit "policy drain $link: dry_run, plane 1, t0.0 port 3"
is '  and a dry run logs what it would do' "$?" 0
is '  and does nothing' "$("$mrc" drain -j)" '[]'
end_controller

# ---- the loop -------------------------------------------------------------------------------------------------------
begin_with --policy on
contains 'a controller that starts again has the verdict' "$("$mrc" ctl status)" "verdict     $link"
until_shown audit "policy drain $link: done"
is 'the policy drains the link' "$?" 0
until_true are_current 4
is '  on all devices' "$("$mrc" ev deny dev mrc2)" '0x101 plane 1 denied'
exits 0 '  and the verdict soon has the EVs that are denied' until_true has_denied
exits 0 'an operator drains another link' "$mrc" drain p2.t0.1-t1.0 -r 'new cable'
"$mrc" fabric fault clear >/dev/null
until_shown audit "policy restore $link: done"
is 'without the fault, probes over the drained link arrive, and the policy restores it' "$?" 0
is "  but not the operator's" "$("$mrc" drain -j | grep '"element"' | xargs)" 'element: p2.t0.1-t1.0,'
until_shown verdicts "$link.*(ended)"
is '  and the verdict has ended' "$?" 0
contains 'the log has the evidence of each action' "$("$mrc" ctl audit -j | tr -d ' \n')" '"source":"map","loss_ppm":'
"$mrc" restore p2.t0.1-t1.0 >/dev/null

for device in mrc0 mrc1; do
    eval "kill -0 \$perf_$device" 2>/dev/null
    is "the transfer of $device still runs" "$?" 0
    before=$("$mrc" stat show dev "$device" -j | sed -n 's/.*"data_sent": *\([0-9]*\).*/\1/p')
    until_true has_sent "$device" "$before"
    is '  and sends' "$?" 0
done
done_testing
