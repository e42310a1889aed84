#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc sim with RoCEv2 or InfiniBand instead of MRC: selection, results, refusals.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
cd "$SCRATCH" || exit 1

cat >x.yaml <<'EOT'
fabric: { planes: 2, t0s: 2, t1s: 2, hosts_per_t0: 4 }
duration: 200us
roce: { qps: 4, cc: dcqcn, pfc: true, recovery: go-back-n }
workloads:
  - { kind: permutation, message_bytes: 256KiB, iterations: 2 }
phases:
  - { name: late, from: 10us }
EOT

exits 0 'a protocol is selected by an option' "$mrc" sim x.yaml --protocol roce -o roce.json --check
contains '  and the table names its settings' "$output" \
    'RoCEv2: 4 QPs, go-back-n, dcqcn connectx, marking nv, PFC on; '
contains '  and does not speak of trimming' "$output" ' 0 lost, 27 marked, 0 retransmitted, 0 timeouts'
is '  and by a key, with the same result' \
    "$("$mrc" sim x.yaml --set protocol=roce -j | jq -r '.runs[0].hash')" "$(jq -r '.runs[0].hash' roce.json)"
is '  and with the other engine' \
    "$("$mrc" sim x.yaml --protocol roce --heap -j | jq -c '.runs[0].summary.roce')" "$(jq -c '.runs[0].summary.roce' roce.json)"
for threads in 1 2 3; do
    is "  and with threads: $threads" "$("$mrc" sim x.yaml --protocol roce --set fabric.t0s=4 --threads $threads -j | jq -r '.runs[0].hash')" \
        "$("$mrc" sim x.yaml --protocol roce --set fabric.t0s=4 --heap -j | jq -r '.runs[0].hash')"
done
is 'its settings are ignored by MRC' \
    "$("$mrc" sim x.yaml -j | jq -c '.runs[0].summary | [has("roce"), has("trimmed"), has("counters")]')" '[false,true,true]'
is 'a result has no figures that only MRC has' \
    "$(jq -c '.runs[0] | [.summary, .summary.phases.late, .series] | map([has("trimmed"), has("active_evs"), has("counters"), has("ev_map")] | any)' roce.json)" \
    '[false,false,false]'
is '  and those of RoCEv2' \
    "$(jq -c '.runs[0].summary.roce | [.settings.qps, .settings.dcqcn, .counters.bytes_placed, has("pauses")]' roce.json)" \
    '[4,"connectx",4194304,true]'
exits 0 'a page shows it' "$mrc" report roce.json -o roce.html
exits 0 'a sweep compares protocols' "$mrc" sim x.yaml --sweep protocol=mrc,roce --csv x.csv
is '  with a line for each' "$(grep -c permutation x.csv)" 2

cat >ring.yaml <<'EOT'
shape: links
nics: 5
uplink: { rate: 100Gb/s, delay: 500ns }
links:
  - { from: h0, to: p0.t0.0 }
  - { from: h1, to: p0.t0.1 }
  - { from: h2, to: p0.t0.2 }
  - { from: h3, to: p0.t0.3 }
  - { from: h4, to: p0.t0.4 }
  - { from: p0.t0.0, to: p0.t0.1 }
  - { from: p0.t0.1, to: p0.t0.2 }
  - { from: p0.t0.2, to: p0.t0.3 }
  - { from: p0.t0.3, to: p0.t0.4 }
  - { from: p0.t0.4, to: p0.t0.0 }
EOT
cat >around.yaml <<'EOT'
fabric: ring.yaml
duration: 3ms
protocol: roce
roce: { cc: none }
workloads:
  - { kind: permutation, shift: 2, message_bytes: 4MB, outstanding: 2 }
EOT
exits 0 'a ring of switches deadlocks' "$mrc" sim around.yaml -o around.json
contains '  and the table names the links' "$output" \
    '5 links wait for each other: p0.t0.0-t0.1, p0.t0.1-t0.2, p0.t0.2-t0.3, p0.t0.3-t0.4, p0.t0.4-t0.0'
is '  and the result, too' \
    "$(jq -c '.runs[0].summary.roce | [.deadlocks, .deadlock.link_count, .deadlock.links[4], .storms]' around.json)" \
    '[1,5,"p0.t0.4-t0.0",0]'
exits 0 'a watchdog drops what waits' "$mrc" sim around.yaml --set roce.watchdog_detect=1200us
contains '  and the table counts storms and packets' "$output" ' pauses, 5 storms with '
is 'without a circle there is no deadlock' \
    "$(jq -c '.runs[0].summary.roce | [.deadlocks, has("deadlock")]' roce.json)" '[0,false]'

for experiment in all-reduce permutation; do
    exits 0 "MRC is faster than RoCEv2, and 8 QPs are faster than one: $experiment" \
        "$mrc" sim "$ROOT/experiments/rivals/$experiment.yaml" --repeat 1
done

exits 0 "MRC's own path policy has 0.98 of the goodput of any other, with far fewer repairs" \
    "$mrc" sim "$ROOT/experiments/rivals/path-policies.yaml" --repeat 1
exits 0 'a failed link costs RoCEv2 more than MRC, with any routing' \
    "$mrc" sim "$ROOT/experiments/rivals/routing.yaml" --repeat 1
exits 2 'an unknown path policy is refused' "$mrc" sim x.yaml --set parameters.ev_policy=spray
contains '  with the known ones' "$output" 'rotation, single, flowlet, retire, oblivious, bitmap or reps'

