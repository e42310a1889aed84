#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc sim: what is measured in each phase of a run, on a fabric small enough to know the answers.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc

# One NIC writes to another over the T1 u0 of plane 0 alone; that link is cut for 30 us. Another pair joins later.
cat >"$SCRATCH/x.yaml" <<'EOF2'
fabric: { planes: 1, t0s: 2, t1s: 2, hosts_per_t0: 2 }
duration: 300us
sample: 5us
parameters: { timeout: 3, reverse_probe_rate: 1000000 }
workloads:
  - { name: first, kind: stream, nics: [0, 2], message_bytes: 64KiB, outstanding: 16, evs: [p0/u0] }
  - { name: late, kind: stream, nics: [1, 3], message_bytes: 64KiB, outstanding: 16, evs: [p0/u1], start: 150us }
faults:
  - { kind: down, where: p0.t0.0-t1.0, at: 100us, for: 30us }
watch: { used: p0.t0.0-t1.0, unused: p0.t0.1-t1.1, host: h0.p0 }
phases:
  - { name: before, from: 50us, until: 100us }
  - { name: cut, from: 100us, until: 160us }
  - { name: end, from: 200us }
EOF2
"$mrc" sim -q "$SCRATCH/x.yaml" -o "$SCRATCH/r.json"

holds() # SENTENCE EXPRESSION: of the phases, p
{
    if python3 -c '
import json, sys
p = json.load(open(sys.argv[1]))["runs"][0]["summary"]["phases"]
sys.exit(0 if eval(sys.argv[2]) else 1)' "$SCRATCH/r.json" "$2"; then ok "$1"; else not_ok "$1" "$2" "$(cat "$SCRATCH/r.json")"; fi
}

holds 'the goodput of a phase is that of its time only' 'p["before"]["workloads"]["first"]["goodput_fraction"] > 0.95'
holds '  in bytes and in bits per second' \
    'abs(p["before"]["workloads"]["first"]["bytes"] * 8 / 50e-6 / p["before"]["workloads"]["first"]["goodput_bps"] - 1) < 0.03'
holds 'in a phase without faults the worst sample is near the mean' 'p["before"]["workloads"]["first"]["sample_fraction_min"] > 0.9'
holds '  and no flow stalls' 'p["before"]["workloads"]["first"]["stall_us"] == 0'
holds 'a link that is cut stalls its flow' '20 <= p["cut"]["workloads"]["first"]["stall_us"] <= 40'
holds '  and in its worst sample no bytes arrive' 'p["cut"]["workloads"]["first"]["sample_fraction_min"] == 0'
holds 'losses are counted in the phase in which they occur' 'p["cut"]["lost"] > 0 and p["before"]["lost"] == 0 and p["end"]["lost"] == 0'
holds 'counters are counted in the phase in which they change' 'p["cut"]["counters"]["data_retransmitted"] > 0 and p["before"]["counters"]["data_retransmitted"] == 0'
holds 'a workload that has not begun has no goodput' 'p["before"]["workloads"]["late"]["goodput_fraction"] is None'
holds '  and no Jain index' 'p["before"]["workloads"]["late"]["jain"] is None and p["before"]["workloads"]["late"]["flows"] == 0'
holds '  in a later phase it has both' 'p["end"]["workloads"]["late"]["flows"] == 1 and p["end"]["workloads"]["late"]["jain"] == 1'
holds 'a watched link counts packets upwards' \
    'abs(p["before"]["links"]["used"]["up_packets"] * 4096 / p["before"]["workloads"]["first"]["bytes"] - 1) < 0.05'
holds '  and downwards, where there are only probes' 'p["before"]["links"]["used"]["down_packets"] < 20'
holds 'a watched host link counts packets' 'p["before"]["links"]["host"]["up_packets"] >= p["before"]["links"]["used"]["up_packets"] - 2'
holds 'a link that carries no packets counts none' 'p["before"]["links"]["unused"] == {"up_packets": 0, "down_packets": 0}'
holds 'the longest queue is that of the phase' '0 < p["before"]["queue_peak_bytes"] < 200000'

# Of capacity: the flow of `first` has one path, so during the cut it has none, and is due nothing.
sums() # SENTENCE EXPRESSION: of the summary, s
{
    if python3 -c '
import json, sys
s = json.load(open(sys.argv[1]))["runs"][0]["summary"]
sys.exit(0 if eval(sys.argv[2]) else 1)' "$SCRATCH/r.json" "$2"; then ok "$1"; else not_ok "$1" "$2" "$(cat "$SCRATCH/r.json")"; fi
}

holds 'a phase has its share of the capacity' 'p["before"]["workloads"]["first"]["capacity_fraction"] > 0.95'
holds '  and the share of its worst flow' \
    'p["before"]["workloads"]["first"]["capacity_flow_min_of"] == "h0 to h2" and p["before"]["workloads"]["first"]["capacity_flow_min"] > 0.95'
holds 'a workload that has not begun has no share of the capacity' 'p["before"]["workloads"]["late"]["capacity_fraction"] is None'
holds 'traffic above the capacity of a cut fabric does not lower its share of the capacity' \
    'p["cut"]["workloads"]["first"]["goodput_fraction"] < 0.5 and p["cut"]["workloads"]["first"]["capacity_fraction"] > p["cut"]["workloads"]["first"]["goodput_fraction"]'
