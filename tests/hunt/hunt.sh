#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The hunt itself, and a slice of it: HUNT_SLICE cases (150 if not given), which take about 30 s.
. "$(dirname "$0")/../harness/tap.sh"
hunt=$BUILD/tests/hunt
mrc=$BUILD/bin/mrc

exits 0 'every case of a part of the hunt ends' \
    "$hunt" --cases "${HUNT_SLICE:-150}" --seed 2024 --worst 0 --quiet --strict --json "$SCRATCH/slice.jsonl"
contains '  and the distribution is printed' "$output" 'Goodput once settled, of the max-min capacity:'
is '  and every case is a line of JSON' "$(grep -c '^{"case":' "$SCRATCH/slice.jsonl")" "${HUNT_SLICE:-150}"

# Small ones from here on.
few() # OPTIONS
{
    "$hunt" --cases 12 --seed 5 --hops 300000 --worst 0 --quiet "$@"
}

few --json "$SCRATCH/a.jsonl" >"$SCRATCH/a"
few --json "$SCRATCH/b.jsonl" --jobs 3 >"$SCRATCH/b"
is 'the same seed gives the same cases and results with any number of jobs' "$(cat "$SCRATCH/a.jsonl")" "$(cat "$SCRATCH/b.jsonl")"
few --first 4 --cases 1 --json "$SCRATCH/c.jsonl" >/dev/null
is 'a case gives the same result when it runs alone' "$(head -n 1 "$SCRATCH/c.jsonl")" "$(sed -n 5p "$SCRATCH/a.jsonl")"
few --seed 6 --json "$SCRATCH/c.jsonl" >/dev/null
is 'another seed gives other cases' "$(cmp -s "$SCRATCH/a.jsonl" "$SCRATCH/c.jsonl" && echo same)" ''
few --faults 0,2 --only incast,stream --json "$SCRATCH/c.jsonl" >/dev/null
is '--faults and --only select numbers of faults and kinds of workloads' \
    "$(grep '^{"case"' "$SCRATCH/c.jsonl" | grep -cv '"faults":[02],"workload":"\(incast\|stream\)"')" 0
few --set mpr=16 --list >"$SCRATCH/list"
is '--set sets a parameter in every case' "$(grep -c '^  mpr: 16$' "$SCRATCH/list")" 12

# What is written replays, with the same figure.
"$hunt" --cases 30 --seed 9 --hops 300000 --worst 2 --any --shrink 10 --quiet --write "$SCRATCH/worst" >"$SCRATCH/out"
# shellcheck disable=SC2317 # called by exits
replay()
{
    for file in "$SCRATCH/worst"/*.yaml; do
        told=$(sed -n 's/.*"capacity_fraction":\([0-9.]*\).*/\1/p' "$file")
        "$mrc" sim -q -o "$SCRATCH/r.json" "$file" || return 1
        python3 -c '
import json, sys
run = json.load(open(sys.argv[1]))["runs"][0]
got = run["summary"]["phases"]["settled"]["capacity_fraction"]
if abs((got or 0) - float(sys.argv[2])) > 2e-6:
    sys.exit(f"{sys.argv[3]}: {got} instead of {sys.argv[2]}")' "$SCRATCH/r.json" "$told" "$file" || return 1
    done
}
is_more 'the worst cases are written as files' "$(find "$SCRATCH/worst" -name '*.yaml' | wc -l)" 2
exits 0 'mrc sim replays each file with the same share of the capacity' replay
contains '  and the command that replays it is printed' "$(cat "$SCRATCH/out")" "  mrc sim $SCRATCH/worst/"

exits 2 'an unknown kind of workload is refused' "$hunt" --only permutations
is '  and the message names it' "$output" "hunt: no such kind of workload: 'permutations'"
exits 2 'an unknown parameter is refused' "$hunt" --set no=1
is '  and the message names it' "$output" "hunt: no such parameter or value: 'no=1'"
exits 2 'an invalid number of faults is refused' "$hunt" --faults 4
exits 0 '--help exits with 0' "$hunt" --help
done_testing
