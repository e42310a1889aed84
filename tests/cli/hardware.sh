#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hardware models: published figures are reproduced, results name what is assumed, mistakes are explained.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
cd "$ROOT" || exit 1

for file in experiments/hardware/*.yaml; do
    exits 0 "$file gives the published figures" "$mrc" sim -o "$SCRATCH/$(basename "$file" .yaml).json" "$file"
    contains '  and the table names what is assumed' "$output" '; assumed: '
done

# A figure: preset, what was published, and what was measured. Criteria allow 5 %.
figures()
{
    python3 -c '
import json, sys
for path in sys.argv[1:]:
    for run in json.load(open(path))["runs"]:
        for criterion in run["criteria"]:
            if criterion["paper"] and " >= " in criterion["text"]:
                owner = "nic" if path.endswith("/nics.json") else "switch"
                print(run["hardware"][owner], criterion["paper"], "measured %.4g" % criterion["value"], sep=" | ")' \
        "$SCRATCH/nics.json" "$SCRATCH/switches.json" "$SCRATCH/switch-ports.json"
}
figures >"$SCRATCH/figures"
sed 's/^/# /' "$SCRATCH/figures"
exits 0 'the presets are listed' "$mrc" sim --hardware
contains '  with origin and source' "$output" '165660324  published   SONiC template of the Arista 7060X6'
contains '  and what is assumed' "$output" 'assumed     one article, unconfirmed'
presets=$(echo "$output" | sed -n 's/^\(nic\|switch\): \([^ ]*\) .*/\1:\2/p')
is 'every preset has a published figure that is measured' "$(cut -d' ' -f1 "$SCRATCH/figures" | sort -u)" \
    "$(echo "$presets" | cut -d: -f2 | sort -u)"

# A fabric may have as many ports, and as high a rate, as the hardware, and no more.
cat >"$SCRATCH/one.yaml" <<'EOF'
fabric: { planes: 1, t0s: 1, t1s: 0 }
duration: 1us
workloads: [{ name: w, kind: stream, ranks: 2, message_bytes: 4KiB }]
EOF
setting() # KIND PRESET KEY
{
    "$mrc" sim -q -j --set "hardware.$1=$2" "$SCRATCH/one.yaml" | python3 -c '
import json, sys
print(json.load(sys.stdin)["hardware"]["settings"][sys.argv[1]]["value"])' "$3"
}
# shellcheck disable=SC2317 # called by exits
with_ports() # KIND PRESET PORTS BIT/S
{
    key=$([ "$1" = nic ] && echo planes || echo hosts_per_t0)
    "$mrc" sim -q --set "hardware.$1=$2" --set "fabric.$key=$3" --set "fabric.host_link.rate=$4b/s" "$SCRATCH/one.yaml"
}
for preset in $presets; do
    kind=${preset%%:*}
    name=${preset#*:}
    ports=$(setting "$kind" "$name" "${kind}_ports")
    rate=$(setting "$kind" "$name" "${kind}_rate")
    exits 0 "$name has $ports ports and $rate bit/s" with_ports "$kind" "$name" "$ports" "$((rate / ports))"
    exits 2 '  and no more ports' with_ports "$kind" "$name" "$((ports + 1))" 1000000
    exits 2 '  and no higher rate' with_ports "$kind" "$name" "$ports" "$((rate / ports + 1000000))"
    contains '  which the message says' "$output" "more than ${kind}_rate $((rate / 1000000000))Gb/s"
done

ok=experiments/hardware/nics.yaml
exits 0 'the result has the origin of values' "$mrc" sim -j --set duration=2us --set 'criteria=[]' --set 'phases=[]' "$ok"
contains '  as JSON' "$output" '"origin":"assumed"'

hash_with() # ARGUMENT...
{
    "$mrc" sim -q -j --set duration=50us "$@" experiments/demo.yaml | sed -n 's/.*"hash": *"\([0-9a-f]*\)".*/\1/p'
}
ideal=$(hash_with --set hardware=ideal)
is_more 'hardware can be ideal: a run has a hash' "${#ideal}" 15
is '  wires then have no framing' "$(hash_with --set fabric.framing=0)" "$ideal"
is '  as when NICs and switches are each ideal' "$(hash_with --set 'hardware={nic: ideal, switch: ideal}')" "$ideal"
framed=$(hash_with)
is 'by default wires have the framing of Ethernet' "$(hash_with --set fabric.framing=38)" "$framed"
is '  which is a preset, too' "$(hash_with --set hardware=default)" "$framed"
is '  that an ideal NIC alone does not change' "$(hash_with --set hardware.nic=ideal)" "$framed"
is '  and makes another run than ideal hardware' "$([ "$framed" = "$ideal" ] && echo same)" ''
is '  with either engine' "$(hash_with --heap)" "$framed"
exits 0 'the result says that framing is published' "$mrc" sim -q -j --set duration=2us --set 'criteria=[]' experiments/permutation.yaml
contains '  by which standard' "$output" '"framing":{"value":38,"unit":"bytes","origin":"published","source":"IEEE 802.3'

refuses() # MESSAGE KEY=VALUE
{
    exits 2 "refused: --set $2" "$mrc" sim "$ok" --set "$2"
    is '  and the message has key and reason' "$output" "mrc sim: --set $2: $1"
}

ok=experiments/hardware/switches.yaml
refuses "hardware.nic: there is no 'thor'; write default, ideal, thor-ultra, connectx-8 or connectx-9" hardware.nic=thor
refuses 'hardware.packet_rate: 5 is out of range; give 0 for no limit, or at least 1000' hardware.packet_rate=5
refuses 'hardware.framing: bytes on the wire around each packet; key framing of the fabric: set it there' hardware.framing=38
refuses "fabric.buffers.alpha: there is no '3'; write 1/128, 1/64, 1/32, 1/16, 1/8, 1/4, 1/2, 1, 2, 4 or 8" fabric.buffers.alpha=3
ok=experiments/permutation.yaml
refuses 'hardware: the fabric needs 400Gb/s, more than nic_rate 200Gb/s' hardware.nic_rate=200Gb/s
exits 2 'refused: one link that is too fast for its NIC' "$mrc" sim "$ok" --set hardware.nic_rate=400Gb/s \
    --set 'fabric={planes: 4, exceptions: [{link: h5.p0, rate: 200Gb/s}]}'
contains '  with what the NIC needs' "$output" 'hardware: the fabric needs 500Gb/s, more than nic_rate 400Gb/s'
refuses 'hardware.qp_memory: qp_memory 511 is less than qp_context 512: the state of one QP must fit' \
    'hardware={qp_memory: 511, qp_context: 512}'
refuses "hardware: there is no 'tomahawk-5'; write default or ideal" hardware=tomahawk-5
refuses 'hardware: keys with values are expected here, or default or ideal' 'hardware=[ideal]'
done_testing
