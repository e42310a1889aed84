#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc sweep: a file for each run, tables of all runs, and what a second sweep of the same folder makes again.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
out=$SCRATCH/out

experiment() # NAME DURATION: on standard output
{
    cat <<EOF
name: $1
fabric: { planes: 2, t0s: 2, t1s: 2, hosts_per_t0: 2 }
duration: $2
sample: 1us
workloads:
  - { name: pairs, kind: permutation, message_bytes: 64KiB, shift: 1 }
faults:
  - { kind: down, where: [h1.p1, h2.p1, h3.p1], at: 50us, for: 20us }
observe: { workload: pairs, rank: 0 }
criteria:
  - goodput_fraction > 0.1
EOF
}
experiment one 160us >"$SCRATCH/one.yaml"
experiment two 80us >"$SCRATCH/two.yaml"
one=$SCRATCH/one.yaml
two=$SCRATCH/two.yaml

run_files()
{
    find "$out/runs" -name '*.json' | wc -l
}

python() # PROGRAM: with json, csv, glob, and the folder as `out`
{
    python3 -c "import csv, glob, json, statistics, sys
out = sys.argv[1]
runs = [json.load(open(name)) for name in sorted(glob.glob(out + '/runs/*.json'))]
$1" "$out"
}

sweep() # ARGUMENT...
{
    # shellcheck disable=SC2317 # called by exits()
    "$mrc" sweep -o "$out" --sweep parameters.mpr=1,8 --points 20 "$@"
}

exits 0 '--help exits with 0' "$mrc" sweep --help
exits 2 'a sweep without a folder is refused' "$mrc" sweep "$one"
is '  and the message says how to name it' "$output" 'mrc sweep: name a folder for the runs: -o FOLDER'
exits 2 'a sweep without an experiment is refused' "$mrc" sweep -o "$out"
for seeds in '' x 3-1 1-2-3 '1,' 1-99999; do
    exits 2 "--seeds '$seeds' is refused" "$mrc" sweep -o "$out" --seeds "$seeds" "$one"
done
exits 2 'an error in the last file is found before the first run' sweep "$one" /dev/null
is '  and nothing is written' "$(find "$SCRATCH" -name out)" ''
exits 2 'two runs that would have one name are refused' sweep "$one" "$one"

exits 0 'two experiments, two values and three seeds' sweep --seeds 1-2,5 "$one" "$two"
contains '  make twelve runs' "$output" "$out: 12 of 12 runs, 0 of them kept from before"
is '  each with a file' "$(run_files)" 12
is '  and the table has a line for each set' "$(printf '%s\n' "$output" | grep -cE '^(one|two) mpr=[18] pairs +3 ')" 4
contains '  and the verdicts' "$output" 'pass  goodput_fraction > 0.1  (12 of 12 runs)'
is '  a file is a result with one run' "$(python 'print({len(run["runs"]) for run in runs}, {run["openmrc_result"] for run in runs})')" '{1} {1}'
exits 0 '  which mrc report reads' sh -c "'$mrc' report -o '$SCRATCH/page.html' '$out'/runs/one-mpr=1-seed1-*.json"
is '  its inputs are those of the run' "$(python 'print({(run["experiment"]["inputs"]["parameters"]["mpr"], run["experiment"]["inputs"]["seed"])
    == (run["runs"][0]["settings"]["parameters.mpr"], run["runs"][0]["seed"]) for run in runs})')" '{True}'
is '  its series have at most the values of --points' "$(python '
def lengths(series):
    if isinstance(series, dict):
        return set().union(*[lengths(series[name]) for name in series if name not in ("flow", "evs")])
    if isinstance(series, list):
        return lengths(series[0]) if series and isinstance(series[0], list) else {len(series)}
    return set()
print(set().union(*[lengths(run["runs"][0]["series"]) for run in runs]))')" '{20}'
is '  a verdict is in the file' "$(python 'print({run["runs"][0]["criteria"][0]["pass"] for run in runs})')" '{True}'

"$mrc" sim "$one" --set parameters.mpr=8 --seed 5 -q -o "$SCRATCH/whole.json"
is 'a run has the summary and the hash of mrc sim, and its series have the same sums and means' "$(python '
thin = next(run["runs"][0] for run in runs
    if run["experiment"]["name"] == "one" and run["runs"][0]["settings"]["parameters.mpr"] == 8 and run["runs"][0]["seed"] == 5)
whole = json.load(open(out + "/../whole.json"))["runs"][0]
rates = [run["series"]["goodput_bps"]["pairs"] for run in (thin, whole)]
print(thin["summary"] == whole["summary"], thin["hash"] == whole["hash"], thin["series"]["time_us"][-1] == whole["series"]["time_us"][-1],
    sum(thin["series"]["marked"]) == sum(whole["series"]["marked"]), abs(statistics.mean(rates[0]) / statistics.mean(rates[1]) - 1) < 1e-6,
    max(thin["series"]["queue_peak_bytes"]) == max(whole["series"]["queue_peak_bytes"]),
    thin["series"]["ev_map"]["states"][-1] == whole["series"]["ev_map"]["states"][-1])')" 'True True True True True True True'
is 'sets.csv has mean and deviation of the runs of runs.csv' "$(python '
rows = list(csv.DictReader(open(out + "/runs.csv")))
def same(row):
    key = ("experiment", "parameters.mpr", "workload")
    values = [float(run["goodput_bps"]) for run in rows if all(run[name] == row[name] for name in key)]
    return (len(values) == int(row["runs"]) == 3 and abs(statistics.mean(values) / float(row["goodput_bps_mean"]) - 1) < 1e-6
        and abs(statistics.stdev(values) - float(row["goodput_bps_deviation"])) < 1e-6 * values[0]
        and abs(min(values) / float(row["goodput_bps_min"]) - 1) < 1e-6)
