#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc conform switch: mrc switch and the Linux kernel pass; devices that hang, crash, flood or disappear end the run.
# CONFORM_RUNS times each (default 1).
# shellcheck disable=SC2317 # exits calls functions
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/netns.sh"
. "$(dirname "$0")/../harness/switch_bench.sh"
runs=${CONFORM_RUNS:-1}

links_are_plain()
{
    ip -n "$fabric-kit" -d link | grep -o 'promiscuity [1-9]' || echo plain
}

passes() # SENTENCE OPTION...
{
    sentence=$1
    shift
    for run in $(seq "$runs"); do
        exits 0 "$sentence, run $run" kit "$@"
    done
}

exits 0 'the checks can be listed' "$mrc" conform switch --list
contains '  with section and sentence' "$output" 'usid-shift           fabric §4'
contains '  and what a device may lack' "$output" 'trimming             trims data packets'

start_switch
passes 'mrc switch passes'
contains '  all checks, and none is declared as missing' "$output" '43 passed, 0 failed, 0 not implemented, 0 skipped'
contains '  and open points are stated' "$output" '# open point trim-victim (fabric §10): '
is '  interfaces are as before' "$(links_are_plain)" plain
exits 0 'checks can be chosen' kit --only usid,trim-size
contains '  by the beginning of their words' "$output" '# p0.t0.0: 2 passed'
exits 0 'JSON contains sections and results' kit -j --only forward --without trimming
contains '  of each check' "$output" '"check":"forward","section":"fabric §4"'
contains '  and the declarations' "$output" '"declared":["trimming","last-hop-mark"]'

cat >"$SCRATCH/switch.yaml" <<END
name: a T0
usid: 0400
queue: 64KiB
red_min: 16KiB
red_max: 40KiB
trimmed: 128
ports:
- { interface: d1, usid: 0c01, host: '2001:db8:0:1::1', rate: 1Gb/s }
- { interface: u0, usid: 0800, mac: '06:00:00:00:00:02', rate: 20Mb/s }
END
exits 0 'a switch can be described without a fabric' within kit "$mrc" conform switch --only forward,trim,mark "$SCRATCH/switch.yaml"
contains '  checks without the ports that they need are skipped' "$output" 'SKIP no output to a host is slower than the inputs together'
exits 0 'two ports can be given as options' within kit "$mrc" conform switch --only forward --set usid=0400 \
    --in u1 --out u0,usid=0800 --without queue
contains '  one way only' "$output" 'ok 1 - forward'
exits 1 'a switch that drops what it should forward fails' within kit "$mrc" conform switch --only plain --set usid=0400 \
    --in u1 --out u0,usid=0800 --without queue,plain-ipv6
contains '  with the section' "$output" 'not ok 1 - plain-ipv6 (fabric §4)'

# Bursts of 50 frames of 1152 bytes stay below the queue of 64 KiB and exceed red_min.
exits 0 'traffic over interfaces is marked at a slow port to a switch' within kit timeout 60 "$mrc" conform traffic burst -j \
    --from d1,path=fc00:42:400:800::,source=2001:db8:0:1::1 --to u0 -n 300 --burst 50 --gap 50ms
is_more '  some frames' "$(printf '%s\n' "$output" | sed 's/.*"frames":{[^}]*"marked":\([0-9]*\).*"ports".*/\1/')" 5
contains '  and none is lost' "$output" '"lost":0,'

# A device that stops in the middle, is killed, or disappears: the run ends with a message.
kill -STOP "$device"
exits 1 'a switch that hangs ends the run' kit --set patience=1s
contains '  with a message' "$output" 'Bail out! the device no longer forwards from'
kill -CONT "$device"
kit --set patience=1s >"$SCRATCH/killed" 2>&1 &
run=$!
until grep -q '^ok 16 ' "$SCRATCH/killed" 2>/dev/null; do sleep 0.02; done
kill -9 "$device"
status=0
wait "$run" || status=$?
is 'a switch that crashes ends the run' "$status" 1
contains '  with a message' "$(cat "$SCRATCH/killed")" 'Bail out! the device no longer forwards from'
stop_device

start_switch
kit >"$SCRATCH/gone" 2>&1 &
run=$!
until grep -q '^ok 16 ' "$SCRATCH/gone" 2>/dev/null; do sleep 0.02; done
ip -n "$fabric-p0.t0.0" link del dev u1
status=0
wait "$run" || status=$?
is 'an interface that disappears ends the run' "$status" 1
contains '  with a message' "$(cat "$SCRATCH/gone")" 'Bail out! u1: the link is down, or the interface is gone'
stop_device

start_kernel
passes 'the Linux kernel passes' --without queue,source-check
contains '  with what it declares as missing' "$output" '22 passed, 0 failed, 21 not implemented'
within p0.t0.0 timeout 60 "$BUILD/tests/hostile_wire" interface=d0 "fabric=$description" from=2 to=0 seed=1 \
    actions=100000000 >"$SCRATCH/flood" 2>&1 &
flood=$!
until [ "$(ip -n "$fabric-kit" -s link show dev d0 | awk 'NR == 4 { print $2 }')" -gt 1000 ]; do sleep 0.05; done
exits 1 'a switch that floods ends the run' kit --without queue,source-check --set patience=2s
contains '  with a message' "$output" 'Bail out! the device '
kill "$flood"
wait "$flood" 2>/dev/null
stop_device

# The example of docs/conformance.md: its first two blocks of commands, with names of our own.
awk '/^## A switch with two ports/ { inside = 1 } inside && /^```/ { blocks++; next } inside && blocks % 2 && blocks < 4' \
    "$ROOT/docs/conformance.md" | sed "s/\\bsw\\b/$fabric-sw/g; s/eth\\([12]\\|\\$\\)/e$$-\\1/g; s|^mrc |$mrc |" >"$SCRATCH/example"
exits 0 'the example of docs/conformance.md passes' sh -e "$SCRATCH/example"
contains '  with the result that it shows' "$output" '# Linux: 22 passed, 0 failed, 21 not implemented, 0 skipped'
ip netns del "$fabric-sw"
ip link del "e$$-1" 2>/dev/null
ip link del "e$$-2" 2>/dev/null

exits 2 'a port needs a uSID' "$mrc" conform switch --set usid=20 --in a --out b --without queue
contains '  the message says so' "$output" "give 'usid' of a port"
exits 2 'a wrong key is reported with its option' "$mrc" conform switch --set usid=20 --in a --out b,usidd=11
contains '  and a suggestion' "$output" "did you mean 'usid'?"
exits 2 'a length that the checks need is asked for' "$mrc" conform switch --set usid=20 --in a --out b,usid=11
contains '  by its key' "$output" "the key 'queue'"
exits 1 'an interface that does not exist is reported' "$mrc" conform switch --set usid=20 --in no-such --out b,usid=11 --without queue
contains '  by its name' "$output" 'no-such: there is no such interface'
nothing_is_left 'nothing is left behind'
done_testing
