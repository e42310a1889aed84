#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc compare: the same experiment with several contenders: tables, JSON, CSV and a page; what is refused.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
cd "$SCRATCH" || exit 1

cat >x.yaml <<'EOT'
name: small
title: "a </script> in a title"
fabric: { planes: 1, t0s: 2, t1s: 4, hosts_per_t0: 4 }
duration: 600us
sample: 20us
workloads:
  - { name: pairs, kind: permutation, shift: 4, message_bytes: 64KiB, outstanding: 4 }
sweep:
  - { label: quiet }
  - { label: cut, faults: [ { kind: down, where: p0.t0.0-t1.1, at: 300us, for: 100us } ] }
EOT

exits 0 'contenders are compared' "$mrc" compare x.yaml --protocols mrc,roce-8qp --seeds 2 -o x.json --csv x.csv --report x.html
is '  each case has a table' "$(printf '%s\n' "$output" | grep -cE '^(quiet|cut: down p0.t0.0-t1.1 at 300 us)$')" 2
is '  with a row for each contender, after the upper bound' \
    "$(printf '%s\n' "$output" | sed -n '/^quiet/,/^$/p' | awk '{ print $1 }' | xargs)" 'quiet contender ideal mrc roce-8qp'
is '  and the state of each' "$(printf '%s\n' "$output" | sed -n '/^state/,/^$/p' | grep -cE '^  (mrc|roce-8qp) .*(measured|published)')" 2
contains '  the normalisation is named' "$output" 'A, same fabric: '
is '  recovery is shown by kind of failure' "$(printf '%s\n' "$output" | sed -n '/^recovery by/,/^$/p' | awk 'NR == 2 { print $2 }')" down
is '  the document has all cases and contenders' \
    "$(jq -c '[.openmrc_compare, [.contenders[].name], [.cases[] | [.label, [.entries[] | [.contender, .runs]]]]]' x.json)" \
    '[1,["mrc","roce-8qp"],[["quiet",[["mrc",2],["roce-8qp",2]]],["cut",[["mrc",2],["roce-8qp",2]]]]]'

# Figures are those of mrc sim.
sim() # PROTOCOL SETTING...: goodput of two seeds without faults
{
    protocol=$1
    shift
    "$mrc" sim x.yaml --set 'sweep=[]' --protocol "$protocol" --repeat 2 -j "$@" | jq -c '[.runs[].summary.goodput_bps] | [min, max]'
}
entry() # CASE CONTENDER FILTER
{
    jq -c ".cases[$1].entries[$2] | $3" x.json
}
is 'MRC has the goodput that mrc sim measures' "$(entry 0 0 '.figures.goodput_bps | [.min, .max]')" "$(sim mrc)"
is '  and so has RoCEv2, with the settings of the contender' "$(entry 0 1 '.figures.goodput_bps | [.min, .max]')" "$(sim roce --set roce.qps=8)"
is '  the mean lies between them' "$(entry 0 1 '.figures.goodput_bps | .mean * 2 == .min + .max')" true
is 'the upper bound is not exceeded' "$(jq -c '[.cases[] | .ideal_bps as $ideal | .entries[].figures.goodput_bps.max <= $ideal] | all' x.json)" true
is 'a case without faults has no recovery' "$(entry 0 0 '[.unrecovered, .figures.recovery_us, .faults]')" '[0,null,[]]'
is 'MRC recovers from a link that goes down' "$(entry 1 0 '[.unrecovered, .figures.recovery_us.max < 100, .faults[0].kind]')" '[0,true,"down"]'
is '  RoCEv2, which waits for a timeout, loses more' "$(jq '.cases[1].entries | .[1].figures.stood_us.mean > .[0].figures.stood_us.mean' x.json)" true
is 'a QP of MRC has the size that libmrc uses' "$(entry 0 0 '.state.qp_bytes > 1000 and .state.qp_bytes < 16384')" true
is '  and RoCEv2 has 8 for each connection' "$(jq -c '.cases[0].entries | .[1].state.qps_per_nic == 8 * .[0].state.qps_per_nic' x.json)" true
is '  a switch has a route for each port with MRC, and for each leaf with RoCEv2' "$(jq -c '[.cases[0].entries[].state.switch_routes]' x.json)" '[8,2]'
is 'only PFC reserves buffer' "$(jq -c '[.cases[0].entries[].state.switch_headroom_bytes > 0]' x.json)" '[false,true]'
is 'cost is that of 8 host links and 8 uplinks' "$(jq -c '.contenders[0].cost.parts | [.switch.ends_gbps, .optics.ends_gbps]' x.json)" '[2400,3200]'
is '  and is printed for each contender' "$(printf '%s\n' "$output" | grep -c 'that of the experiment$')" 2
is 'the CSV file has a line for each case and contender' "$(cut -d , -f 1-3 x.csv | xargs)" \
    'case,contender,runs quiet,mrc,2 quiet,roce-8qp,2 cut,mrc,2 cut,roce-8qp,2'
