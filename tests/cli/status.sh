#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc dev, qp, ev, port, stat, monitor and doctor: a running NIC seen from outside its process.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
export MRC_RUN_DIR="$SCRATCH"
unset MRC_CONFIG

exits 0 'without devices there is nothing to show' "$mrc" dev show
is 'and where they come from is said' "$output" \
    "mrc dev: there are no devices; 'mrc fabric run' creates some. Check MRC_CONFIG and MRC_RUN_DIR if they are set"
is 'but not among what was asked for' "$("$mrc" dev show 2>/dev/null)" ''
is 'nor in JSON' "$("$mrc" dev show -j 2>&1)" '[]'
exits 1 'a port of a device that is not there cannot be set' "$mrc" port set dev mrc7 down
is 'for that reason' "$output" "mrc port: there is no device mrc7; 'mrc dev show' lists them"
exits 1 'a device that is not there is missed' "$mrc" qp show dev mrc7
contains 'by name' "$output" 'there is no device mrc7'
exits 2 'an option that is not there is refused' "$mrc" stat -x
exits 2 'a QP has a number' "$mrc" ev show dev mrc0 qp many
exits 2 'a port is set to something' "$mrc" port set dev mrc0 port 1
for command in dev qp ev port stat monitor doctor; do
    exits 0 "mrc $command explains itself" "$mrc" "$command" --help
done

cat >"$SCRATCH/two.yaml" <<YAML
planes: 2
t0s: 1
t1s: 0
hosts_per_t0: 2
host_link: { rate: 100Gb/s, delay: 500ns }
YAML
"$mrc" fabric run -q "$SCRATCH/two.yaml" &
fabric=$!
client=
watcher=
json_watcher=
trap 'kill $fabric $client $watcher $json_watcher 2>/dev/null; wait; rm -rf "$SCRATCH"' EXIT

# Until it prints this.
until_prints() # PART COMMAND...
{
    part=$1
    shift
    tries=0
    while [ "$tries" -lt 100 ]; do
        output=$("$@" 2>&1)
        case $output in
        *"$part"*) return 0 ;;
        esac
        tries=$((tries + 1))
        sleep 0.1
    done
    return 1
}

until_prints 'mrc1: free' "$mrc" dev show
contains 'devices nobody has open are free' "$output" 'mrc1: free'
exits 0 'their ports can be shown' "$mrc" port show dev mrc0
contains 'all of them' "$output" 'mrc0 port 2 plane 1 admin up free'
exits 0 'and set' "$mrc" port set dev mrc0 port 2 down
contains 'which shows' "$("$mrc" port show dev mrc0 port 2)" 'admin down'
exits 1 'as long as they are there' "$mrc" port set dev mrc0 port 9 down
is 'else it is said which are' "$output" 'mrc port: mrc0 has ports 1 to 2, not 9'
exits 0 'and set again' "$mrc" port set dev mrc0 port 2 up
exits 1 'of their QPs nobody knows' "$mrc" qp show dev mrc0
contains 'and that is said' "$output" 'mrc0: no process has it open'
for command in qp stat; do
    is "mrc $command has nothing to show, and says why" "$("$mrc" "$command" show 2>&1)" \
        "mrc $command: no process has a device open; 'mrc dev show' lists devices"
done

exits 1 'a QP that no device has is missed' "$mrc" qp show qp 5
is '  and that is said' "$output" 'mrc qp: no device has a QP 5'
exits 1 'so is a port' "$mrc" port show port 9
is '  in the same way' "$output" 'mrc port: no device has a port 9'

"$mrc" perf write --local 2 -D 20 >/dev/null 2>&1 &
client=$!
until_prints 'state RTS' "$mrc" qp show dev mrc0
contains 'a QP shows state and peer' "$output" 'state RTS peer 2001:db8:'
contains 'and the floors for software' "$output" 'floors base 200us'
contains 'a device shows who has it' "$("$mrc" dev show mrc0)" 'mrc0: mrc pid '
contains 'with the parameters if asked' "$("$mrc" dev show mrc0 -d)" 'base_rtt_floor           200000'
until_prints ' messages_sent ' "$mrc" stat show dev mrc0 -s
contains 'counters count' "$output" 'counter  messages_sent'
case $output in
*' 0') not_ok '-s leaves out zeros' "$output" ;;
*) ok '-s leaves out zeros' ;;
esac
contains 'each counter that is shown is in the list of metrics' "$("$mrc" stat list)" "$("$mrc" stat show dev mrc0 -s | awk '$2 == "counter" { printf "%-8s %s ", $2, $3; exit }')"
contains 'a counter is explained with -d' "$("$mrc" stat show dev mrc0 -s -d)" '  messages that completed as requester'
contains 'all counters are there without it' "$("$mrc" stat show dev mrc0)" 'drop     unknown_qp'
contains 'EVs show plane and state' "$("$mrc" ev mrc0)" 'PLANE UPLINK STATE'
exits 1 'a QP that is not there is missed' "$mrc" ev show dev mrc0 qp 3
exits 1 'on no device' "$mrc" qp show qp 3 -j
is '  which is said, and no list is printed' "$output" 'mrc qp: no device has a QP 3'
exits 1 'a device that is in use cannot be had' timeout 60 "$mrc" perf write --devices mrc0,mrc1 -n 1
contains '  and the process that has it is named' "$output" 'mrc0: in use by mrc, pid '
for command in dev qp ev port stat; do
    "$mrc" "$command" show -j >"$SCRATCH/json" 2>&1
    is "mrc $command -j is JSON" "$(python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))[0]["device"])' "$SCRATCH/json" 2>&1)" mrc0
done

"$mrc" monitor dev mrc0 >"$SCRATCH/events" &
watcher=$!
"$mrc" monitor dev mrc0 -j >"$SCRATCH/json-events" &
json_watcher=$!
sleep 1
"$mrc" port set dev mrc0 port 2 down
until_prints 'port 2 link_down' cat "$SCRATCH/events"
contains 'a monitor sees a port go down' "$output" 'mrc0 port 2 link_down'
contains 'so does port show' "$("$mrc" port show dev mrc0 port 2)" 'admin down'
"$mrc" port set dev mrc0 port 2 up
until_prints 'port 2 usable' cat "$SCRATCH/events"
contains 'and come back' "$output" 'mrc0 port 2 usable'
until_prints '"change":"usable"' cat "$SCRATCH/json-events"
is 'every line of JSON has the time of day' "$(grep -vc '"time":"20[0-9-]*T[0-9:]*\.[0-9]*Z"' "$SCRATCH/json-events")" 0
kill "$json_watcher"

exits 0 'the doctor always succeeds' "$mrc" doctor
contains 'and says what works' "$output" 'ok       shm'
contains 'what runs' "$output" 'running: fabric'
contains 'and what is open' "$output" '2 of them open in a process'
is 'in JSON, too' "$("$mrc" doctor -j | python3 -c 'import json, sys
print(json.load(sys.stdin)[0]["check"])' 2>&1)" kernel
done_testing