print([same(row) for row in csv.DictReader(open(out + "/sets.csv"))])')" '[True, True, True, True]'
is 'sweep.json lists the runs and their files' "$(python '
import os
listed = json.load(open(out + "/sweep.json"))
print(listed["openmrc_sweep"], len(listed["runs"]), all(os.path.exists(out + "/" + run["file"]) for run in listed["runs"]))')" '1 12 True'

# What is made again.
gone=$(find "$out/runs" -name 'two-mpr=8-seed2-*')
rm "$gone"
touch -d 2001-01-01 "$out"/runs/*.json
exits 0 'the same sweep again' sweep --seeds 1-2,5 "$one" "$two"
contains '  keeps the runs that are there' "$output" '12 of 12 runs, 11 of them kept from before'
is '  and makes only the one that is missing' "$(find "$out/runs" -type f -newermt 2002-01-01)" "$gone"
exits 0 'a sweep of one seed' "$mrc" sweep -o "$out" --sweep parameters.mpr=1,8 --points 20 --seeds 2 "$one"
contains '  keeps the runs of a sweep with more seeds' "$output" '2 of 2 runs, 2 of them kept from before'
contains '  and its table has one run for each set' "$output" 'mpr=8 pairs               1 '
exits 0 'other criteria do not make a run again' sweep --seeds 2 "$one" --set 'criteria=[timeouts >= 0]'
contains '  and are judged' "$output" 'pass  timeouts >= 0  (2 of 2 runs)'
exits 1 'a criterion that fails exits with 1' sweep --seeds 2 "$one" --set 'criteria=[timeouts < 0]'

exits 2 'runs from other inputs are refused' sweep --seeds 2 "$one" --set workloads.0.qps=2
contains '  with the first difference' "$output" 'workloads.0.qps was absent and is 2'
exits 2 '  also of the fabric' sweep --seeds 2 "$one" --set fabric.t1s=1
contains '  with both values' "$output" 'fabric.t1s was 2 and is 1'
exits 0 '--redo makes them again' sweep --seeds 2 "$one" --set workloads.0.qps=2 --redo
contains '  and keeps none' "$output" '2 of 2 runs, 0 of them kept from before'
exits 2 'more values in series are not in the files' "$mrc" sweep -o "$out" --sweep parameters.mpr=1,8 --seeds 1 "$one"
contains '  and the message says so' "$output" 'its series have at most 20 values, not 100'
file=$(find "$out/runs" -name 'one-mpr=1-seed1-*')
sed 's/"program":"[0-9a-f]*"/"program":"0"/' "$file" >"$SCRATCH/foreign"
cp "$SCRATCH/foreign" "$file"
exits 2 'a run of another program is refused' sweep --seeds 1 "$one"
contains '  with the reason' "$output" 'another build of mrc made it'
echo '{' >"$file"
exits 2 'a file that is no result is refused' sweep --seeds 1 "$one"
contains '  and named' "$output" "runs/$(basename "$file"): "

# Interrupted in an endless run: the one before it is kept.
rm -r "$out"
begun_sweep() # starts a sweep of two durations; the second run never ends
{
    "$mrc" sweep -o "$out" -j 1 --sweep duration=50us,3600s --set sample=100ms -q "$one" >"$SCRATCH/said" 2>&1 &
    child=$!
    tries=0
    until [ "$(find "$out/runs" -name '*.json' 2>/dev/null | wc -l)" -gt 0 ] || [ "$tries" -eq 600 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}
begun_sweep
exits 1 'a second sweep of a folder in use is refused' "$mrc" sweep -o "$out" "$one"
contains '  with the reason' "$output" 'another mrc sweep writes to this folder'
kill -INT "$child"
status=0
wait "$child" || status=$?
is 'SIGINT ends a sweep with status 1' "$status" 1
contains '  and the message says what is missing' "$(cat "$SCRATCH/said")" 'the same command continues with the 1 runs that are missing'
is '  and the run that had ended is kept' "$(run_files)" 1
is '  and the list has both' "$(python3 -c '
import json, sys
print([run["status"] for run in json.load(open(sys.argv[1]))["runs"]])' "$out/sweep.json")" "['out_of_time', None]"
rm -r "$out"
begun_sweep
kill -KILL "$child"
wait "$child" 2>/dev/null
exits 0 'after a sweep was killed, another one' "$mrc" sweep -o "$out" --sweep duration=50us,51us --set sample=100ms "$one"
contains '  continues with what is missing' "$output" '2 of 2 runs, 1 of them kept from before'

# Sanitizers need more addresses than a limit leaves.
if nm -D "$mrc" | grep -q '__[at]san_init'; then
    skip 'a run that needs more memory than there is fails' 'a sanitizer cannot run with little memory'
else
    exits 1 'a run that needs more memory than there is fails' sh -c "ulimit -v 400000; '$mrc' sweep -o '$SCRATCH/large' \
        --sweep 'fabric={planes: 8, t0s: 512, t1s: 256, hosts_per_t0: 256},{planes: 2, t0s: 2, t1s: 2, hosts_per_t0: 2}' --set 'faults=[]' '$one'"
    contains '  with what it needs and what there is' "$output" 'GiB of memory, and 391 MiB are available; simulate fewer NICs or flows'
    contains '  and the other run is made' "$output" '1 of 2 runs, 0 of them kept from before'
fi
done_testing