# InfiniBand
exits 0 'InfiniBand is selected by an option' "$mrc" sim x.yaml --protocol infiniband -o ib.json --check
contains '  and the table names its settings' "$output" \
    'InfiniBand: adaptive routing, recovery by shield, 1 lane of 131008 bytes, link retry on; 0 link repeats, '
contains '  and nothing is lost' "$output" ' 0 lost, 0 marked, 0 retransmitted, 0 timeouts'
is '  with the same figures in the other engine' \
    "$("$mrc" sim x.yaml --set protocol=infiniband --heap -j | jq -c '.runs[0].summary.infiniband')" \
    "$(jq -c '.runs[0].summary.infiniband' ib.json)"
for threads in 2 3; do
    is "  and with $threads threads" \
        "$("$mrc" sim x.yaml --protocol infiniband --threads $threads -j | jq -r '.runs[0].hash')" \
        "$(jq -r '.runs[0].hash' ib.json)"
done
is '  and its figures are in the result' \
    "$(jq -c '.runs[0].summary | [has("roce"), .infiniband.settings.routing, .infiniband.counters.bytes_placed]' ib.json)" \
    '[false,"adaptive",4194304]'
exits 0 'a page shows it' "$mrc" report ib.json -o ib.html
for experiment in infiniband-all-reduce infiniband-permutation; do
    exits 0 "static and adaptive routes: $experiment" "$mrc" sim "$ROOT/experiments/rivals/$experiment.yaml" --repeat 1
done

refuses() # MESSAGE ARGUMENT...
{
    message=$1
    shift
    exits 2 "refused: $*" "$mrc" sim x.yaml --protocol roce -o y.json "$@"
    is '  with the reason' "$output" "mrc sim: $message"
}

refuses "--set roce.qps=17: roce.qps: 17 is out of range; give 1 to 16" --set roce.qps=17
refuses "--set roce.qpss=3: roce.qpss: there is no such key here; did you mean 'qps'?" --set roce.qpss=3
refuses "--set roce.recovery=x: roce.recovery: there is no 'x'; write go-back-n or selective-repeat" --set roce.recovery=x
refuses '--set roce.placement=any_order: roce.placement: any_order contradicts selective repeat, which takes a packet that arrives early for a sign of loss; choose one of them' \
    --set roce.recovery=selective-repeat --set roce.placement=any_order
refuses "--set roce.convergence=fats: roce.convergence: there is no 'fats'; did you mean 'fast'? Known: none, frr, fast, bgp, slow, subnet_manager or shield" \
    --set roce.convergence=fats
refuses "--set roce.routing=random: roce.routing: there is no 'random'; write ecmp, flowlet or adaptive" --set roce.routing=random
refuses '--set roce.flowlet_gap=5us: roce.flowlet_gap: it has no effect without routing: flowlet; remove it, or set routing: flowlet' \
    --set roce.flowlet_gap=5us
refuses '--set roce.dcqcn=lab: roce.dcqcn: it has no effect with cc: none; remove it, or set cc: dcqcn' \
    --set roce.cc=none --set roce.dcqcn=lab
refuses '--set roce.headroom=1MB: roce.headroom: it has no effect with pfc: false; remove it, or set pfc: true' \
    --set roce.pfc=false --set roce.headroom=1MB
refuses '--set roce.watchdog=drop: roce.watchdog: it has no effect with pfc: false; remove it, or set pfc: true' \
    --set roce.pfc=false --set roce.watchdog=drop
refuses '--set roce.watchdog_detect=1ms: roce.watchdog_detect: it has no effect with watchdog: off; remove it, or set watchdog: drop' \
    --set roce.watchdog=off --set roce.watchdog_detect=1ms
refuses "--set roce.watchdog=shut: roce.watchdog: there is no 'shut'; write drop, forward or off" --set roce.watchdog=shut
refuses '--set roce.headroom=0B: roce.headroom: 0 bytes are less than the 43908 that can arrive at a port after it has paused its sender' \
    --set roce.headroom=0B
exits 2 'headroom that the buffer does not have is refused' "$mrc" sim x.yaml --protocol roce --set roce.headroom=1MB
contains '  with the sum and the buffer' "$output" 'the ports of a switch need 6000000 bytes of headroom, and it has a buffer of '
refuses "--set infiniband.lanes=5: infiniband.lanes: 5 is out of range; give 1 to 4" --set infiniband.lanes=5
refuses "--set infiniband.routing=x: infiniband.routing: there is no 'x'; write adaptive or static" \
    --set infiniband.routing=x
refuses '--set infiniband.buffer=8KiB: infiniband.buffer: 8192 bytes are less than the 12352 that 1 lanes need for a packet and the credit that is not told yet' \
    --protocol infiniband --set infiniband.buffer=8KiB
cat >large.yaml <<'EOT'
fabric: { planes: 1, t0s: 96, t1s: 1, hosts_per_t0: 512, radix: 1024 }
duration: 1us
protocol: infiniband
workloads:
  - { kind: stream, nics: [0, 1], message_bytes: 4KiB }
EOT
exits 2 'a subnet that is too large is refused' "$mrc" sim large.yaml
contains '  with the figure' "$output" 'a subnet of InfiniBand has at most 49151 LIDs, and NICs and switches need 49249'
refuses '--wire, --pcap and --trace support only MRC; omit them, or give --protocol mrc' --pcap x.pcap
exits 2 'an unknown protocol is refused' "$mrc" sim x.yaml --protocol rocky
contains '  by the name of the option' "$output" 'mrc sim: --protocol rocky: '
contains '  with the known ones' "$output" "there is no 'rocky'; did you mean 'roce'? Known: mrc, roce, uet or infiniband"
is 'nothing is written' "$(find . -name y.json)" ''

done_testing
