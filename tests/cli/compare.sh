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
is 'only PFC reserves buffer' "$(jq -c '[.cases[0].entries[].state.switch_headroom_bytes > 0]' x.json)" '[false,true]'
is 'cost is that of 8 host links and 8 uplinks' "$(jq -c '.cost.parts | [.switch.ends_gbps, .optics.ends_gbps]' x.json)" '[2400,3200]'
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
