#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc sim --checkpoint and --resume: a run that is killed at any time and continued has the result of one that is not.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
cd "$SCRATCH" || exit 1

cat >fabric.yaml <<'YAML'
{ planes: 4, t0s: 4, t1s: 4, hosts_per_t0: 4 }
YAML
cat >run.yaml <<'YAML'
fabric: fabric.yaml
duration: 1ms
reordering: true
workloads:
  - { name: pairs, kind: permutation, message_bytes: 256KiB, iterations: 0 }
  - { name: sum, kind: all_reduce, message_bytes: 1MiB, iterations: 0 }
faults:
  - { kind: down, where: p0.t1.1, at: 200us, for: 300us }
  - { kind: loss, where: p1.t0.1-t1.2, probability: 1%, at: 100us, for: 500us }
generators:
  - { component: uplink, kind: down, mean_between: 20ms, for: 100us }
phases:
  - { name: broken, from: 200us, until: 500us }
YAML

result() # FILE: without what differs between two runs of the same experiment
{
    sed 's/"perf":{[^{]*{[^}]*}}//' "$1"
}

random() # BELOW
{
    echo $(($(od -An -N2 -tu2 /dev/urandom) % $1))
}

wait_for() # FILE: at most a minute
{
    for _ in $(seq 1200); do
        [ ! -s "$1" ] || return 0
        sleep 0.05
    done
    return 1
}

# ---- killed and continued --------------------------------------------------------------------------------------------

"$mrc" sim -q run.yaml -o whole.json || exit 1
"$mrc" sim -q run.yaml -o written.json --checkpoint c --checkpoint-every 10ms
is 'checkpoints do not change the result' "$(result written.json)" "$(result whole.json)"
is '  and the last one is all that is left' "$(ls c*)" c

kill_some() # ARGUMENT...: ends the run after its first checkpoint, at a random time
{
    "$mrc" sim -q -o part.json --checkpoint c --checkpoint-every 1ms "$@" 2>/dev/null &
    pid=$!
    if wait_for c; then
        sleep "0.$(random 9)$(random 9)"
        kill -KILL "$pid" 2>/dev/null
    fi
    wait "$pid" 2>/dev/null
}

for threads in 1 2 1; do
    rm -f c part.json
    kill_some --threads "$threads" run.yaml
    kill_some --resume c
    exits 0 "a run with --threads $threads that was killed twice is continued" "$mrc" sim --resume c -o part.json
    contains '  and mrc sim says so' "$output" "mrc sim: continues run at "
    is '  with the result of one that was not' "$(result part.json)" "$(result whole.json)"
done

rm -f c part.json
"$mrc" sim -q run.yaml -o part.json --checkpoint c --checkpoint-every 1ms 2>message &
pid=$!
wait_for c
kill -TERM "$pid"
status=0
wait "$pid" || status=$?
is 'SIGTERM writes a checkpoint and ends the run' "$status" 1
contains '  with a message' "$(cat message)" "ms; continue with 'mrc sim --resume c'"
is '  and no result' "$(ls part.json 2>/dev/null)" ''
(cd / && "$mrc" sim -q --resume "$SCRATCH/c" -o "$SCRATCH/part.json")
is '  and it is continued from another folder' \
    "$(result part.json | sed 's/"file":"[^"]*"//')" "$(result whole.json | sed 's/"file":"[^"]*"//')"

# ---- refused ---------------------------------------------------------------------------------------------------------

"$mrc" sim -q run.yaml -o written.json --checkpoint c --checkpoint-every 10ms --seed 3

refuses() # STATUS MESSAGE ARGUMENT...
{
    refused_status=$1
    refused_message=$2
    shift 2
    exits "$refused_status" "refused: mrc sim $*" "$mrc" sim "$@"
    is '  and the message has the reason' "$output" "mrc sim: $refused_message"
}

refuses 2 'c: is of seed 3, not of 1' run.yaml --resume c
refuses 2 'c: is of seed 3, not of 4' run.yaml --resume c --seed 4
refuses 2 "c: is of another experiment: a key other than 'fabric' and 'seed' differs" \
    run.yaml --resume c --seed 3 --set workloads.0.message_bytes=128KiB
refuses 2 'c: was written with other options; give --heap, --wire and --check as then' run.yaml --resume c --seed 3 --wire
echo '{ planes: 4, t0s: 4, t1s: 8, hosts_per_t0: 4 }' >fabric.yaml
refuses 2 'c: is of another fabric' --resume c
echo '{ planes: 4, t0s: 4, t1s: 4, hosts_per_t0: 4 }' >fabric.yaml
mv run.yaml gone.yaml
exits 2 'refused: an experiment that is gone' "$mrc" sim --resume c
contains '  and the message names it' "$output" 'mrc sim: run.yaml'
mv gone.yaml run.yaml
refuses 2 'the checkpoint has --set, --seed, --repeat, --protocol, --heap, --wire and --check of its run; omit them, or name the experiment, too' \
    --resume c --seed 3

refuses 1 'nothing: No such file or directory' --resume nothing
refuses 1 'run.yaml: is not a checkpoint of mrc sim' --resume run.yaml
head -c 100000 c >short
refuses 1 'short: is truncated, or has grown: its size is not the one in its head' --resume short
cp c bad
printf x | dd of=bad bs=1 seek=100 conv=notrunc 2>/dev/null
refuses 1 'bad: is damaged: its head does not match its checksum' --resume bad
cp c bad
printf 'xxxxxxxx' | dd of=bad bs=1 seek=200000 conv=notrunc 2>/dev/null
exits 1 'refused: a file with other contents' "$mrc" sim -q --resume bad
is '  and the message has the reason' "$output" 'mrc sim: bad: is damaged: its contents do not match their checksum'
cp "$(readlink -f "$mrc")" other-mrc
printf x >>other-mrc
exits 2 'refused: a checkpoint of another build' ./other-mrc sim --resume c
contains '  and the message has the reason' "$output" 'c: was written by another build of mrc '

refuses 2 'a run with --pcap or --trace cannot be continued; omit --checkpoint and --resume' \
    run.yaml --checkpoint c --pcap x.pcapng
refuses 2 '--checkpoint and --resume require a single run, without --sweep; there are 2' run.yaml --checkpoint c --repeat 2
refuses 2 '--checkpoint-every requires --checkpoint' run.yaml --checkpoint-every 5s
refuses 2 "--checkpoint-every: 'often' is not a time, such as 600s" run.yaml --checkpoint c --checkpoint-every often
refuses 1 'nowhere/c: No such file or directory' run.yaml --checkpoint nowhere/c

# ---- errors during the run -------------------------------------------------------------------------------------------

# A limit on files stands for a full disk: the result fits, the checkpoint does not.
rm -f c
status=0
(
    trap '' XFSZ
    ulimit -f 1000
    exec "$mrc" sim -q run.yaml -o part.json --checkpoint c --checkpoint-every 100ms 2>message
) || status=$?
is 'a run whose checkpoints cannot be written goes on' "$status" 0
is '  to its result' "$(result part.json)" "$(result whole.json)"
is '  and says so' "$(sort -u message)" 'mrc sim: c: File too large; the run goes on'
is '  and leaves nothing behind' "$(ls c* 2>/dev/null)" ''
done_testing
