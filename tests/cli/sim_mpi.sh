#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc sim across MPI ranks: the result of one process, one voice, and a message instead of a hang.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
cd "$SCRATCH" || exit 1

cat >small.yaml <<'EOF'
fabric: { planes: 2, t0s: 4, t1s: 2, hosts_per_t0: 4 }
duration: 60us
workloads:
  - { kind: permutation, message_bytes: 64KiB, iterations: 3 }
faults:
  - { kind: loss, where: p0, probability: 0.01 }
  - { kind: down, where: p1.t1.0, at: 10us, until: 30us }
EOF
cat >ring.yaml <<'EOF'
fabric: { planes: 4, t0s: 3, t1s: 3, hosts_per_t0: 2 }
duration: 200us
sample: 10us
workloads:
  - { kind: all_reduce, message_bytes: 1MB, iterations: 2, ranks: 6 }
occupancy: true
reordering: true
EOF
cat >long.yaml <<'EOF'
fabric: { planes: 2, t0s: 4, t1s: 2, hosts_per_t0: 4 }
duration: 10s
workloads:
  - { kind: permutation, message_bytes: 1MB, iterations: 0 }
EOF

# A build without MPI is told by the environment alone that it has been started twice.
if ! ldd "$mrc" | grep -q 'libmpi'; then
    exits 1 'a build without MPI does not run as one of two ranks' env OMPI_COMM_WORLD_SIZE=2 "$mrc" sim small.yaml
    is '  and says what to do' "$output" \
        "mrc sim: 2 MPI ranks: this build has no MPI; install libopenmpi-dev and build again, or start mrc without mpirun"
    done_testing
fi
. "$ROOT/tests/harness/mpi.sh"

without_perf() # FILE
{
    python3 -c '
import json, sys
result = json.load(open(sys.argv[1]))
for run in result["runs"]:
    del run["perf"]
print(json.dumps(result, sort_keys=True))' "$1"
}

# ---- the same result ----

for experiment in small ring; do
    "$mrc" sim --threads 1 -q -o one.json "$experiment.yaml"
    "$mrc" sim --threads 1 "$experiment.yaml" | grep -v 'packet-hops in' >one.txt
    for ranks in 2 3; do
        exits 0 "$experiment.yaml runs on $ranks ranks" \
            mpirun -n $ranks "$mrc" sim -q -o many.json "$experiment.yaml"
        is '  and only the first of them could print' "$output" ''
        is '  and the JSON is that of one process' "$(without_perf many.json)" "$(without_perf one.json)"
    done
    is 'the table is that of one process' \
        "$(mpirun -n 2 "$mrc" sim "$experiment.yaml" | grep -v 'packet-hops in')" "$(cat one.txt)"
done

"$mrc" sim --threads 1 -q -o one.json --repeat 2 small.yaml
exits 0 'two ranks with two threads each make several runs, with checks' \
    mpirun -n 2 "$mrc" sim -q -o many.json --threads 2 --check --repeat 2 small.yaml
is '  and the JSON is that of one process' "$(without_perf many.json)" "$(without_perf one.json)"
is '  and tells threads and ranks' \
    "$(python3 -c 'import json; print(json.load(open("many.json"))["runs"][1]["perf"]["options"])')" \
    "{'engine': 'windows', 'wire': False, 'checks': True, 'threads': 4, 'ranks': 2}"
exits 0 'more ranks than leaves' mpirun -n 4 "$mrc" sim -q -o many.json ring.yaml
is '  leave some of them without work' "$output" \
    'mrc sim: uses 3 of 4 ranks: the fabric cannot be divided further'
exits 0 'a fabric of one leaf' mpirun -n 2 "$mrc" sim -q --set fabric.t0s=1 small.yaml --set faults=[]
is '  is run by rank 0' "$output" 'mrc sim: uses 1 of 2 ranks: the fabric cannot be divided further'

# ---- refusals ----

refuses() # STATUS MESSAGE ARGUMENT...
{
    status=$1
    message=$2
    shift 2
    exits "$status" "two ranks refuse: $*" mpirun -n 2 "$mrc" sim "$@"
    is '  with one message' "$(printf '%s\n' "$output" | grep '^mrc')" "mrc sim: $message"
}
refuses 2 '--pcap, --trace and --heap use one thread of one process; start mrc without mpirun' --pcap x.pcap small.yaml
refuses 2 '--pcap, --trace and --heap use one thread of one process; start mrc without mpirun' --heap small.yaml
refuses 2 'MPI ranks make one run at a time; omit --jobs 2, or start mrc without mpirun' --jobs 2 --repeat 2 small.yaml
refuses 2 'missing.yaml: No such file or directory' missing.yaml
refuses 2 "there is no option '--nonsense'; 'mrc sim --help' lists them" --nonsense small.yaml

{
    cat "$mrc"
    echo 'another build'
} >other
chmod +x other
exits 1 'ranks of different builds are refused' \
    mpirun -n 1 "$mrc" sim small.yaml : -n 2 ./other sim small.yaml
contains '  and named' "$output" 'mrc sim: ranks 1, 2: another build of mrc than that of rank 0 ('
exits 1 'ranks with different experiments are refused' \
    mpirun -n 2 "$mrc" sim small.yaml : -n 1 "$mrc" sim --seed 8 small.yaml
contains '  and named' "$output" 'mrc sim: rank 2: another experiment or other options than those of rank 0'

# ---- failures ----

start_ranks "$mrc" sim -q long.yaml
kill -KILL "$(cat pid.1)"
status=0
wait "$launcher" || status=$?
is_more 'the run ends if a rank is killed' $status 0
contains '  with a message that names the rank' "$(cat long.out)" 'rank 1'
tries=0
while grep -q '^State:.[^ZX]' "/proc/$(cat pid.0)/status" 2>/dev/null && [ $tries -lt 200 ]; do
    tries=$((tries + 1))
    sleep 0.05
done
if [ $tries -lt 200 ]; then ok '  and rank 0 ends, too'; else not_ok '  and rank 0 ends, too'; fi

# mpirun kills ranks a second after it has asked them to end, which is short on a busy machine.
OMPI_MCA_odls_base_sigkill_timeout=10
export OMPI_MCA_odls_base_sigkill_timeout
start_ranks "$mrc" sim -q -o part.json long.yaml
kill -INT "$launcher"
status=0
wait "$launcher" || status=$?
is_more 'Ctrl-C ends the run' $status 0
is '  and the results so far are written' \
    "$(python3 -c 'import json; print(json.load(open("part.json"))["runs"][0]["status"])')" partial

unset OMPI_MCA_odls_base_sigkill_timeout

# The second rank has no memory to map the cluster.
cat >limited.sh <<'EOF'
[ "$OMPI_COMM_WORLD_RANK" = 0 ] || ulimit -v 450000
exec "$@"
EOF
if nm -D "$mrc" 2>/dev/null | grep -q __asan_init; then
    skip 'a rank without memory ends the run' 'the address sanitizer needs more memory than the limit'
else
    status=0
    mpirun -n 2 sh limited.sh "$mrc" sim -q --set fabric.t0s=64 --set fabric.hosts_per_t0=16 \
        --set fabric.t1s=16 --set faults=[] small.yaml >limited.out 2>&1 || status=$?
    is_more 'a rank without memory ends the run' $status 0
    contains '  with a message that names it' "$(cat limited.out)" 'mrc sim: rank 1: '
fi
done_testing
