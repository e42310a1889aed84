#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc sim: a run and its result, the same result in every way to get it, and being interrupted.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc

cat >"$SCRATCH/fabric.yaml" <<'EOF'
name: tiny
planes: 2
t0s: 2
t1s: 2
hosts_per_t0: 2
EOF
cat >"$SCRATCH/x.yaml" <<'EOF'
name: small
title: four NICs
fabric: fabric.yaml
duration: 200us
sample: 5us
workloads:
  - { name: pairs, kind: permutation, message_bytes: 64KiB, shift: 1 }
faults:
  - { kind: loss, where: p0.t0.0-t1.1, probability: 1%, at: 50us, for: 100us }
  - { kind: down, where: h1.p1, at: 100us, for: 50us }
observe: { workload: pairs, rank: 0 }
phases:
  - { name: before, from: 10us, until: 50us }
criteria:
  - expect: goodput_fraction > 0.1
    paper: more than nothing
  - phases.before.pairs.goodput_fraction > 0
EOF
experiment=$SCRATCH/x.yaml

value() # FILE PATH: of a result; keys with dots between them
{
    python3 -c '
import json, sys
value = json.load(open(sys.argv[1]))
for key in sys.argv[2].split("."):
    value = value[int(key)] if isinstance(value, list) else value[key]
print(json.dumps(value) if isinstance(value, (dict, list, bool)) or value is None else value)' "$1" "$2"
}

hash_with() # ARGUMENT...
{
    rm -f "$SCRATCH/hash.json"
    "$mrc" sim "$experiment" -o "$SCRATCH/hash.json" -q "$@" >/dev/null 2>&1
    value "$SCRATCH/hash.json" runs.0.hash
}

exits 0 '--help exits with 0' "$mrc" sim --help
for option in --output --json --quiet --live --set --seed --sweep --repeat --jobs --csv --verbose --pcap --trace --only --snap --wire --heap --check --parameters; do
    contains "the help lists $option" "$output" "$option"
    contains "the manual describes $option" "$(cat "$ROOT/docs/man/mrc-sim.1.scd")" "*$option*"
done

exits 0 '--parameters lists the parameters' "$mrc" sim --parameters
contains '  with default and range' "$output" 'mpr                     0 units (0 to 255)'

exits 0 'an experiment runs' "$mrc" sim "$experiment" -o "$SCRATCH/r.json"
contains '  and the table has its title' "$output" 'small: four NICs'
contains '  and how the run ended' "$output" 'seed 1, ended as planned after 200.000 us'
contains '  and its workload' "$output" '  pairs  '
contains '  and its phases' "$output" '  before  '
contains '  and its criteria with the published values' "$output" 'paper: more than nothing'
is 'the result has its version' "$(value "$SCRATCH/r.json" openmrc_result)" 1
is 'the result has the inputs, including the fabric' "$(value "$SCRATCH/r.json" experiment.inputs.fabric.planes)" 2
is 'the result describes the fabric' "$(value "$SCRATCH/r.json" fabric.nics)" 4
is 'the result says that the run ended at its duration' "$(value "$SCRATCH/r.json" runs.0.status)" out_of_time
is 'the series of the result has 40 intervals' "$(value "$SCRATCH/r.json" runs.0.series.time_us.39)" 200
is 'the EV map of the result has 40 intervals' "$(value "$SCRATCH/r.json" runs.0.series.ev_map.states | tr -cd , | wc -c)" 39
is 'the first event of the result is the first fault' "$(value "$SCRATCH/r.json" runs.0.events.0.what)" \
    'loss 1 %: p0.t0.0-t1.1'
is 'the result has the verdict of each criterion' "$(value "$SCRATCH/r.json" runs.0.criteria.0.pass)" true
is 'no file but the result is written' "$(ls "$SCRATCH")" "fabric.yaml
r.json
x.yaml"