is '  all of one length' "$(awk -F , '{ print NF }' x.csv | sort -u | wc -l)" 1

is 'the same with other jobs and threads' \
    "$("$mrc" compare x.yaml --protocols mrc,roce-8qp --seeds 2 --jobs 1 --threads 2 -j | jq -c .cases)" "$(jq -c .cases x.json)"
is 'the name of a protocol stands for its contenders' "$("$mrc" compare x.yaml --protocols roce --set 'sweep=[]' --set duration=50us -j | jq '.contenders | length')" \
    "$("$mrc" compare --help | grep -c '^  roce-')"
is '-o - prints JSON' "$("$mrc" compare x.yaml --protocols mrc --set 'sweep=[]' --set duration=50us -o - | jq -c '[.cases[] | [.label, (.entries | length)]]')" '[["",1]]'
exits 0 'without a file, the built-in experiment is run' "$mrc" compare --protocols mrc --set 'sweep=[]' --set duration=100us -q
is '  -q prints nothing' "$output" ''
is '  it is the one of experiments/' "$("$mrc" compare --protocols mrc --set 'sweep=[]' --set duration=100us -j | jq -c .cases)" \
    "$("$mrc" compare --protocols mrc --set 'sweep=[]' --set duration=100us -j "$ROOT/experiments/compare.yaml" | jq -c .cases)"

# Settings of the experiment apply to the contenders with which they have an effect.
exits 0 'a profile of DCQCN does not contradict contenders without DCQCN' "$mrc" compare x.yaml --protocols roce --set roce.dcqcn=lab \
    --set roce.headroom=60kB --set roce.watchdog=off --set roce.recovery=selective-repeat --set duration=50us --set 'sweep=[]' -q
profile() # CONTENDER ARGUMENT...: its goodput in the case without faults
{
    contender=$1
    shift
    "$mrc" compare x.yaml --protocols "$contender" -j "$@" | jq '.cases[0].entries[0].figures.goodput_bps.mean'
}
swept='sweep=[{ label: lab, roce.dcqcn: lab, roce.marking: nv/16 }]'
is '  nor does one in a case' "$(profile roce-pfc --set "$swept")" "$(profile roce-pfc --set 'sweep=[]')"
is '  and has its effect with the others' "$(profile roce-8qp --set "$swept")" "$(profile roce-8qp --set 'sweep=[]' --set roce.dcqcn=lab --set roce.marking=nv/16)"
is '  which differs' "$(jq -n "$(profile roce-8qp --set "$swept") != $(profile roce-8qp --set 'sweep=[]')")" true
cut='faults=[{ kind: down, where: h0.p0, at: 300us, for: 50us }]'
ib() # ARGUMENT...: settings and timeouts of InfiniBand
{
    "$mrc" compare x.yaml --protocols ib --set 'sweep=[]' --set "$cut" -j "$@" | jq -c '[.contenders[0].settings, .cases[0].entries[0].figures.timeouts.mean > 0]'
}
is 'a usual setting of a contender applies' "$(ib)" '["infiniband.routing=adaptive infiniband.timeout=4ms",false]'
is '  unless the experiment has another' "$(ib --set infiniband.timeout=100us)" '["infiniband.routing=adaptive",true]'

# Other fabrics: 16 NICs with 2 ports of 100 Gb/s, on switches with 8 ports.
cat >y.yaml <<'EOT'
name: planes
fabric: { planes: 2, t0s: 4, t1s: 4, hosts_per_t0: 4, buffers: { data: 320 kB } }
duration: 200us
sample: 10us
workloads:
  - { name: ring, kind: all_reduce, placement: random, message_bytes: 1MiB, outstanding: 8 }
