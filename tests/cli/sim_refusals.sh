#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What mrc sim refuses: file, line, key, reason, exit status 2, nothing written.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
cd "$SCRATCH" || exit 1

cat >ok.yaml <<'EOF'
fabric: { planes: 2, t0s: 2, t1s: 2, hosts_per_t0: 2 }
duration: 20us
workloads:
  - { kind: permutation, message_bytes: 64KiB, iterations: 2 }
EOF

refuses() # MESSAGE LINE: of a file with this line more
{
    { cat ok.yaml; printf '%s\n' "$2"; } >x.yaml
    exits 2 "refused: $2" "$mrc" sim x.yaml -o result.json
    is '  and the message has place, key and reason' "$output" "mrc sim: x.yaml:5:$1"
}

refuses_set() # MESSAGE KEY=VALUE
{
    exits 2 "refused: --set $2" "$mrc" sim ok.yaml -o result.json --set "$2"
    is '  and the message has key and reason' "$output" "mrc sim: --set $2: $1"
}

refuses_arguments() # MESSAGE ARGUMENT...
{
    message=$1
    shift
    exits 2 "refused: $*" "$mrc" sim "$@"
    is '  and the message has the reason' "$output" "mrc sim: $message"
}

refuses "1: duraton: there is no such key here; did you mean 'duration'?" 'duraton: 3us'
refuses '1: duration: this key is already in line 2; keep one' 'duration: 3us'
refuses "9: sample: '5' has no unit; write a time such as 500ns, 1.5us, 2ms or 3s" 'sample: 5'
refuses "9: sample: '3 parsecs' has an unknown unit; write a time such as 500ns, 1.5us, 2ms or 3s" \
    'sample: 3 parsecs'
refuses '1: title: has no value; give it one or remove the key' 'title:'
refuses '7: jobs: there is no job; add one' 'jobs: []'
refuses "9: faults: a list is expected here; begin each entry with '- '" 'faults: 3'
refuses "31: faults.0.where: 'p0.t1.9': no T1 t1.9: the last of 2 is t1.1" 'faults: [{ kind: down, where: p0.t1.9 }]'
refuses "10: faults.0: a fault of kind 'loss' needs the key 'probability'" 'faults: [{ kind: loss, where: p0 }]'
refuses "35: faults.0.rate: a fault of kind 'down' has no such key; remove it" \
    'faults: [{ kind: down, where: p0, rate: 3G }]'
refuses "51: faults.0.until: is not after 'at'; the fault must last some time" \
    'faults: [{ kind: down, where: p0, at: 5us, until: 3us }]'
refuses "33: faults.0.where: only a switch can reboot; use kind down for other parts" \
    'faults: [{ kind: reboot, where: h1.p0, for: 3us }]'
refuses '20: parameters.mpr: 300 is out of range; give 0 to 255 units' 'parameters: { mpr: 300 }'
refuses "15: parameters.ev_actve: there is no such parameter; did you mean 'ev_active'?" 'parameters: { ev_actve: 3 }'
refuses "28: parameters.loss_to_bad: 'x' is not a valid choice; choices: literal or compared" 'parameters: { loss_to_bad: x }'
refuses "12: criteria.0: 'goodput > 1': there is no 'goodput'; write e.g. goodput_fraction >= 0.95" \
    'criteria: [goodput > 1]'
refuses "12: criteria.0: 'workloads.permutaton.jain > 0': there is no 'workloads.permutaton.jain'; write e.g. goodput_fraction >= 0.95" \
    'criteria: [workloads.permutaton.jain > 0]'
for name in phases.p.permutaton.jain phases.p.workloads.permutaton.jain phases.q.permutation.jain phases.p.trimed \
    runs.x.goodput_bps runs.phases.p.permutation.jain; do
    exits 2 "a criterion about $name is refused before the run" "$mrc" sim ok.yaml \
        --set 'phases=[{name: p}]' --set "criteria=[$name > 0]"
    contains '  and the message has the name' "$output" "there is no '$name'"
done
for name in phases.p.permutation.jain phases.p.workloads.permutation.jain phases.p.trimmed phases.p.lost runs.x.phases.p.permutation.jain; do
    exits 0 "a criterion about $name is accepted" "$mrc" sim -q ok.yaml --set 'sweep=[{label: x}]' \
        --set 'phases=[{name: p}]' --set "criteria=[$name >= 0]"
done
refuses "44: criteria.0.run: no set of the sweep has the label 'x'" 'criteria: [{ expect: goodput_bps > 1, run: x }]'
refuses "9: victim: there is no workload 'permutaton'; did you mean 'permutation'?" 'victim: permutaton'
refuses '8: anchors, aliases and tags are not used here; write it out' 'name: *a'
refuses '50: parameters.mpr: 4000 is out of range; give 0 to 255 units' \
    'sweep: [{ parameters.mpr: 4 }, { parameters.mpr: 4000 }]'
refuses '1: not YAML: tab character may not be used as indentation' "$(printf '\tx: 3')"

refuses_set 'fabric.planes: 17 is out of range; give 1 to 16' fabric.planes=17
refuses_set 'fabric.radix: radix 3 cannot hold 2 hosts and 2 uplinks' fabric.radix=3
refuses_set 'fabric.uplink.rate: 1b/s is out of range; give 1Mb/s to 8Tb/s' fabric.uplink.rate=1b/s
refuses_set 'ev_active: this is a parameter; write parameters.ev_active' ev_active=3
refuses_set "fabric.exceptions.0.link: 'p0.t0.0-t1.7': no T1 t1.7: the last of 2 is t1.1" \
    'fabric.exceptions=[{link: p0.t0.0-t1.7, missing: yes}]'
