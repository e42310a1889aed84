# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# The table of benchmark results.
set -eu
. "$(dirname "$0")/../harness/tap.sh"
BUILD=$SCRATCH
export BUILD
mkdir "$BUILD/bench"

benchmark() # NAME LINE...
{
    program=$BUILD/bench/$1
    shift
    {
        printf '#!/bin/sh\n'
        printf "echo '%s'\n" "$@"
    } >"$program"
    chmod +x "$program"
}

exits 1 'tools/bench without a benchmark is an error' "$ROOT/tools/bench"

benchmark first '{"bench": "first", "metric": "parse", "value": 310, "unit": "instructions"}'
benchmark second '{"bench":"second","metric":"icrc","value":9.3512,"unit":"GB/s","compared_with":"crc32","reference":12.5}'
exits 0 'tools/bench runs every benchmark' "$ROOT/tools/bench"
table=$(printf '%s\n' "$output" | sed -n '/^bench /,/^second/p')
is '  and prints their results as one table' "$table" "\
bench   metric  value  unit          compared with  reference  ratio
--------------------------------------------------------------------
first   parse     310  instructions
second  icrc    9.351  GB/s          crc32               12.5   0.75"
is '  and keeps their lines in a file' "$(wc -l <"$BUILD/bench-results.jsonl")" 2

exits 0 'a benchmark can be run alone' "$ROOT/tools/bench" second
is '  and only its lines are kept' "$(wc -l <"$BUILD/bench-results.jsonl")" 1

benchmark third 'it was rather quick'
exits 1 'a line that is not a result is an error' "$ROOT/tools/bench"
contains '  and is shown' "$output" 'not a result: it was rather quick'
printf '#!/bin/sh\nexit 3\n' >"$BUILD/bench/third"
exits 1 'a benchmark that fails is an error' "$ROOT/tools/bench"
contains '  and is named' "$output" 'failed: third'
done_testing