faults: [ { kind: loss, where: p1.t0.1-t1.3, probability: 5 %, at: 50us } ]
EOT
"$mrc" compare y.yaml --protocols mrc,ib-static --fabric native -o native.json --csv native.csv -q
is 'a native fabric has the fat tree that FT3(4) is' "$(jq -c '[.normalisation.letter, .contenders[].fabric]' native.json)" \
    '["B","that of the experiment","fat tree of three tiers, 8 + 8 + 4 switches, 200 Gb/s"]'
is '  with 5 instead of 3 Gb/s of switches, and 6 instead of 4 of optics' \
    "$(jq -c '[.contenders[].cost.parts | [.switch.ends_gbps, .optics.ends_gbps]]' native.json)" '[[9600,12800],[16000,19200]]'
is '  a fault is at the corresponding link' "$(jq -c '[.cases[0].entries[].faults[0].where]' native.json)" '[["p1.t0.1-t1.3"],["p0.t0.3-t1.3"]]'
contains '  the CSV file has the normalisation' "$(tail -n 1 native.csv)" ',native fabric,"fat tree of three tiers, '
is '  nothing exceeds the capacity' "$(jq '[.cases[].entries[].figures.capacity_fraction.max <= 1.0005] | all' native.json)" true
is '  nor on the same fabric, where only MRC leaves the lossy link' \
    "$("$mrc" compare y.yaml --protocols mrc,ib-static -j | jq '[.cases[].entries[].figures.capacity_fraction.max <= 1.0005] | all')" true
is 'a fat tree with rails has as many switches, and the leaf of a NIC follows from its place in its server' \
    "$("$mrc" compare y.yaml --protocols mrc,ib-static --fabric rails -j | jq -c '[.normalisation.letter, .contenders[1].fabric, .cases[0].entries[1].faults[0].where[0]]')" \
    '["B","fat tree of three tiers with 8 rails, 8 + 8 + 4 switches, 200 Gb/s","p0.t0.6-t1.7"]'
between_servers() # WHICH: the time of a message between NICs at the same place of two servers
{
    "$mrc" compare y.yaml --protocols ib-static --fabric "$1" --set 'workloads=[{ kind: stream, nics: [0, 8], message_bytes: 4KiB, iterations: 9 }]' \
        --set 'faults=[]' -j | jq '.cases[0].entries[0].figures.p50_us.mean'
}
is '  and NICs at the same place of servers are nearer' "$(jq -n "$(between_servers rails) < $(between_servers native) / 2")" true
is 'a budget leaves half of the uplinks, at the same cost' \
    "$("$mrc" compare y.yaml --protocols mrc,roce-8qp --fabric budget -j | jq -c '[.normalisation.letter, .contenders[1].fabric, .contenders[0].cost == .contenders[1].cost]')" \
    '["C","fat tree of three tiers, 8 + 4 + 2 switches, 200 Gb/s",true]'

is '  also with rails' \
    "$("$mrc" compare y.yaml --protocols mrc,ib-static --fabric budget-rails -j | jq -c '[.normalisation.letter, .contenders[1].fabric, .contenders[0].cost == .contenders[1].cost]')" \
    '["C","fat tree of three tiers with 8 rails, 8 + 4 + 2 switches, 200 Gb/s",true]'

# The search: the same draws each time, on other seeds.
search() # ARGUMENT...
{
    "$mrc" compare y.yaml --protocols mrc,roce-1qp --best 3 --set duration=60us -j "$@"
}
search >best.json
is 'a search makes the same number of trials for each' "$(jq -c '[.contenders[] | select(.search) | .search.trials]' best.json)" '[3,3]'
is '  the best is not worse than the usual settings' "$(jq '[.contenders[].search // empty | .best_score >= .usual_score] | all' best.json)" true
is '  and has a row of its own, unless the usual settings are the best' \
    "$(jq -c '[.contenders[] | select(.is_best) | .name]' best.json)" "$(jq -c '[.contenders[] | select(.search.found // "" != "") | .name + "+best"]' best.json)"