exits 0 '-j prints the result' sh -c "'$mrc' sim -j '$experiment' >'$SCRATCH/j.json'"
is '  and it is the result that -o writes' "$(value "$SCRATCH/j.json" runs.0.hash)" "$(value "$SCRATCH/r.json" runs.0.hash)"
exits 0 '-q exits with 0' "$mrc" sim -q "$experiment"
is '  and prints nothing' "$output" ''

hash=$(hash_with)
is 'a second run has the same hash' "$(hash_with)" "$hash"
is 'a run with --wire has the same hash' "$(hash_with --wire)" "$hash"
is 'a run with --heap has the same hash' "$(hash_with --heap)" "$hash"
is 'a run with --check has the same hash' "$(hash_with --check)" "$hash"
is 'a run with a capture and a trace has the same hash' "$(hash_with --pcap "$SCRATCH/f.pcapng" --trace "$SCRATCH/t.jsonl")" "$hash"
long='fabric={planes: 2, t0s: 2, t1s: 2, hosts_per_t0: 2, host_link: {delay: 10ms}, uplink: {delay: 10ms}}'
long_hash=$(hash_with --set "$long" --set duration=60ms --set 'faults=[]' --set 'criteria=[]')
is_more 'cables may have the longest delay: a run has a hash' "${#long_hash}" 15
is '  with either engine' "$(hash_with --heap --set "$long" --set duration=60ms --set 'faults=[]' --set 'criteria=[]')" "$long_hash"
if [ "$(hash_with --seed 2)" != "$hash" ]; then ok 'a run with another seed has another hash'; else not_ok 'a run with another seed has another hash'; fi
is 'the result has the seed of --seed' "$(value "$SCRATCH/hash.json" runs.0.seed)" 2

exits 0 'the capture can be decoded' "$mrc" decode "$SCRATCH/f.pcapng"
contains '  and has data packets' "$output" 'WRITE Middle'
contains '  and their answers' "$output" 'SACK'
is 'each line of the trace is JSON' "$(python3 -c '
import json, sys
times = [json.loads(line)["time_ns"] for line in open(sys.argv[1])]
print(len(times) > 10 and times == sorted(times))' "$SCRATCH/t.jsonl")" True
is 'each event has its NIC, because QPs have the same numbers on every NIC' "$(python3 -c '
import json, sys
print(sorted({(event["nic"], event["qp"]) for event in map(json.loads, open(sys.argv[1]))}))' "$SCRATCH/t.jsonl")" \
    '[(0, 16), (0, 17), (1, 16), (1, 17), (2, 16), (2, 17), (3, 16), (3, 17)]'
is 'values of the trace that are not quantities are words' "$(sed -n 's/.*"qp":16,"event":"qp_state",\(.*\)}/\1/p' "$SCRATCH/t.jsonl" | head -n 1)" \
    '"from":"RESET","to":"INIT","status":"success"'
contains 'the trace has the rule by which each loss was detected' "$(grep -m 1 '"event":"loss"' "$SCRATCH/t.jsonl")" '"rule":"port_down"}'
contains 'the trace has round trip samples' "$(grep -m 1 '"event":"rtt"' "$SCRATCH/t.jsonl")" '"sample_ns":'

# Sweeps on the command line.
exits 0 '--sweep twice and --repeat 2 are combined' "$mrc" sim "$experiment" --sweep parameters.mpr=1,8 \
    --sweep 'workloads.0.message_bytes=16KiB,64KiB' --repeat 2 --csv "$SCRATCH/sweep.csv" -o "$SCRATCH/sweep.json"
