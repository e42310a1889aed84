#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc dev, qp, ev, port, stat, monitor and doctor: a running NIC seen from outside its process.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
export MRC_RUN_DIR="$SCRATCH"
unset MRC_CONFIG

exits 0 'without devices, dev show exits with 0' "$mrc" dev show
is '  and the message says how devices are created' "$output" \
    "mrc dev: there are no devices; 'mrc fabric run' creates some. Check MRC_CONFIG and MRC_RUN_DIR if they are set"
is '  and standard output is empty' "$("$mrc" dev show 2>/dev/null)" ''
is '  and the JSON list is empty' "$("$mrc" dev show -j 2>&1)" '[]'
exits 1 'a port of an unknown device cannot be set' "$mrc" port set dev mrc7 down
is '  and the message names the device' "$output" "mrc port: there is no device mrc7; 'mrc dev show' lists them"
exits 1 'the QPs of an unknown device cannot be shown' "$mrc" qp show dev mrc7
contains '  and the message names the device' "$output" 'there is no device mrc7'
exits 2 'an unknown option is refused' "$mrc" stat -x
exits 2 'a QP that is not a number is refused' "$mrc" ev show dev mrc0 qp many
exits 2 'port set without up or down is refused' "$mrc" port set dev mrc0 port 1
for command in dev qp ev port stat monitor doctor; do
    exits 0 "mrc $command --help exits with 0" "$mrc" "$command" --help
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
contains 'devices that no process has open are free' "$output" 'mrc1: free'
exits 0 'the ports of a free device can be shown' "$mrc" port show dev mrc0
contains '  and each is listed' "$output" 'mrc0 port 2 plane 1 admin up free'
exits 0 'a port of a free device can be set down' "$mrc" port set dev mrc0 port 2 down
contains '  and port show shows it' "$("$mrc" port show dev mrc0 port 2)" 'admin down'
exits 1 'a port that the device lacks cannot be set' "$mrc" port set dev mrc0 port 9 down
is '  and the message has the range of ports' "$output" 'mrc port: mrc0 has ports 1 to 2, not 9'
exits 0 'the port can be set up again' "$mrc" port set dev mrc0 port 2 up
exits 1 'the QPs of a free device cannot be shown' "$mrc" qp show dev mrc0
contains '  and the message says that no process has it open' "$output" 'mrc0: no process has it open'
for command in qp stat; do
    is "mrc $command shows nothing for free devices, and says why" "$("$mrc" "$command" show 2>&1)" \
        "mrc $command: no process has a device open; 'mrc dev show' lists devices"
done

exits 1 'a QP that no device has is an error' "$mrc" qp show qp 5
is '  and the message says so' "$output" 'mrc qp: no device has a QP 5'
exits 1 'a port that no device has is an error' "$mrc" port show port 9
is '  and the message says so' "$output" 'mrc port: no device has a port 9'

"$mrc" perf write --local 2 -D 120 >/dev/null 2>&1 &
client=$!
until_prints 'state RTS' "$mrc" qp show dev mrc0
contains 'qp show has state and peer of a QP' "$output" 'state RTS peer 2001:db8:'
contains '  and the RTT floors for software' "$output" 'floors base 200us'
contains 'dev show has the process that opened the device' "$("$mrc" dev show mrc0)" 'mrc0: mrc pid '
contains 'dev show -d has the parameters' "$("$mrc" dev show mrc0 -d)" 'base_rtt_floor           200000'
until_prints ' messages_sent ' "$mrc" stat show dev mrc0 -s
contains 'stat show has counters' "$output" 'counter  messages_sent'
case $output in
*' 0') not_ok 'stat show -s omits counters that are 0' "$output" ;;
*) ok 'stat show -s omits counters that are 0' ;;
esac
contains 'stat list has each counter that stat show prints' "$("$mrc" stat list)" "$("$mrc" stat show dev mrc0 -s | awk '$2 == "counter" { printf "%-8s %s ", $2, $3; exit }')"
contains 'stat show -d explains each counter' "$("$mrc" stat show dev mrc0 -s -d)" '  messages that completed as requester'
contains 'stat show without -s has all counters' "$("$mrc" stat show dev mrc0)" 'drop     unknown_qp'
contains 'ev show has the plane and state of EVs' "$("$mrc" ev mrc0)" 'PLANE UPLINK STATE'
exits 1 'the EVs of an unknown QP cannot be shown' "$mrc" ev show dev mrc0 qp 3
exits 1 'qp show of a QP that no device has is an error with -j' "$mrc" qp show qp 3 -j
is '  and the message says so, and no list is printed' "$output" 'mrc qp: no device has a QP 3'
exits 1 'a device in use cannot be opened' timeout 60 "$mrc" perf write --devices mrc0,mrc1 -n 1
contains '  and the message names the process that has it open' "$output" 'mrc0: in use by mrc, pid '
for command in dev qp ev port stat; do
    "$mrc" "$command" show -j >"$SCRATCH/json" 2>&1
    is "mrc $command -j is JSON" "$(python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))[0]["device"])' "$SCRATCH/json" 2>&1)" mrc0
done

exits 0 'stat show --prometheus prints metrics' "$mrc" stat show --prometheus
contains '  of NICs' "$output" 'mrc_data_sent_total{device="mrc0"}'
contains '  of EVs by state' "$output" 'mrc_evs{device="mrc0",state="good"}'
contains '  and of fabrics' "$output" 'mrc_link_up{fabric="fabric",from="h0",link="h0.p0",plane="0"} 1'
is '  of one device only, if it is named' "$("$mrc" stat show dev mrc0 -P | grep -c -e mrc1 -e mrc_link)" 0
if command -v promtool >/dev/null; then
    exits 0 'promtool accepts the metrics' sh -c "'$mrc' stat show -P | promtool check metrics"
    is '  without advice' "$output" ''
else
    skip 'promtool accepts the metrics' 'there is no promtool'
fi

"$mrc" monitor dev mrc0 >"$SCRATCH/events" &
watcher=$!
"$mrc" monitor dev mrc0 -j >"$SCRATCH/json-events" &
json_watcher=$!
sleep 1
"$mrc" port set dev mrc0 port 2 down
until_prints 'port 2 link_down' cat "$SCRATCH/events"
contains 'a monitor reports a port that goes down' "$output" 'mrc0 port 2 link_down'
contains '  and port show shows it' "$("$mrc" port show dev mrc0 port 2)" 'admin down'
"$mrc" port set dev mrc0 port 2 up
until_prints 'port 2 usable' cat "$SCRATCH/events"
contains 'a monitor reports a port that is usable again' "$output" 'mrc0 port 2 usable'
until_prints '"change":"usable"' cat "$SCRATCH/json-events"
is 'every line of JSON has the time of day' "$(grep -vc '"time":"20[0-9-]*T[0-9:]*\.[0-9]*Z"' "$SCRATCH/json-events")" 0
kill "$json_watcher"

exits 0 'mrc doctor exits with 0' "$mrc" doctor
contains '  and lists what works' "$output" 'ok       shm'
contains '  and the fabrics that run' "$output" 'running: fabric'
contains '  and the number of open devices' "$output" '2 of them open in a process'
is '  and prints the same as JSON' "$("$mrc" doctor -j | python3 -c 'import json, sys
print(json.load(sys.stdin)[0]["check"])' 2>&1)" kernel
done_testing