is '  rows and entries agree' "$(jq -c '[.cases[].entries[].contender] == [.contenders[].name]' best.json)" true
is '  what defines a contender stays' "$(jq '[.contenders[] | select(.protocol == "roce") | .settings | test("roce.qps=1 ")] | all' best.json)" true
is '  with any number of jobs' "$(search --jobs 1 | jq -c .contenders)" "$(jq -c .contenders best.json)"
is '  what is set is not searched' "$(search --set roce.dcqcn=lab --set roce.marking=scaled | jq '[.contenders[].search.found // "" | test("dcqcn|marking")] | any')" false
is '  defaults have the figures that they have without a search' "$(jq -c '[.cases[].entries[] | select(.contender == "mrc" or .contender == "roce-1qp")]' best.json)" \
    "$("$mrc" compare y.yaml --protocols mrc,roce-1qp --set duration=60us -j | jq -c '[.cases[].entries[]]')"

contains 'the page is complete' "$(tail -n 1 x.html)" '</html>'
is '  every placeholder is replaced' "$(grep -c '{{[a-zA-Z.]*}}' x.html)" 0
is '  it loads nothing' "$(grep -noE '(src|href|action)=["'\'']?[^ >]*|@import|url\([^)]*\)|fetch\(|XMLHttpRequest|import\(' x.html || true)" ''
contains '  markup in a title is escaped' "$(cat x.html)" 'a \u003c/script> in a title'

refuses() # MESSAGE ARGUMENT...
{
    message=$1
    shift
    exits 2 "refused: $*" "$mrc" compare -o y.json "$@"
    is '  with the reason' "$output" "mrc compare: $message"
}
known=$("$mrc" compare --help | sed -n '/^Contenders/,/^$/s/^  \([^ ]*\) .*/\1/p' | xargs | sed 's/ /, /g; s/, \([^,]*\)$/ or \1/')
refuses "--protocols: there is no 'roce-8q'; did you mean 'roce-8qp'? Known: $known" --protocols mrc,roce-8q x.yaml
refuses "--protocols: there is no ''; give $known" --protocols mrc, x.yaml
refuses "none.yaml: No such file or directory" none.yaml
refuses "name one experiment; unexpected argument 'y.yaml'" x.yaml y.yaml
refuses "--set duration=x: duration: 'x' is not a number; write a time such as 500ns, 1.5us, 2ms or 3s" --set duration=x x.yaml
printf 'sweep: [ { protocol: mrc }, { protocol: roce } ]\nduration: 1us\nworkloads: [ { kind: permutation } ]\n' >swept.yaml
refuses 'swept.yaml: sweep: it sets protocol, as this command does; remove it, or use mrc sim' swept.yaml
refuses "--fabric: there is no 'nativ'; give same, native, rails, budget or budget-rails" --fabric nativ x.yaml
refuses '--fabric native: roce-8qp: x.yaml:3:9: fabric: it needs several planes with two tiers, which MRC and UET use' \
    --fabric native --protocols mrc,roce-8qp x.yaml
refuses "--fabric native: ib: --set faults.0.where=p1: faults.0.where: 'p1': a fat tree has no counterpart of it" --fabric native --protocols ib --set faults.0.where=p1 y.yaml
refuses '--fabric budget: ib: y.yaml:2:9: fabric: three tiers of switches with 4 ports of 200 Gb/s, as fast as those of this fabric, do not connect 32 NICs; give switches more ports with fabric.radix' \
    --fabric budget --protocols ib --set fabric.t0s=8 y.yaml
exits 2 'a search without trials is refused' "$mrc" compare --best 0 x.yaml
exits 2 'no seeds are refused' "$mrc" compare --seeds 0 x.yaml
exits 1 'a file that cannot be written is found before the runs' "$mrc" compare --report none/x.html --set duration=3600s --set sample=100ms x.yaml
contains '  with the reason' "$output" 'none/x.html: No such file or directory'
is 'nothing is written' "$(find . -name y.json)" ''

"$mrc" compare x.yaml --set duration=3600s --set sample=100ms -o y.json >said 2>&1 &
child=$!
tries=0
until pgrep -P "$child" >/dev/null || [ "$tries" -eq 600 ]; do # until a run has begun
    sleep 0.1
    tries=$((tries + 1))
done
kill -INT "$child"
status=0
wait "$child" || status=$?
is 'SIGINT ends a comparison with status 1' "$status" 1
contains '  and a message' "$(cat said)" 'interrupted after 0 of '
is '  and nothing is written' "$(find . -name y.json)" ''
done_testing
