#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Traffic of files and jobs: the examples hold, threads and processes agree, and a checkpoint knows its traffic.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
cd "$SCRATCH" || exit 1

hash_of() # ARGUMENT...
{
    "$mrc" sim -q -o result.json "$@" && sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p' result.json | head -n 1
}

for name in flows doubling chain jobs; do
    file=$ROOT/experiments/traffic/$name.yaml
    exits 0 "$name.yaml meets its criteria" "$mrc" sim -q --set duration=600us --set 'criteria=[qp_errors == 0]' "$file"
    one=$(hash_of --threads 1 --set duration=200us --set 'criteria=[]' "$file")
    is_more '  and packets were delivered' "${#one}" 0
    is '  as many threads say' "$(hash_of --threads 3 --set duration=200us --set 'criteria=[]' "$file")" "$one"
done

# ---- jobs ------------------------------------------------------------------------------------------------------------

cat >jobs.yaml <<'YAML'
fabric: { planes: 1, t0s: 4, t1s: 2, hosts_per_t0: 4 }
duration: 1ms
jobs:
  - { name: a, nics: 8, placement: spread, workloads: [{ kind: all_reduce, message_bytes: 64KiB, iterations: 1 }] }
  - { name: b, nics: 4, start: 20us, workloads: [{ kind: incast, message_bytes: 1MiB }] }
criteria:
  - jobs.a.completion_us < 100
  - jobs.b.goodput_bps > 0
YAML
exits 0 'criteria may name jobs' "$mrc" sim jobs.yaml -o jobs.json
contains '  and the table has them' "$output" 'took us'
contains '  and so has the result' "$(tr -d ' \n' <jobs.json)" '"b":{"nics":4,"workloads":1,"start_us":20'
contains '  where a job that has not ended has no time' "$(tr -d ' \n' <jobs.json)" '"completion_us":null'
exits 2 'a criterion about no job is refused' "$mrc" sim jobs.yaml --set 'criteria=[jobs.c.bytes > 0]'
contains '  and named' "$output" "there is no 'jobs.c.bytes'"

# ---- files -----------------------------------------------------------------------------------------------------------

cat >run.yaml <<'YAML'
fabric: { planes: 2, t0s: 2, t1s: 2, hosts_per_t0: 4 }
duration: 1s
workloads: [{ kind: schedule, file: f.csv }]
YAML
printf 'source,destination,bytes\n0,4,1GiB\n' >f.csv
"$mrc" sim -q run.yaml --checkpoint c --checkpoint-every 1ms -o part.json 2>/dev/null &
pid=$!
for _ in $(seq 1200); do
    [ ! -s c ] || break
    sleep 0.05
done
kill -INT "$pid"
wait "$pid"
printf 'source,destination,bytes\n0,5,1GiB\n' >f.csv
exits 2 'a run is not continued with other traffic' "$mrc" sim -q --resume c
contains '  and the message says why' "$output" 'is of other traffic: the file of a workload has changed since then'

refuses() # MESSAGE KEY=VALUE
{
    exits 2 "refused: $2" "$mrc" sim -q run.yaml --set "$2"
    contains '  with the reason' "$output" "$1"
}
refuses 'none.csv: No such file or directory; name a file with traffic' workloads.0.file=none.csv
refuses 'the name ends with none of .csv, .goal and .cm' workloads.0.file=run.yaml
refuses 'f.csv:1:1: ' workloads.0.format=goal
refuses 'f.csv:2:3: there is no destination 5; they are 0 to 3' workloads.0.ranks=4
refuses 'the messages of a schedule are in its file; omit this' workloads.0.message_bytes=1MB
printf 'Nodes 8\nTiers 2\n' >wrong.topo
refuses 'wrong.topo:1:1: tier 0 is missing' fabric=wrong.topo
done_testing
