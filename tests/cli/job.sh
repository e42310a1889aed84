#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc job: the built-in job, other jobs, measured costs, and what is refused.
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
is 'JSON has all protocols and classes' "$(jq -c '[(.protocols | keys), (.protocols.mrc.failures | length)]' result.json)" '[["mrc","roce"],11]'
is 'protocols see the same failures' "$(jq '[.protocols[].failures["uplink flap"].events.mean] | unique | length' result.json)" 1
is 'what is lost has its price' "$(jq '.protocols.mrc | (.usd / .gpu_hours.mean * 1000000 | round / 1000000)' result.json)" 2.5

sed 's/usd: \[2, 3\]/usd: [4, 6]/' "$ROOT/experiments/prices/resellers.yaml" >prices.yaml
is 'a price file sets the price of a GPU hour' "$("$mrc" job --trials 20 -j --prices prices.yaml | jq '.protocols.mrc | (.usd / .gpu_hours.mean * 1000000 | round / 1000000)')" 5
echo 'gpu_hour: { usd: many }' >>prices.yaml
exits 2 'a wrong price file is refused' "$mrc" job --prices prices.yaml
contains '  with the place' "$output" 'prices.yaml:'
is 'costs say that they are assumed' "$(jq -c '[.protocols[].failures[].cost] | unique' result.json)" '["assumed","assumed: restarts"]'
is 'the NICs of a failed component are the measure of its amplification' \
    "$(jq '.protocols.mrc.failures["T0 reboot"] | (.gpu_hours.mean * 3600 / (.events.mean * 360 * 256) / .amplification * 1000 | round)' result.json)" 1000

# A fabric of four NICs, whose job has 3 ms of work.
cat >small.yaml <<'END'
name: small
fabric: { planes: 2, t0s: 2, t1s: 2, hosts_per_t0: 2, host_link: { rate: 100 Gb/s, delay: 500 ns } }
workloads:
  - { kind: parallel_training, pipeline: 2, compute: 300 us, micro_batches: 2, activation_bytes: 40 kB, message_bytes: 1 MB, iterations: 6 }
duration: 20 ms
sweep:
  - label: quiet
  - { label: host_link_flap, faults: [ { kind: down, where: h1.p1, at: 1 ms } ] }
END
exits 0 'one failure is measured with packets' "$mrc" job --measure --protocols mrc,roce-1qp small.yaml -o events.json
is '  for each contender' "$(jq -c '[.failures["host link flap"].costs | keys[]]' events.json)" '["mrc","roce-1qp"]'
# Two stages compute (2 + 1) / 2 times 300 us. Two ranks reduce 1 MB, at 200 Gb/s less headers, in 41.5 us; three
# activations, 1.7 us each with their latencies, are exposed there and back.
is '  a step takes the time of arithmetic' "$(jq '.protocols.mrc | [.step_s > 0.000495, .step_s < 0.000530, .exposed < 0.15]' -c events.json)" '[true,true,true]'
is '  RoCEv2 has the timers of NCCL' "$(jq '.protocols["roce-1qp"].give_up_s' events.json)" 34.36
is '  MRC goes on, RoCEv2 does not within this run' \
    "$(jq -c '.failures["host link flap"].costs | [.mrc.hangs, .mrc.stall_s < 0.001, ."roce-1qp".hangs]' events.json)" '[false,true,true]'
is '  the factor of the rate is stated' "$(jq '.rate_factor' events.json)" 4
is '  with shorter timers, QPs fail' "$("$mrc" job --measure --protocols roce-1qp --set roce.timeout=100us small.yaml |
    jq -c '.failures["host link flap"].costs["roce-1qp"] | [.restarts, .hangs, .qp_errors > 0, .stall_s < 0.002]')" '[true,false,true,true]'