holds 'a phase names what limits it' 'p["before"]["limits"] == ["host links limit 1 of 1 flow"]'
sums 'the summary has the cost of a fault' \
    'len(s["faults"]) == 1 and s["faults"][0]["kind"] == "down" and s["faults"][0]["where"] == ["p0.t0.0-t1.0"]'
sums '  from its beginning and from its end' \
    's["faults"][0]["began"]["at_us"] == 100 and s["faults"][0]["ended"]["at_us"] == 130 and s["faults"][0]["ended"]["depth"] < 0.95'
sums '  and a time below the share of at least one window' 's["faults"][0]["began"]["below_us"] >= s["capacity"]["window_us"]'
sums 'the summary has the method by which the capacity was computed' 's["capacity"]["method"] == "water_filling" and s["capacity"]["error"] == 0'
"$mrc" sim -q -o "$SCRATCH/r.json" --set 'criteria=[faults.0.began.depth < 0.95, phases.before.first.capacity_fraction >= 0.95, phases.before.capacity_fraction >= 0.95]' \
    "$SCRATCH/x.yaml"
is 'criteria may use capacity and faults' "$?" 0
table=$("$mrc" sim "$SCRATCH/x.yaml")
contains 'the table has the share of the capacity' "$table" 'of cap.'
contains '  and the fault' "$table" 'down p0.t0.0-t1.0 at 100.000 us: '
contains '  and the limits' "$table" 'limited by: host links limit '
table=$("$mrc" sim --set 'faults=[{ kind: loss, probability: 0.013, where: h2.p0, at: 1us }]' "$SCRATCH/x.yaml")
contains '  with rates of three digits' "$table" 'the link into h2.p0 carries 98.7 Gb/s instead of 100 Gb/s and limits the flow from h0 to h2'
table=$("$mrc" sim --set 'faults=[{ kind: down, where: h2.p0, at: 1ms }]' "$SCRATCH/x.yaml")
contains 'a fault after the end of the run is reported' "$table" '1 fault would have begun after the end of the run'
"$mrc" sim -q --heap -o "$SCRATCH/h.json" "$SCRATCH/x.yaml"
"$mrc" sim -q -o "$SCRATCH/r.json" "$SCRATCH/x.yaml"
hash_of()
{
    python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["runs"][0]["hash"])' "$1"
}
is 'both engines have the same hash' "$(hash_of "$SCRATCH/h.json")" "$(hash_of "$SCRATCH/r.json")"

# A window too short for the way, and four senders below one T0 with half the uplinks.
cat >"$SCRATCH/y.yaml" <<'EOF2'
fabric: { planes: 2, t0s: 2, t1s: 1, hosts_per_t0: 2, uplink: { rate: 100G, delay: 60us } }
duration: 2ms
parameters: { mpr: 1 }
workloads: [{ name: w, kind: permutation, shift: 2, message_bytes: 1MiB }]
EOF2
contains 'a window below the bandwidth-delay product is reported' "$("$mrc" sim "$SCRATCH/y.yaml")" \
    'w: the window of 128 packets (mpr 1) times 1 QP is below the bandwidth-delay product of '
contains 'uplinks that limit flows are reported' "$("$mrc" sim -j "$SCRATCH/y.yaml")" 'uplinks limit 4 of 4 flows'
cat >"$SCRATCH/graph.yaml" <<'EOF2'
fabric: { shape: rail_optimised, rails: 1, groups: 2, servers_per_group: 2, spines: 1 }
duration: 100us
workloads: [{ name: w, kind: permutation, shift: 2, message_bytes: 1MiB }]
EOF2
contains 'in a graph they are called links between switches' "$("$mrc" sim -j "$SCRATCH/graph.yaml")" \
    '"links between switches limit 4 of 4 flows"'
contains '  and planes are called ports' "$("$mrc" sim "$SCRATCH/graph.yaml")" ' timeouts, ports within '

# A path that swallows everything is suspect, then bad.
"$mrc" sim -q -o "$SCRATCH/m.json" --set 'observe={workload: first, rank: 0}' --set sample=1us \
    --set 'workloads.0.evs=[p0/u0, p0/u1]' --set 'faults=[{kind: blackhole, where: p0.t0.0-t1.0, at: 100us}]' "$SCRATCH/x.yaml"
is 'the EV map shows every state with its letter' "$(python3 -c '
import json, sys
states = json.load(open(sys.argv[1]))["runs"][0]["series"]["ev_map"]["states"]
letters = [s[0].upper() for s in states]
print("".join(c for i, c in enumerate(letters) if i == 0 or c != letters[i - 1]).replace("S", ""))' "$SCRATCH/m.json")" GUB

exits 2 'a switch cannot be watched' "$mrc" sim -q --set 'watch={x: p0.t1.0}' "$SCRATCH/x.yaml"
contains '  and the message says that it is not a link' "$output" "'p0.t1.0' is not a link"
exits 2 'a link that does not exist cannot be watched' "$mrc" sim -q --set 'watch={x: p0.t0.0-t1.7}' "$SCRATCH/x.yaml"
done_testing
