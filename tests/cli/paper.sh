#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The experiments of the paper: all are valid, the fastest give the stored figures, and tools/paper tells what does not.
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

exits 0 'R1, R9 and R18 give the published results, and the stored ones' tools/paper --seeds 1 R1 R9 R18
contains '  and the published results are printed' "$output" 'paper: 390 Gb/s for all flows'
contains '  and the number of results as published' "$output" '3 of 3 as published'
contains '  and the counts of R20' "$output" 'switches: 6,144 and 10,240, 0.6; paper: 3/5'
contains '  and those of the planner, B12' "$output" 'B12       pass  mrc plan: 33 of 33 figures are as published'
contains '  and its buffers, B20' "$output" 'B20       pass'
page=$(cat "$BUILD/paper.html")
contains '  and the page shows figure 14' "$page" 'Figure 14: A second flow is forced onto one of two paths'
case $page in
*'{{'*) not_ok '  and is complete' 'braces are left in it' ;;
*) ok '  and is complete' ;;
esac

exits 0 'docs/results.md agrees with the experiments and the stored figures' tools/paper --check
exits 2 'an unknown result is refused' tools/paper R99
contains '  and the message names it' "$output" 'there is no R99'
exits 2 'without a build' env BUILD="$SCRATCH/none" tools/paper R1
contains '  the message says what to do' "$output" 'run make first'
exits 2 'figures of fewer seeds are not stored' tools/paper --write --seeds 1 R1

# A copy in which something is stale.
copy() # a fresh copy of what tools/paper --check reads
{
    rm -rf "$SCRATCH/tree"
    mkdir -p "$SCRATCH/tree/docs"
    cp -r tools experiments "$SCRATCH/tree"
    cp docs/results.md "$SCRATCH/tree/docs"
}
copy
exits 0 'a copy of the tree is not stale' "$SCRATCH/tree/tools/paper" --check
sed -i 's/>= 0.95, run: 1qp/>= 0.94, run: 1qp/' "$SCRATCH/tree/experiments/paper/r18-permutation.yaml"
exits 1 'a changed criterion makes its figures stale' "$SCRATCH/tree/tools/paper" --check
contains '  and the experiment is named' "$output" 'r18-permutation.yaml: changed since its figures were stored'
copy
sed -i 's/hosts_per_t0: 4/hosts_per_t0: 8/' "$SCRATCH/tree/experiments/fabrics/d-like.yaml"
exits 1 'so does a changed fabric' "$SCRATCH/tree/tools/paper" --check
contains '  and experiments on it are named' "$output" 'r19-flows-join.yaml: changed since'
copy
sed -i '0,/99\.[0-9] %/s//12.3 %/' "$SCRATCH/tree/docs/results.md"
exits 1 'a document with other figures is stale' "$SCRATCH/tree/tools/paper" --check
contains '  and is named' "$output" 'docs/results.md: differs from what tools/paper --write makes'
copy
sed -i '0,/"differs"/s//"differed"/' "$SCRATCH/tree/experiments/paper/figures.json"
exits 1 'a difference must be explained' "$SCRATCH/tree/tools/paper" --check
contains '  and is named' "$output" 'r14-roce-all-reduce, pfc_1qp: goodput_fraction >= 0.4'
done_testing