refuses_set 'fabric: none.yaml: No such file or directory; name a fabric file, or write its keys here' fabric=none.yaml
refuses_set 'workloads.0.ranks: 3000 ranks, but the fabric has 4 NICs' workloads.0.ranks=3000
refuses_set 'workloads.0.message_bytes: 2147483649 bytes make a message of a QP longer than the limit of 2147483648 bytes' \
    workloads.0.message_bytes=2147483649
exits 0 'a message may have 2 GiB' "$mrc" sim -q --set workloads.0.message_bytes=2GiB ok.yaml
refuses_set 'workloads.0.group: 1 is out of range; give 2 to 1048576' workloads.0.group=1
refuses_set 'workloads.0.peers_at_once: 0 is out of range; give 1 to 1048576' workloads.0.peers_at_once=0
refuses_set 'workloads.0.chunks: 0 is out of range; give 1 to 65536' workloads.0.chunks=0
refuses_set 'workloads.0.local_rate: 1Mb/s is out of range; give 1Gb/s to 1000Tb/s' workloads.0.local_rate=1Mb/s
refuses_set 'workloads.0.nics.0: this fabric has no NIC 9; its NICs are 0 to 3' 'workloads.0.nics=[0-9]'
refuses_set 'workloads.0.file: only workloads of kind schedule have a file' workloads.0.file=x.csv
refuses_set "workloads has no entry '3'; its entries are 0 to 0" workloads.3.kind=incast
refuses_set "duration is a single value and has no 'x'" duration.x=3
refuses_set 'KEY=VALUE is expected, such as parameters.mpr=4' nothing

: >empty.yaml
head -c 9000000 /dev/zero | tr '\0' a >huge.yaml
printf 'a: \377\n' >bytes.yaml
echo '[1, 2]' >list.yaml
refuses_arguments 'empty.yaml: is empty' empty.yaml
refuses_arguments 'huge.yaml: the file is larger than 8 MiB' huge.yaml
refuses_arguments 'bytes.yaml:1:4: not text: a byte that is not UTF-8' bytes.yaml
refuses_arguments "list.yaml:1:1: keys with values are expected here: 'name: ...'" list.yaml
printf 'planes: 2\nt0s: 2\n' >fabric.yaml
refuses_arguments \
    "fabric.yaml:1:1: planes: this is a fabric file; an experiment names it under 'fabric:' and has workloads" \
    fabric.yaml
rm fabric.yaml
refuses_arguments 'none.yaml: No such file or directory' none.yaml
refuses_arguments "name an EXPERIMENT.yaml; see 'mrc sim --help'"
refuses_arguments "name one experiment; unexpected argument 'b'" a b
refuses_arguments "there is no option '--sed'; did you mean --seed?" --sed 3 ok.yaml
refuses_arguments "--jobs takes a number from 1 to 1024, not '0'" --jobs 0 ok.yaml
refuses_arguments "--seed takes a number from 0 to 9223372036854775807, not '-1'" --seed -1 ok.yaml
refuses_arguments '--pcap and --trace require a single run; there are 2' --repeat 2 --pcap f ok.yaml
refuses_arguments '--sweep parameters.mpr: KEY=VALUE,VALUE,... is expected, such as parameters.mpr=2,4,8' \
    --sweep parameters.mpr ok.yaml
refuses_arguments "--sweep parameters.mpx=1,2: parameters.mpx: there is no such parameter; did you mean 'mpr'?" \
    --sweep parameters.mpx=1,2 ok.yaml
refuses_arguments '--sweep seed=3: the sweep already gives this key its values' --sweep seed=1,2 --sweep seed=3 ok.yaml
refuses_arguments '--set seed=3: the sweep gives this key its values; set it there' --sweep seed=1,2 --set seed=3 ok.yaml
refuses_arguments '--only and --snap require --pcap or --trace' --only nic=h0 ok.yaml
refuses_arguments "--only: 'nick=h0' is not KEY=VALUE with one of the keys nic, qp, at, from and until" \
    --trace f --only nick=h0 ok.yaml
refuses_arguments '--only: p0 is not a NIC such as h3' --trace f --only nic=p0 ok.yaml
refuses_arguments "--only: 'soon' is not a time such as 500ns, 1.5us, 2ms or 3s" --trace f --only from=soon ok.yaml
refuses_arguments '--only: 16777216: numbers of QPs are at most 16777215' --trace f --only qp=16777216 ok.yaml
refuses_arguments "--only: 'from' is given twice; give one time" --trace f --only from=1us,2us ok.yaml
refuses_arguments "--only: 'until' is given twice; give one time" --trace f --only until=1us --only until=2us ok.yaml
refuses_arguments "--only: 'until' is before 'from'; nothing would be written" \
    --trace f --only from=2us --only until=1us ok.yaml
refuses_arguments "--only: 'at' selects frames, and events are on no link; give --pcap, or nic instead" \
    --trace f --only at=p0 ok.yaml
refuses_arguments '--pcap and --trace would both write f' --pcap f --trace f ok.yaml
refuses_arguments '--output and --csv would both write f' -o f --csv f ok.yaml
for option in --pcap --trace --csv --checkpoint; do
    refuses_arguments "$option: '-' is not a file; only --output writes to standard output" "$option" - ok.yaml
done
refuses_arguments '-q prints no progress, and --live does; omit one' -q --live ok.yaml
refuses_arguments "'-o' requires a value; see 'mrc sim --help'" -o
is 'refused experiments write no file' "$(ls)" 'bytes.yaml
empty.yaml
huge.yaml
list.yaml
ok.yaml
x.yaml'
done_testing
