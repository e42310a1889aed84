#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One list of faults in both environments: a script of 20 entries gives the same events in the same order at the same
# times in the simulator and on a running fabric, which is 1,000 times slower; and what is recorded there replays here.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
export MRC_RUN_DIR="$SCRATCH/run"
unset MRC_CONFIG
mkdir "$MRC_RUN_DIR"
printf 'planes: 2\nt0s: 2\nt1s: 2\nhosts_per_t0: 2\n' >"$SCRATCH/fabric.yaml"
cat >"$SCRATCH/script.yaml" <<'YAML'
name: script
fabric: fabric.yaml
duration: 400us
workloads: [{ kind: permutation, message_bytes: 64KiB }]
faults:
  - { kind: down, where: p0.t0.0-t1.1, at: 10us, for: 50us }
  - { kind: reboot, where: p0.t1.0, at: 5us, until: 60us }
  - { kind: loss, where: h0.p1, probability: 1%, at: 7us, until: 60us }
  - { kind: loss, where: p1, probability: 0.1%, direction: up, at: 10us, for: 30us }
  - { kind: corrupt, where: [h1.p0, h2.p0], probability: 2%, at: 12us, for: 100us }
  - { kind: slow, where: h3, rate: 10Gb/s, at: 12us, for: 1us }
  - { kind: slow, where: p1.t0.0-t1.0, rate: 25Gb/s, direction: down, at: 13us, for: 1ns }
  - { kind: blackhole, ev: p0/u1, at: 20us, for: 7us }
  - { kind: blackhole, where: p0.t1.1, ev: p0/u1, at: 20us, for: 8us }
  - { kind: flap, where: h0.p0, period: 10us, duty: 30%, at: 25us, until: 95us }
  - { kind: flap, where: [h1.p1, h2.p1], period: 4us, at: 30us, for: 20us }
  - { kind: down, where: h2.p0, at: 31us, for: 12345ps }
  - { kind: reboot, where: [p0.t1.1, p1.t1.1], at: 100us, for: 20us }
  - { kind: down, where: p1, at: 110us, for: 5us }
  - { kind: loss, where: p0.t0.1, probability: 50%, at: 120us, for: 30us }
  - { kind: corrupt, where: h3.p1, probability: 100%, direction: down, at: 120us, for: 30us }
  - { kind: slow, where: p0.t0.1, rate: 50Gb/s, at: 150us, for: 10us }
  - { kind: blackhole, where: h0, direction: up, at: 150us, for: 10us }
  - { kind: down, where: h1, at: 0us, until: 300us }
  - { kind: loss, where: h2, probability: 1e-3, at: 299us }
YAML

# "TIME EVENT KIND PLACE", one a line; times in ps.
events_of_sim() # FILE
{
    "$mrc" sim -q -j "$1" | python3 -c '
import json, sys
for event in json.load(sys.stdin)["runs"][0]["events"]:
    if event["kind"].startswith("fault_"):
        print(round(event["time_us"] * 1e6), event["kind"], event["fault_kind"], ",".join(event["where"]))'
}

events_of_record()
{
    "$mrc" fabric record -j | python3 -c '
import json, sys
record = json.load(sys.stdin)
faults = {fault["id"]: fault for fault in record["faults"]}
for event in record["events"]:
    fault = faults[event["id"]]
    print(event["time_ps"], event["event"], fault["kind"], ",".join(fault["where"]))'
}

trap '"$mrc" fabric stop >/dev/null 2>&1; rm -rf "$SCRATCH"' EXIT
exits 0 'a fabric runs 1,000 times slower' timeout 60 "$mrc" fabric run -q -b -s 1000 "$SCRATCH/fabric.yaml"
exits 0 'fabric fault run runs a script of the simulator' timeout 60 "$mrc" fabric fault run -q -s 1000 "$SCRATCH/script.yaml"
tries=0
while [ "$(events_of_record | wc -l)" -lt 39 ] && [ "$tries" -lt 100 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
events_of_record >"$SCRATCH/live"
events_of_sim "$SCRATCH/script.yaml" >"$SCRATCH/simulated"
is 'all 20 faults begin, and 19 end' "$(cut -d ' ' -f 2 "$SCRATCH/live" | sort | uniq -c | tr -s ' \n' ' ')" \
    ' 20 fault_began 19 fault_ended '
is 'fabric and simulator have the same events in the same order at the same times' "$(cat "$SCRATCH/live")" \
    "$(cat "$SCRATCH/simulated")"
exits 0 'fabric record writes the events as an experiment' "$mrc" fabric record -o "$SCRATCH/recorded.yaml"
is '  and prints nothing' "$output" ''
is '  and the experiment has 20 faults' "$(grep -c '^  - kind:' "$SCRATCH/recorded.yaml")" 20
is '  and the simulator replays it with the same events' "$(events_of_sim "$SCRATCH/recorded.yaml")" "$(cat "$SCRATCH/live")"
"$mrc" fabric fault clear
"$mrc" fabric fault link p0.t0.0-t1.0,p1.t0.0-t1.0 loss 1% direction up
"$mrc" fabric fault link p0.t0.0-t1.0,p1.t0.0-t1.0 up
exits 0 'fabric record also has the faults of requests' "$mrc" fabric record --clear
contains '  with the links that they affect' "$output" '    where: [p0.t0.0-t1.0, p1.t0.0-t1.0]'
is '  and the times of their ends' "$(printf '%s\n' "$output" | tail -n 1 | cut -d : -f 1)" '    until'
exits 1 'after fabric record --clear, fabric record fails' "$mrc" fabric record
is '  because no fault is recorded' "$output" 'mrc fabric record: the fabric has recorded no faults'

# Random faults: the simulator and the fabric draw the same ones.
cat >"$SCRATCH/random.yaml" <<'YAML'
name: random
fabric: fabric.yaml
duration: 400us
seed: 7
workloads: [{ kind: permutation, message_bytes: 64KiB }]
faults:
  - { kind: down, where: h1.p0, at: 100us, for: 50us }
generators:
  - { kind: down, component: host_link, mean_between: 300us, for: 20us }
  - { kind: loss, component: t1, probability: 1%, mean_between: 500us, for: 30us }
YAML
events_of_sim "$SCRATCH/random.yaml" | grep fault_began >"$SCRATCH/simulated"
exits 0 'fabric fault run injects the faults of generators' timeout 60 "$mrc" fabric fault run -q -s 1000 "$SCRATCH/random.yaml"
tries=0
while [ "$(events_of_record | grep -c fault_began)" -lt "$(wc -l <"$SCRATCH/simulated")" ] && [ "$tries" -lt 100 ]; do
    tries=$((tries + 1))
    sleep 0.1
done
is '  the simulator draws random faults from them' "$([ "$(wc -l <"$SCRATCH/simulated")" -gt 3 ] && echo yes)" yes
is '  and the fabric injects the same faults as the simulator' "$(events_of_record | grep fault_began)" "$(cat "$SCRATCH/simulated")"
printf 'generators:\n  - { kind: down, component: t1, mean_between: 1s, for: 1s }\n' >"$SCRATCH/alone.yaml"
exits 2 'generators without a fabric are refused' "$mrc" fabric fault run "$SCRATCH/alone.yaml"
contains '  and the message names the missing key' "$output" fabric
exits 2 'an unknown option is refused' "$mrc" fabric record --slwoer 2
is '  and the message suggests the right one' "$output" "mrc fabric record: there is no option '--slwoer'; did you mean --slower?"
done_testing