"$mrc" job --measure --protocols mrc,roce-1qp small.yaml >again.json
is '  the seed determines it' "$(cat again.json)" "$(cat events.json)"
exits 0 'several seeds are measured' "$mrc" job --measure --protocols mrc --seeds 3 small.yaml -o seeds.json
is '  and costs have an interval' "$(jq -c '.seeds, (.failures["host link flap"].costs.mrc | [.stall_around_s >= 0, .stall_around_s < 0.001, .failed_seeds])' seeds.json | tr '\n' ' ')" '3 [true,true,0] '
exits 0 '  and can be followed' "$mrc" job --trials 20 --events seeds.json
exits 2 'no seed is refused' "$mrc" job --measure --seeds 0 small.yaml
exits 0 'the job is followed with measured costs' "$mrc" job --trials 20 --events events.json -j
printf '%s' "$output" >followed.json
is '  which say so' "$(jq -c '[.protocols.mrc.failures | .["host link flap"].cost, .["uplink flap"].cost]' followed.json)" '["measured","assumed"]'
is '  a job that hangs is restarted' "$(jq '.protocols["roce-1qp"].failures["host link flap"] | .cost == "measured: hangs" and .restarts.mean > 0' followed.json)" true
exits 0 'the table says where costs come from' "$mrc" job --trials 20 --events events.json
contains '  and how they were measured' "$output" 'with 4 NICs of 1/4 of 800 Gb/s'
exits 0 'costs that were measured before are read' "$mrc" job --trials 20 --events "$ROOT/experiments/job-events.json"

jq '.failures["host link flap"].costs.mrc.slows = 2' events.json >bad.json
exits 2 'wrong costs are refused' "$mrc" job --events bad.json
is '  with the reason' "$output" 'mrc job: bad.json: failures.host link flap.costs.mrc.slows: 2 is out of range; give 0 to 0.99'
exits 2 'an experiment without steps is refused' "$mrc" job --measure "$ROOT/experiments/compare.yaml"
contains '  with the reason' "$output" 'workloads: the first one must train'
exits 2 'a mistake in the experiment has its place' "$mrc" job --measure --set workloads.0.pipeline=3 small.yaml
contains '  in the file' "$output" 'small.yaml:'
exits 2 'an unknown contender is refused' "$mrc" job --measure --protocols tcp
contains '  with the known ones' "$output" "there is no 'tcp'"

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
refuses "protocols[1].name: protocols[0] is 'mrc', too" '.protocols[1].name = "mrc"'
refuses 'failures[3].per_day: -1 is out of range; give 0 to 1000' '.failures[3].per_day = -1'
refuses 'failures[2].costs.roce: is missing; say what a failure costs, or set restarts: true' 'del(.failures[2].costs.roce)'
refuses 'failures[2].costs.mrc.slows: 2 is out of range; give 0 to 0.99' '.failures[2].costs.mrc.slows = 2'
refuses 'failures[0].restarts: give true or false' '.failures[0].restarts = 1'
echo '{' >bad.json
exits 2 'a file that is not JSON is refused' "$mrc" job bad.json
contains '  with its place' "$output" 'mrc job: bad.json:2:0: not JSON: '
exits 2 'a file that is not there is refused' "$mrc" job none.json
contains '  with the reason' "$output" 'none.json: No such file or directory'
exits 2 'two jobs are refused' "$mrc" job job.json job.json
exits 2 'no trials are refused' "$mrc" job --trials 0

# An option of the other half of the command would be ignored. An option and its value are two words.
for option in '--protocols mrc' '--seeds 2' '--set duration=1s' '--jobs 1' '--output x.json'; do
    # shellcheck disable=SC2086
    exits 2 "refused without --measure: $option" "$mrc" job $option
    is '  with the reason' "$output" "mrc job: ${option% *} has no effect without --measure; remove it"
done
for option in '--events events.json' '--prices prices.yaml'; do
    # shellcheck disable=SC2086
    exits 2 "refused with --measure: $option" "$mrc" job --measure $option small.yaml
    is '  with the reason' "$output" "mrc job: ${option% *} has no effect with --measure; remove it"
done
done_testing
