#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc sweep across MPI ranks: each rank makes runs, and rank 0 has the folder of one process.
. "$(dirname "$0")/../harness/tap.sh"
. "$ROOT/tests/harness/mpi.sh"
mrc=$BUILD/bin/mrc
cd "$SCRATCH" || exit 1

cat >a.yaml <<'EOF'
name: a
fabric: { planes: 2, t0s: 2, t1s: 2, hosts_per_t0: 2 }
duration: 20us
workloads:
  - { kind: permutation, message_bytes: 64KiB, iterations: 2 }
EOF
sed 's/^name: a/name: b/' a.yaml >b.yaml

# Figures without times.
results() # FOLDER
{
    python3 -c '
import json, os, sys
for name in sorted(os.listdir(sys.argv[1] + "/runs")):
    run = json.load(open(sys.argv[1] + "/runs/" + name))["runs"][0]
    del run["perf"]
    print(name, json.dumps(run, sort_keys=True))' "$1"
}

"$mrc" sweep -q -j 1 -o one --seeds 1-9 a.yaml b.yaml
"$mrc" sweep -j 1 -o one --seeds 1-9 a.yaml b.yaml | sed 1d >one.txt
exits 0 'three ranks make a sweep' mpirun -n 3 "$mrc" sweep -j 1 -o many --seeds 1-9 a.yaml b.yaml
is '  and rank 0 prints the table of one process' "$(printf '%s\n' "$output" | sed 1d)" "$(cat one.txt)"
is '  after the number of runs' "$(printf '%s\n' "$output" | sed -n 1p)" 'many: 18 of 18 runs, 0 of them kept from before'
is '  and all runs have the results of one process' "$(results many)" "$(results one)"
is '  and the list of sets is the same' "$(cat many/sets.csv)" "$(cat one/sets.csv)"

rm many/runs/*seed3* many/runs/*seed7*
gone=$((18 - $(find many/runs -name '*.json' | wc -l)))
is_more 'runs that are missing' $gone 1
exits 0 'two ranks continue' mpirun -n 2 "$mrc" sweep -j 1 -o many --seeds 1-9 a.yaml b.yaml
is '  and make only those' "$(printf '%s\n' "$output" | sed -n 1p)" \
    "many: 18 of 18 runs, $((18 - gone)) of them kept from before"
is '  with the same results' "$(results many)" "$(results one)"

exits 2 'a wrong experiment is refused' mpirun -n 2 "$mrc" sweep -o other missing.yaml
is '  with one message' "$(printf '%s\n' "$output" | grep '^mrc')" 'mrc sweep: missing.yaml: No such file or directory'
exits 1 'ranks with different experiments are refused' \
    mpirun -n 1 "$mrc" sweep -o other a.yaml : -n 1 "$mrc" sweep -o other b.yaml
contains '  and named' "$output" 'mrc sweep: rank 1: another experiment or other options than those of rank 0'

# A sweep that would last for hours ends, and says how to go on.
OMPI_MCA_odls_base_sigkill_timeout=20 # ranks beside many others need seconds to end; mpirun waits for it twice
export OMPI_MCA_odls_base_sigkill_timeout
start_ranks "$mrc" sweep -q -j 1 -o long --set duration=10s --set workloads.0.iterations=0 --seeds 1-9 a.yaml
kill -INT "$launcher"
status=0
wait "$launcher" || status=$?
is_more 'Ctrl-C ends a sweep' $status 0
contains '  and rank 0 says so' "$(cat long.out)" \
    'mrc sweep: interrupted; the same command continues with the 9 runs that are missing'
done_testing