is '  into eight runs' "$(python3 -c '
import json, sys
print(len(json.load(open(sys.argv[1]))["runs"]))' "$SCRATCH/sweep.json")" 8
is '  and the table has a line for each set of values' "$(printf '%s\n' "$output" | grep -c '^mpr=[18] message_bytes=')" 4
contains '  and verdicts on all eight runs' "$output" '(8 of 8 runs)'
is '  and the means and deviations of the table are those of the CSV' "$(printf '%s\n' "$output" | python3 -c '
import csv, re, statistics, sys
rows = list(csv.DictReader(open(sys.argv[1])))
for line in sys.stdin:
    match = re.match(r"mpr=(\d+) message_bytes=(\w+) +pairs +2 .*?([0-9.]+)% \+- ([0-9.]+) ", line)
    if match:
        shares = [100 * float(row["goodput_fraction"]) for row in rows
            if row["parameters.mpr"] == match[1] and row["workloads.0.message_bytes"] == match[2]]
        print(len(shares), abs(statistics.mean(shares) - float(match[3])) < 0.006 and
            abs(statistics.stdev(shares) - float(match[4])) < 0.006)' "$SCRATCH/sweep.csv" | sort | uniq -c | tr -s ' ')" ' 4 2 True'
"$mrc" sim "$experiment" --repeat 2 -v >"$SCRATCH/verbose"
is '-v prints each run' "$(grep -c '^seed [12]: seed' "$SCRATCH/verbose")" 2
cat >"$SCRATCH/swept.yaml" <<EOF
$(cat "$experiment")
sweep: [ { label: 'a, b', parameters.mpr: 2 }, { parameters.mpr: 4 } ]
EOF
"$mrc" sim "$SCRATCH/swept.yaml" --sweep 'seed=3,4' --csv "$SCRATCH/labels.csv" -q
is '--set can remove the sweep of the file, and --sweep still counts' "$("$mrc" sim "$SCRATCH/swept.yaml" -j \
    --sweep parameters.mpr=1,8 --set 'sweep=[]' | python3 -c '
import json, sys
print([run["settings"] for run in json.load(sys.stdin)["runs"]])')" "[{'parameters.mpr': 1}, {'parameters.mpr': 8}]"
is '--sweep is combined with the sweep of the file' "$(python3 -c '
import csv, sys
print([row["label"] for row in csv.DictReader(open(sys.argv[1]))])' "$SCRATCH/labels.csv")" \
    "['a, b seed=3', 'a, b seed=4', 'mpr=4 seed=3', 'mpr=4 seed=4']"

# Only some frames and events.
is '--only does not change the run' "$(hash_with --trace "$SCRATCH/some.jsonl" --only nic=h0,h1 --only qp=16 \
    --only from=50us --only until=150us)" "$hash"
is 'with --only, a trace has exactly the events that meet all conditions' "$(python3 -c '
import json, sys
print("".join(line for line in open(sys.argv[1]) for event in [json.loads(line)]
    if event["nic"] in (0, 1) and event["qp"] == 16 and 50000 <= event["time_ns"] <= 150000), end="")' \
    "$SCRATCH/t.jsonl" | cmp - "$SCRATCH/some.jsonl" 2>&1)" ''
if [ -s "$SCRATCH/some.jsonl" ]; then ok '  and the trace is not empty'; else not_ok '  and the trace is not empty'; fi
interfaces() # OPTIONS...: of a capture with them
{
    hash_with --pcap "$SCRATCH/some.pcapng" "$@" >/dev/null
    strings -n 5 "$SCRATCH/some.pcapng" | grep -E ' (up|down)$' | sort | tr '\n' ' '
}
is 'with --only at=LINK, a capture has both directions of the link' "$(interfaces --only at=p0.t0.0-t1.1)" \
    'p0.t0.0-t1.1 down p0.t0.0-t1.1 up '
is 'with --only at=NIC, a capture has the ports of the NIC' "$(interfaces --only at=h0)" 'h0.p0 down h0.p0 up h0.p1 down h0.p1 up '
is 'with --only nic=NIC, a capture has only host links of the NIC and its peers' "$(interfaces --only nic=h0 --only at=p0 |
    tr ' ' '\n' | grep -c '^h2')" 0
whole=$(wc -c <"$SCRATCH/f.pcapng")
hash_with --pcap "$SCRATCH/short.pcapng" --snap 128 >/dev/null
is 'a capture with --snap has all packets' "$("$mrc" decode "$SCRATCH/short.pcapng" | grep -c .)" \
    "$("$mrc" decode "$SCRATCH/f.pcapng" | grep -c .)"
