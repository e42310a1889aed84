#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc job: the built-in job, other jobs, and what is refused.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
cd "$SCRATCH" || exit 1

exits 0 'the built-in job is followed' "$mrc" job --trials 20
contains '  with each protocol' "$output" 'mrc: goodput '
contains '  also with RoCEv2' "$output" 'roce: goodput '
"$mrc" job --default >job.json
is '--default prints the job of experiments/' "$(cat job.json)" "$(cat "$ROOT/experiments/job.json")"
is '  which has the same result as a file' "$("$mrc" job --trials 20 job.json)" "$("$mrc" job --trials 20)"
is 'the seed determines the result' "$("$mrc" job --trials 20 --seed 5 -j)" "$("$mrc" job --trials 20 --seed 5 -j)"
"$mrc" job --trials 20 -j >result.json
is 'JSON has all protocols and classes' "$(jq -c '[(.protocols | keys), (.protocols.mrc.failures | length)]' result.json)" '[["mrc","roce"],6]'
is 'protocols see the same failures' "$(jq '[.protocols[].failures["uplink flap"].events.mean] | unique | length' result.json)" 1
is 'what is lost has its price' "$(jq '.protocols.mrc | (.usd / .gpu_hours.mean * 1000000 | round / 1000000)' result.json)" 2.5

refuses() # MESSAGE JQ-FILTER
{
    jq "$2" job.json >bad.json
    exits 2 "refused: $2" "$mrc" job bad.json
    is '  with the reason' "$output" "mrc job: bad.json: $1"
}
refuses 'gpus: is missing' 'del(.gpus)'
refuses 'gpus: a number is expected' '.gpus = "many"'
refuses 'days: 0 is out of range; give 0.001 to 3650' '.days = 0'
refuses 'gpu: there is no such member' '.gpu = 1'
refuses 'protocols: a list of 1 to 16 entries is expected' '.protocols = []'
refuses 'protocols[1].source: is missing' 'del(.protocols[1].source)'
refuses 'failures[3].per_day: -1 is out of range; give 0 to 1000' '.failures[3].per_day = -1'
refuses 'failures[2].costs.roce: is missing; say what a failure costs, or set restarts: true' 'del(.failures[2].costs.roce)'
refuses 'failures[2].costs.slows: 2 is out of range; give 0 to 0.99' '.failures[2].costs.mrc.slows = 2'
refuses 'failures[0].restarts: give true or false' '.failures[0].restarts = 1'
echo '{' >bad.json
exits 2 'a file that is not JSON is refused' "$mrc" job bad.json
contains '  with its place' "$output" 'mrc job: bad.json:2:0: not JSON: '
exits 2 'a file that is not there is refused' "$mrc" job none.json
contains '  with the reason' "$output" 'none.json: No such file or directory'
exits 2 'two jobs are refused' "$mrc" job job.json job.json
exits 2 'no trials are refused' "$mrc" job --trials 0
done_testing
