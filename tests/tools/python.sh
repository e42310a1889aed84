#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python module openmrc: results, sweeps and traces as tables.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
PYTHONPATH=$ROOT/python
PYTHONDONTWRITEBYTECODE=1
export PYTHONPATH PYTHONDONTWRITEBYTECODE
cd "$SCRATCH" || exit 1

cat >x.yaml <<'EOF'
name: small
title: four NICs
fabric: { planes: 2, t0s: 2, t1s: 2, hosts_per_t0: 2 }
duration: 100us
sample: 5us
workloads:
  - { name: pairs, kind: permutation, message_bytes: 64KiB, shift: 1 }
  - { name: more, kind: stream, nics: [0, 1], message_bytes: 4KiB }
faults:
  - { kind: down, where: h1.p1, at: 40us, for: 20us }
phases:
  - { name: before, until: 40us }
criteria:
  - goodput_fraction > 0.1
EOF
"$mrc" sim -q x.yaml -o r.json --trace t.jsonl
"$mrc" sweep -q -o out --sweep parameters.mpr=1,8 --seeds 1-3 x.yaml
"$mrc" sweep -q -o out --sweep parameters.mpr=1,8 --seeds 1-2 x.yaml

python() # PROGRAM: that has imported openmrc, with result, run and sweep
{
    python3 -c "import csv, json, statistics
import openmrc
result = openmrc.read_result('r.json')
run = result.runs[0]
sweep = openmrc.read_sweep('out')
$1" 2>&1
}

# Results.
is 'a result has its name, fabric and runs' "$(python 'print(result.name, result.title, result.fabric["nics"], len(result.runs))')" 'small four NICs 4 1'
is 'its table has a row for each workload' "$(python 'print(result.table()["workload"])')" "['pairs', 'more']"
is '  with the figures of the workload' "$(python '
raw = json.load(open("r.json"))["runs"][0]["summary"]["workloads"]["pairs"]
row = result.table().where(workload="pairs")[0]
print(row["goodput_bps"] == raw["goodput_bps"], row["completion_us.p99"] == raw["completion_us"]["p99"])')" 'True True'
is 'a figure can be named as in criteria' "$(python 'print(run.figure("workloads.pairs.completion_us.count") == run.summary["workloads"]["pairs"]["completion_us"]["count"])')" True
is 'a series is a table with a row for each interval' "$(python '
series = run.series()
print(len(series), series[0]["time_us"], series[19]["time_us"], series["goodput_bps.pairs"] == run.data["series"]["goodput_bps"]["pairs"],
    series["plane_bps.1"] == run.data["series"]["plane_bps"][1])')" '20 5 100 True True'
is 'phases, faults, events and criteria are tables' "$(python '
print(run.phases()["phase"], run.faults()["kind"], run.events()[0]["kind"], run.criteria()["pass"])')" "['before', 'before'] ['down'] fault_began [True]"
is '  with figures within figures' "$(python 'print(run.faults()["began.at_us"])')" '[40]'

# Sweeps.
is 'a sweep has the runs of the last command' "$(python 'print(len(sweep), [run.seed for run in sweep], sweep.missing())')" '4 [1, 2, 1, 2] []'
is '  and its table has the settings' "$(python 'print(sweep.table().where(workload="pairs")["parameters.mpr"])')" '[1, 1, 8, 8]'
is '  and means and deviations are those of sets.csv' "$(python '
def same(mine, row):
    return all(abs(mine["goodput_bps_" + figure] - float(row["goodput_bps_" + figure])) <= 1e-6 * mine["goodput_bps_mean"]
        for figure in ("mean", "deviation", "min", "max")) and mine["count"] == int(row["runs"])
print([same(mine, row) for mine, row in zip(sweep.sets(), csv.DictReader(open("out/sets.csv")))])')" '[True, True, True, True]'
is '  and a series has at most 100 values' "$(python 'print({len(run.series()) for run in sweep})')" '{20}'
exits 0 'the example shows a sweep' python3 "$ROOT/examples/sweep.py" out
contains '  with mean and deviation' "$output" 'goodput_fraction_mean'
contains '  and the slowest run over time' "$output" 'time_us  goodput_bps.pairs'

# Traces.
is 'a trace is a table of its events' "$(python 'print(len(openmrc.read_trace("t.jsonl")) == len(open("t.jsonl").readlines()) > 0)')" True
is '  or of those with some values' "$(python '
events = openmrc.read_trace("t.jsonl", event=["loss", "retransmit"], nic=0)
raw = [event for event in map(json.loads, open("t.jsonl")) if event["event"] in ("loss", "retransmit") and event["nic"] == 0]
print(events.rows == raw, len(raw) > 0)')" 'True True'

# Tables.
is 'a table can be selected, sorted and grouped' "$(python '
table = openmrc.Table([{"a": 2, "b": 1.5}, {"a": 1}, {"a": 2, "b": 2.5}])
print(table.columns, table.select("b")["b"], table.sort("b")["a"])
print(table.group(["a"], "b").rows)')" "['a', 'b'] [1.5, None, 2.5] [1, 2, 2]
[{'a': 2, 'count': 2, 'b_mean': 2.0, 'b_deviation': 0.7071067811865476, 'b_min': 1.5, 'b_max': 2.5}, {'a': 1, 'count': 1, 'b_mean': None, 'b_deviation': None, 'b_min': None, 'b_max': None}]"
is '  and printed' "$(python 'print(openmrc.Table([{"name": "x", "b": 0.25}, {"name": "longer"}]))')" 'name    b
x       0.25
longer  -'
python 'result.table().to_csv("t.csv")' >/dev/null
is '  and written as CSV' "$(python 'print([row["workload"] for row in csv.DictReader(open("t.csv"))])')" "['pairs', 'more']"
is 'a column that does not exist is named' "$(python '
try:
    result.table()["goodput"]
except KeyError as error:
    print("goodput_bps" in str(error))')" True
if python3 -c 'import pandas' 2>/dev/null; then
    is 'with pandas, a table becomes a data frame' "$(python3 -c 'import openmrc
print(openmrc.read_result("r.json").table().to_pandas().shape[0])')" 2
else
    is 'without pandas, to_pandas() says what it needs' "$(python '
try:
    result.table().to_pandas()
except ImportError as error:
    print(error)')" 'Table.to_pandas() needs pandas; .rows and .to_csv() do not'
fi

# What is not a result.
echo '{"openmrc_result": 2}' >later.json
is 'a file of another version is refused' "$(python '
try:
    openmrc.read_result("later.json")
except ValueError as error:
    print(error)')" 'later.json: not a result of mrc sim: openmrc_result is 2, not 1'
is 'a folder without a sweep is refused' "$(python '
try:
    openmrc.read_sweep(".")
except FileNotFoundError as error:
    print(error.filename)')" './sweep.json'
done_testing