if [ $(($(wc -c <"$SCRATCH/short.pcapng") * 4)) -lt "$whole" ]; then ok '  and has less than a quarter of the bytes'; else
    not_ok '  and has less than a quarter of the bytes' "$whole"; fi

hash_with --heap --trace "$SCRATCH/heap.jsonl" >/dev/null
is 'the trace of --heap is the same' "$(cmp "$SCRATCH/heap.jsonl" "$SCRATCH/t.jsonl" 2>&1)" ''
hash_with --set 'faults=[{kind: blackhole, where: p0.t0.0-t1.1, at: 20us}]' --trace "$SCRATCH/ev.jsonl" >/dev/null
contains 'the trace has both states of an EV that changes, and the cause' "$(grep -m 1 '"event":"ev"' "$SCRATCH/ev.jsonl")" \
    '"from_to":"good>suspect","cause":"suspected"}'
exits 0 'an experiment with a blackhole runs' "$mrc" sim "$experiment" -q -o "$SCRATCH/dead.json" --set \
    'faults=[{kind: blackhole, where: p0.t0.0-t1.1, at: 20us}]'
contains '  and the summary counts the change from good to suspect' "$(value "$SCRATCH/dead.json" runs.0.summary.ev_transitions)" 'good>suspect:suspected'
contains '  and the change from suspect to bad with its cause' "$(value "$SCRATCH/dead.json" runs.0.summary.ev_transitions)" 'suspect>bad:silent'
is 'the EV map has a letter for every state' "$(value "$SCRATCH/dead.json" runs.0.series.ev_map.states | tr -d 'GSUBDgsubd[]", \n')" ''
exits 1 'a trace that cannot be written is a failure' "$mrc" sim "$experiment" -q --trace /dev/full
is '  and the message names the file' "$output" 'mrc sim: /dev/full: No space left on device'

exits 0 '--set changes keys' "$mrc" sim "$experiment" --set fabric.planes=1 --set 'faults=[]' --set \
    workloads.0.message_bytes=1MB -q -o "$SCRATCH/set.json"
is '  and keys of the fabric' "$(value "$SCRATCH/set.json" fabric.planes)" 1
exits 0 '--repeat runs consecutive seeds' "$mrc" sim "$experiment" --repeat 3 --jobs 2 -q -o "$SCRATCH/n.json"
is '  the third run has the third seed' "$(value "$SCRATCH/n.json" runs.2.label)" 'seed 3'
is '  and the first run has the hash of a single run' "$(value "$SCRATCH/n.json" runs.0.hash)" "$hash"
exits 0 'a sweep in the file makes several runs' "$mrc" sim "$experiment" -q -o "$SCRATCH/s.json" --set \
    'sweep=[{label: a, parameters.mpr: 2}, {parameters.mpr: 4, workloads.0.qps: 2}]'
is '  a run has the label of its set' "$(value "$SCRATCH/s.json" runs.0.label)" a
is '  or a label made from its settings' "$(value "$SCRATCH/s.json" runs.1.label)" 'mpr=4 qps=2'
is '  and the result has the settings of each run' "$(value "$SCRATCH/s.json" runs.1.settings)" '{"parameters.mpr": 4, "workloads.0.qps": 2}'
exits 0 'a criterion can compare runs' "$mrc" sim "$experiment" -q --set 'sweep=[{label: a}, {label: b}]' --set \
    'criteria=[runs.a.goodput_bps == runs.b.goodput_bps]'

exits 0 'a criterion can apply to one set of a sweep' "$mrc" sim "$experiment" -q -o "$SCRATCH/one.json" --repeat 2 \
    --set 'sweep=[{label: a}, {label: b}]' --set 'criteria=[{expect: timeouts >= 0, run: b}]'
is '  it is not applied to other sets' "$(value "$SCRATCH/one.json" runs.0.criteria)" '[]'
is '  and is applied to every run of its set' "$(value "$SCRATCH/one.json" runs.3.criteria.0.pass)" true

