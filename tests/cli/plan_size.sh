#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc plan size, failures and chips: counts, prices, comparisons, and what is refused.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
cd "$ROOT" || exit 1

value() # NAME OPTION...: a figure of the size
{
    wanted=$1
    shift
    "$mrc" plan -j "$@" | jq -c --arg name "$wanted" '[.rows[] | select(.name == $name) | .value][0]'
}

is '131,072 GPUs, 8 planes, 51.2T: 6,144 switches' "$(value switches --gpus 131072 --nic 800G --planes 8 --switch 51.2T)" 6144
is '  of which 512 T0s in a plane' "$(value 'T0: switches' --gpus 131072)" 512
is '  and 256 T1s' "$(value 'T1: switches' --gpus 131072)" 256
is '  and 524,288 modules' "$(value modules --gpus 131072)" 524288
is 'size may be written' "$("$mrc" plan size -j)" "$("$mrc" plan -j)"
exits 2 'without arguments the verbs are listed' "$mrc" plan
is 'a GPU needs a switch in each plane' "$(value switches --gpus 1)" 8
is 'a million GPUs need three tiers' "$(value tiers --gpus 1000000)" 3
is '  with one plane four' "$(value tiers --gpus 1000000 --planes 1)" 4
is 'a fabric file is counted' "$(value switches -f experiments/fabric-64.yaml)" 64
is 'a path over four tiers needs an SRH' "$(value 'IPv6 MTU of links' --gpus 1000000 --planes 1)" 4248
contains 'leaves can be added while T1s have free ports' "$("$mrc" plan --gpus 100000)" 'possible without moving a cable            yes'
contains '  else the number of cables that move is printed' "$("$mrc" plan size)" 'move 65536 cables'
contains '--explain prints the formula of each figure' "$("$mrc" plan --explain)" 'GPUs / 2 x rate of a NIC / oversubscription; Tb/s'
is '  of each' "$("$mrc" plan --explain | grep -c '^      = .')" "$("$mrc" plan size | grep -c '^  ')"

exits 2 'GPUs that do not fit are refused' "$mrc" plan --gpus 65537 --planes 1 --tiers 3
contains '  with what is possible' "$output" 'ends at 65536 GPUs; nearest: --gpus 65536, --tiers 4, --planes 2'
exits 2 'a NIC that cannot be divided is refused' "$mrc" plan --planes 7
contains '  with the nearest planes' "$output" 'the nearest possible number of planes is 8'
exits 2 'a rate without a unit is refused' "$mrc" plan --nic fast
exits 2 'an unknown shape is refused' "$mrc" plan --shape ring
exits 2 'an unknown goal is refused' "$mrc" plan --goal best
exits 2 'a word is refused' "$mrc" plan --gpus 16 fabric.yaml

"$mrc" plan --default-prices >"$SCRATCH/prices.yaml"
is 'the built-in prices can be given' "$("$mrc" plan --prices "$SCRATCH/prices.yaml")" "$("$mrc" plan size)"
sed 's/usd: \[150000, 250000\]/usd: [300000, 500000]/' "$SCRATCH/prices.yaml" >"$SCRATCH/dear.yaml"
is 'the bill has the prices of the file' "$("$mrc" plan --csv --prices "$SCRATCH/dear.yaml" | grep '"switches, T1"')" \
    '"switches, T1",256,300000.00,500000.00,76800000,128000000,128000,232960'
sed 's/watts: \[14, 17\]/watts: -1/' "$SCRATCH/prices.yaml" >"$SCRATCH/wrong.yaml"
exits 2 'a negative entry is refused' "$mrc" plan --prices "$SCRATCH/wrong.yaml"
contains '  with its line' "$output" 'wrong.yaml:21:10: optics_800g.watts: -1 is negative; give 0 or more'
exits 2 'a price file that does not exist is refused' "$mrc" plan --prices "$SCRATCH/none.yaml"

"$mrc" plan --gpus 131072 --compare -j >"$SCRATCH/compared.json"
fabric() # NAME FILTER
{
    jq -c --arg name "$1" ".fabrics[] | select(.name == \$name) | $2" "$SCRATCH/compared.json"
}
is 'three tiers of one plane are two fabrics with 10,240 switches and 786,432 modules' \
    "$(fabric '3 tiers, 1 plane' '[.fabrics, .switches, .modules]')" '[2,10240,786432]'
is '  and have fewer GPUs for the same cost' "$(fabric '3 tiers, 1 plane' '.gpus_for_budget < 100000')" true
is 'InfiniBand ends with its LIDs' "$(fabric InfiniBand '.fabrics > 1')" true
contains 'the best for a goal comes first' "$("$mrc" plan --goal most-resilient --switch 51.2T | sed -n 2p)" '8 x 100 Gb/s, 2 tiers'
contains 'a goal leaves what is given as it is' "$("$mrc" plan --goal cheapest --planes 4 --tiers 2 --switch 51.2T | sed -n 2p)" '4 x 200 Gb/s, 2 tiers, 51.2 Tb/s'

"$mrc" plan failures --gpus 131072 -j >"$SCRATCH/failures.json"
share() # FAILURE KEY
{
    jq -c --arg name "$1" ".failures[] | select(.failure == \$name) | $2" "$SCRATCH/failures.json"
}
is 'an uplink is 1/256 of a plane' "$(share 'T0: uplink fails' .plane_share)" 0.00390625
is 'a T0 is an eighth of its 256 NICs' "$(share 'T0: switch reboots' '[.nics, .nic_share]')" '[256,0.125]'
is 'MRC loses fewer GPU hours by failures of the network than RoCEv2' \
    "$(jq '.network_gpu_hours_per_year | .mrc[1] < .roce[1]' "$SCRATCH/failures.json")" true
contains 'two failures cut no NIC with eight ports off' "$("$mrc" plan failures)" 'none: a NIC has 8 ports'
contains '  but one with two' "$("$mrc" plan failures --planes 2 --gpus 1000)" 'both links of a NIC '
contains '  and one port needs a single failure' "$("$mrc" plan failures --planes 1 --gpus 1000)" 'one is enough'

contains 'a T0 has a route for each port' "$("$mrc" plan chips --gpus 131072)" 'T0: static routes of MRC                                      512'
missing=$("$mrc" plan chips | grep -o 'src/[a-z_/.]*' | while read -r file; do test -f "$file" || echo "$file"; done)
is 'the files of the blocks of a NIC exist' "$missing" ''
"$mrc" plan --gpus 100 --planes 4 --nic 400G --switch 1.6T --yaml >"$SCRATCH/fabric.yaml"
is 'the fabric can be written as a file, which has the same switches' "$(value switches -f "$SCRATCH/fabric.yaml")" \
    "$(value switches --gpus 100 --planes 4 --nic 400G --switch 1.6T)"
is '  and paths' "$("$mrc" plan path -f "$SCRATCH/fabric.yaml" h0 h99 | grep -c 0x)" 32
"$mrc" plan --gpus 3 --planes 2 --yaml >"$SCRATCH/fabric.yaml"
is '  also without a second tier' "$(value switches -f "$SCRATCH/fabric.yaml")" 2
exits 2 'a fabric that no generator builds is refused' "$mrc" plan --gpus 1000000 --yaml
contains 'options without a verb are completed' "$("$mrc" completion words plan --goal fastest --comp)" '--compare'
done_testing
