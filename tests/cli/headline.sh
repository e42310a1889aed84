#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/headline: its experiments are valid, runs are made once, and the page has what they gave.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
cd "$ROOT" || exit 1
out=$SCRATCH/headline

for file in experiments/headline/*.yaml; do
    exits 0 "$file can be run" "$mrc" sim -q --set duration=1us --set 'criteria=[]' "$file"
done

# shellcheck disable=SC2317
run()
{
    MRC=$mrc tools/headline --jobs 2 --out "$out" --only sizes/permutation/mrc/64/0/1 --only flaps/mrc/link/10/1 "$@"
}

exits 0 'two runs are made' run
is '  and both are kept' "$(wc -l <"$out/results.jsonl")" 2
contains '  and the page has their figures' "$(cat "$out/headline.html")" '"name": "mrc"'
contains '  and so has the Markdown' "$(cat "$out/tables.md")" '| mrc |'
exits 0 'they are not made again' run
is '  so that there are still two' "$(wc -l <"$out/results.jsonl")" 2
exits 0 'nothing of them is missing' run --list
is '  so that the list is empty' "$output" ''
exits 0 'the tables of the document are those of the stored figures' tools/headline --check

# shellcheck disable=SC2317
check_without() # PATTERN
{
    grep -v "$1" experiments/headline/figures.jsonl >"$SCRATCH/figures.jsonl"
    HEADLINE_FIGURES=$SCRATCH/figures.jsonl tools/headline --check
}

exits 1 'a class of failure without a figure is found' check_without 'recovery/ib-shield/gray'
contains '  and named' "$output" 'gray has no figure of ib-shield'
exits 1 'a table of recovery that is not that of the figures is found' check_without 'recovery/uet/link/1"'
contains '  with what to do' "$output" 'tools/headline --page --store writes it'
exits 1 'a table that is not in the document is found' check_without 'recovery/mrc'
contains '  and named' "$output" "has no table 'Time until no longer slow, and goodput at the end: uet to roce-fast'"

exits 2 'an unknown part is refused' run --part seizes
contains '  and the message names the parts' "$output" 'parts are sizes, groups, recovery, flaps'
exits 2 'a number is a number' run --seeds few
exits 2 'an unknown option is refused' run --fast
done_testing