exits 1 'a criterion that fails exits with 1' "$mrc" sim "$experiment" --set 'criteria=[goodput_fraction > 2]'
contains '  and the table shows the failure with the value' "$output" '  FAIL  goodput_fraction > 2  (0.'
exits 1 'a result that cannot be written is a failure' "$mrc" sim "$experiment" -q -o "$SCRATCH/none/r.json"
is '  and the message names the file' "$output" "mrc sim: $SCRATCH/none/r.json: No such file or directory"
exits 1 'a result that cannot be written is refused before the run' timeout 60 "$mrc" sim "$experiment" --set duration=3600s --set sample=100ms -o "$SCRATCH"
is '  and the message has the reason' "$output" "mrc sim: $SCRATCH: Is a directory"
exits 1 'a capture that cannot be written is a failure' "$mrc" sim "$experiment" -q --pcap "$SCRATCH/none/f"
is '  and the message names the file' "$output" "mrc sim: $SCRATCH/none/f: No such file or directory"

exits 0 'a ring over paths of one and of three switches reaches its capacity' \
    "$mrc" sim "$ROOT/experiments/zcube.yaml" -q
exits 0 'pairs find the few paths that others leave free' \
    "$mrc" sim "$ROOT/experiments/zcube-permutation.yaml" -q

# Measurements that an experiment asks for.
exits 0 'an experiment can ask for series of QPs, the occupancy of queues and the order of packets' "$mrc" sim "$experiment" -q -o "$SCRATCH/more.json" \
    --set qp_series=3 --set occupancy=true --set reordering=true
is '  three QPs have a series' "$(python3 -c '
import json, sys
run = json.load(open(sys.argv[1]))["runs"][0]
print(sorted(run["series"]["qp_bps"]), {len(values) for values in run["series"]["qp_bps"].values()})' "$SCRATCH/more.json")" \
    "['pairs h0 to h1 qp 16', 'pairs h1 to h2 qp 17', 'pairs h2 to h3 qp 17'] {40}"
exits 0 '  all QPs' "$mrc" sim "$experiment" -q -o "$SCRATCH/all.json" --set qp_series=1000
is '  together have the goodput of the workload in each interval' "$(python3 -c '
import json, sys
series = json.load(open(sys.argv[1]))["runs"][0]["series"]
sums = [sum(values) for values in zip(*series["qp_bps"].values())]
print(len(series["qp_bps"]), max(abs(a - b) for a, b in zip(sums, series["goodput_bps"]["pairs"])) <= len(series["qp_bps"]))' "$SCRATCH/all.json")" '4 True'
is '  the shares of time with longer queues decrease' "$(python3 -c '
import json, sys
queues = json.load(open(sys.argv[1]))["runs"][0]["summary"]["queue_occupancy"]
shares = [queues["busy"]] + [level["share"] for level in queues["above"]]
print(queues["samples"], 0 < queues["busy"] <= 1, shares == sorted(shares, reverse=True), queues["busiest"][0]["busy"] >= queues["busy"])' "$SCRATCH/more.json")" '40 True True True'
is '  some packets are late, by some packets' "$(python3 -c '
import json, sys
order = json.load(open(sys.argv[1]))["runs"][0]["summary"]["reordering"]
shares = [level["share"] for level in order["behind"]]
print(0 < order["late"] < order["placed"], order["behind"][-1]["packets"] <= order["behind_max"], shares[0], shares == sorted(shares, reverse=True))' "$SCRATCH/more.json")" 'True True 1 True'
is '  and everything else is the same' "$(python3 -c '
import json, sys
runs = [json.load(open(name))["runs"][0] for name in sys.argv[1:]]
del runs[1]["series"]["qp_bps"], runs[1]["summary"]["queue_occupancy"], runs[1]["summary"]["reordering"]
print(all(runs[0][part] == runs[1][part] for part in ("summary", "series", "events")))' "$SCRATCH/r.json" "$SCRATCH/more.json")" True
exits 2 'more than 1,024 series of QPs are refused' "$mrc" sim "$experiment" --set qp_series=1025

