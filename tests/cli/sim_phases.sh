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
  - { name: cut, from: 100us, until: 140us }
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

holds 'a phase has the goodput of its time alone' 'p["before"]["workloads"]["first"]["goodput_fraction"] > 0.95'
holds 'in bytes and in bits per second' \
    'abs(p["before"]["workloads"]["first"]["bytes"] * 8 / 50e-6 / p["before"]["workloads"]["first"]["goodput_bps"] - 1) < 0.03'
holds 'the worst sample of a quiet phase is not far from it' 'p["before"]["workloads"]["first"]["sample_fraction_min"] > 0.9'
holds 'and nothing stalls' 'p["before"]["workloads"]["first"]["stall_us"] == 0'
holds 'a cut link stalls its flow' '20 <= p["cut"]["workloads"]["first"]["stall_us"] <= 40'
holds 'in the worst sample nothing arrives' 'p["cut"]["workloads"]["first"]["sample_fraction_min"] == 0'
holds 'losses are of the phase' 'p["cut"]["lost"] > 0 and p["before"]["lost"] == 0 and p["end"]["lost"] == 0'
holds 'so are the counters' 'p["cut"]["counters"]["data_retransmitted"] > 0 and p["before"]["counters"]["data_retransmitted"] == 0'
holds 'who has not begun has no goodput' 'p["before"]["workloads"]["late"]["goodput_fraction"] is None'
holds 'nor a share' 'p["before"]["workloads"]["late"]["jain"] is None and p["before"]["workloads"]["late"]["flows"] == 0'
holds 'later it has' 'p["end"]["workloads"]["late"]["flows"] == 1 and p["end"]["workloads"]["late"]["jain"] == 1'
holds 'a watched link counts what goes up' \
    'abs(p["before"]["links"]["used"]["up_packets"] * 4096 / p["before"]["workloads"]["first"]["bytes"] - 1) < 0.05'
holds 'down there are only probes' 'p["before"]["links"]["used"]["down_packets"] < 20'
holds 'at the NIC as well' 'p["before"]["links"]["host"]["up_packets"] >= p["before"]["links"]["used"]["up_packets"] - 2'
holds 'a link nobody uses stays empty' 'p["before"]["links"]["unused"] == {"up_packets": 0, "down_packets": 0}'
holds 'the longest queue is that of the phase' '0 < p["before"]["queue_peak_bytes"] < 200000'

exits 2 'a switch cannot be watched' "$mrc" sim -q --set 'watch={x: p0.t1.0}' "$SCRATCH/x.yaml"
contains 'and it is said why' "$output" "'p0.t1.0' is no link"
exits 2 'nor a link that is not there' "$mrc" sim -q --set 'watch={x: p0.t0.0-t1.7}' "$SCRATCH/x.yaml"
done_testing
