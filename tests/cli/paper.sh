#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The experiments of the paper: all are valid, the fastest hold, and tools/paper tells what does not.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
cd "$ROOT" || exit 1

for file in experiments/paper/*.yaml experiments/*.yaml; do
    case $file in
    */fabric-*) continue ;;
    esac
    exits 0 "$file can be run" "$mrc" sim -q --set duration=1us --set 'criteria=[]' "$file"
done
for file in experiments/paper/*.yaml; do
    contains "$file states its scale" "$(cat "$file")" '# Scale'
    contains "$file states its timers" "$(cat "$file")" '  timers: hardware'
done
for fabric in tiny lab8 d-like c-like mid; do
    cat >"$SCRATCH/on-$fabric.yaml" <<END
fabric: $ROOT/experiments/fabrics/$fabric.yaml
duration: 20us
workloads: [{ kind: permutation, message_bytes: 64KiB }]
END
    exits 0 "fabric $fabric can be simulated" "$mrc" sim -q "$SCRATCH/on-$fabric.yaml"
done

exits 0 'R1, R9 and R18 give the published results' tools/paper --seeds 1 R1 R9 R18
contains '  and the published results are printed' "$output" 'paper: 390 Gb/s for all flows'
contains '  and the number of results as published' "$output" '3 of 3 as published'
exits 2 'an unknown result is refused' tools/paper R99
contains '  and the message names it' "$output" 'there is no R99'
done_testing