# A job that ends nothing.
job='workloads=[{name: job, kind: training, collective: all_reduce, message_bytes: 16MB, compute: 50us, iterations: 1}]'
exits 0 'a training job that ends no step' "$mrc" sim "$experiment" --set 'faults=[]' --set 'observe={}' --set 'phases=[]' --set 'criteria=[]' --set "$job" -o "$SCRATCH/job.json"
contains '  is reported' "$output" 'job: no step ended; one takes '
exits 0 '  and the step' "$mrc" sim "$experiment" --set 'faults=[]' --set 'observe={}' --set 'phases=[]' --set 'criteria=[]' --set "$job" \
    --set duration=10ms -o "$SCRATCH/step.json"
is '  takes what the estimates say, within 15 %' "$(python3 -c '
import json, sys
unfinished, finished = [json.load(open(name))["runs"][0]["summary"]["workloads"]["job"] for name in sys.argv[1:]]
step = finished["step_us"]["max"]
print(0.85 * step <= unfinished["estimate_us"]["ideal"] <= step, abs(unfinished["estimate_us"]["at_goodput"] / step - 1) < 0.15,
    "estimate_us" in finished)' "$SCRATCH/job.json" "$SCRATCH/step.json")" 'True True False'
exits 0 'a collective that does not end is reported' "$mrc" sim "$experiment" --set 'faults=[]' --set 'observe={}' --set 'phases=[]' --set 'criteria=[]' \
    --set 'workloads=[{name: all, kind: all_to_all, message_bytes: 64MB}]'
contains '  with its kind' "$output" 'all: no all_to_all ended; one takes '

# Long enough never to end by itself while the test runs.
interrupted() # TRIES FILE ARGUMENT...: the exit status of a run that gets Ctrl-C once it has sent packets, or after TRIES
{
    limit=$1
    result=$2
    shift 2
    timeout --foreground 60 "$mrc" sim "$experiment" --set duration=3600s --set sample=100ms -q -o "$result" "$@" &
    child=$!
    tries=0
    until grep -qs '"event":"sack"' "$SCRATCH/alive" || [ "$tries" -eq "$limit" ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    kill -INT "$child"
    status=0
    wait "$child" || status=$?
    echo "$status"
}

is 'SIGINT ends a run with status 1' "$(interrupted 400 "$SCRATCH/partial.json" --trace "$SCRATCH/alive")" 1
is '  and a partial result is written' "$(value "$SCRATCH/partial.json" runs.0.status)" partial
is '  with the packets sent so far' "$(value "$SCRATCH/partial.json" runs.0.summary.packets_sent | grep -c '^[1-9]')" 1
rm "$SCRATCH/alive"
is 'SIGINT ends several runs with status 1' "$(interrupted 60 "$SCRATCH/partial.json" --repeat 3 --jobs 2)" 1
is '  and the result has the runs that had begun' "$(value "$SCRATCH/partial.json" runs.1.status)" partial

# Limits of the address space. Sanitizers need more addresses than these leave.
wide="--set 'fabric={planes: 8, t0s: 32, t1s: 32, hosts_per_t0: 32}' --set 'faults=[]' --set 'criteria=[]'"
if nm -D "$mrc" | grep -q '__[at]san_init'; then
    skip 'a run that cannot map its memory is refused' 'a sanitizer cannot run with little memory'
else
    exits 1 'a run that cannot map its memory is refused' sh -c \
        "ulimit -v 250000; '$mrc' sim -q --threads 1 $wide '$experiment'"
    contains '  with what it maps and needs' "$output" 'of which it needs about'
    contains '  and which limit to raise' "$output" 'raise the limit of addresses (ulimit -v)'
    exits 1 'threads that cannot start are refused' sh -c \
        "ulimit -s 8192; ulimit -v 200000; '$mrc' sim -q --threads 32 $wide '$experiment'"
    contains '  with what to do' "$output" 'cannot start 32 threads'
fi
done_testing
