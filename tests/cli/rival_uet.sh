#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc sim with UET instead of MRC: selection, results, refusals.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
cd "$SCRATCH" || exit 1

cat >x.yaml <<'EOT'
fabric: { planes: 2, t0s: 2, t1s: 2, hosts_per_t0: 4 }
duration: 200us
uet: { cc: both, paths: 32 }
workloads:
  - { kind: permutation, message_bytes: 256KiB, iterations: 2 }
EOT

hash_with() # OPTION...
{
    "$mrc" sim x.yaml -j "$@" | jq -r '.runs[0].hash'
}

exits 0 'UET is selected by an option' "$mrc" sim x.yaml --protocol uet -o uet.json --check
contains '  and the table names its settings' "$output" 'UET: both, 32 entropy values, mixed; '
first=$(jq -r '.runs[0].hash' uet.json)
is '  and by a key, with the same result' "$(hash_with --set protocol=uet)" "$first"
for threads in 1 2 3; do
    is "  and with $threads threads" "$(hash_with --protocol uet --threads $threads)" "$first"
done
is 'a result has its settings and counters, and what was trimmed' \
    "$(jq -c '.runs[0].summary | [.uet.settings.cc, .uet.settings.paths, .uet.counters.bytes_placed, has("trimmed"), has("counters"), has("roce")]' uet.json)" \
    '["both",32,4194304,true,false,false]'
exits 0 'a page shows it' "$mrc" report uet.json -o uet.html
for cc in nscc rccc both; do
    exits 0 "all bytes arrive with $cc" "$mrc" sim x.yaml --protocol uet --set uet.cc=$cc --check -o "$cc.json"
    is '  exactly once' "$(jq '.runs[0].summary.uet.counters.bytes_placed' "$cc.json")" 4194304
done

for experiment in uet-all-reduce uet-permutation; do
    exits 0 "MRC is faster than UET, and UET than blind spraying: $experiment" \
        "$mrc" sim "$ROOT/experiments/rivals/$experiment.yaml" --repeat 1
done

refuses() # MESSAGE ASSIGNMENT
{
    exits 2 "refused: $2" "$mrc" sim x.yaml --protocol uet -o y.json --set "$2"
    contains '  with the reason' "$output" "--set $2: $1"
}
refuses "uet.cc: there is no 'dcqcn'; write nscc, rccc or both" uet.cc=dcqcn
refuses 'uet.paths: 257 is out of range; give 1 to 256' uet.paths=257
refuses 'uet.retries: 16 is out of range; give 0 to 15' uet.retries=16
refuses "uet.path: there is no such key here; did you mean 'paths'?" uet.path=3
refuses "uet.spray: there is no 'reps'; write mixed or oblivious" uet.spray=reps
is 'nothing is written' "$(find . -name y.json)" ''

done_testing
