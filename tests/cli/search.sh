#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc search: the front, the searches it is compared with, a search that is killed and continues, what is refused.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
cd "$SCRATCH" || exit 1

cat >s.yaml <<'EOT'
name: small
title: "a </script> in a title"
gpus: 9
nic: 400 Gb/s
points: 6
seeds: 1
check_seeds: 2
topologies:
  - { shape: clos, planes: [2, 1], tiers: 2, oversubscription: [1, 2] }
  - { shape: zcube, k: [2, 3] }
parameters:
  ev_active: [2, 4]
  send_burst: [1]
  fabric.buffers.red_min: [10 kB, 50 kB]
objectives:
  - { name: goodput, figure: goodput_fraction, goal: most, tolerance: 1 %, cases: [quiet] }
  - { name: time_lost, figure: stood_us, tolerance: 5 % }
  - { name: cost, figure: cost_usd, tolerance: 1 % }
experiment:
  duration: 60 us
  sample: 5 us
  capacity: false
  workloads: [ { name: pairs, kind: permutation, shift: 4, message_bytes: 64 KiB, outstanding: 2 } ]
  sweep:
    - label: quiet
    - { label: cut, faults: [ { kind: down, where: p0.t0.0-t1.0, at: 30 us, for: 10 us } ] }
EOT

exits 0 '--list prints what can be chosen' "$mrc" search --list s.yaml
contains '  with the usual topology first' "$(printf '%s\n' "$output" | sed -n 2p)" 'clos 2 tiers 2 x 200G 1:1'
contains '  and the reason why one is not possible' "$output" 'zcube k=3 '
contains '  and the number of points' "$output" ' points'
topologies=$("$mrc" search --list -j s.yaml | jq '.topologies | length')
is '  as JSON, too' "$("$mrc" search --list -j s.yaml | jq '.points')" "$((topologies * 3 * 2 * 3))"
is '  and runs nothing' "$(ls)" 's.yaml'

exits 0 'a search is made' "$mrc" search s.yaml -o a --csv a.csv --report a.html
printf '%s\n' "$output" >a.txt
contains '  with the front' "$output" 'front: topologies and parameters together'
contains '  and the fronts of separate searches' "$output" 'parameters alone, on the usual topology'
contains '  and says what the check changed' "$output" ' are on the front with the check seeds, too.'
ask() # FILTER
{
    jq -c "$1" a/search.json
}
is '  all topologies are tried, and as many points as --points says' \
    "$(ask '[.method.has_all_topologies, .method.tried.topologies, .method.tried.parameters <= 6, .method.tried.both <= 6]')" "[true,$topologies,true,true]"
is '  the usual point is the first, and was checked' "$(ask '.points[0] | [.origin, .settings, .checked != null]')" '["usual",{},true]'
is '  no point is twice in it' "$(ask '[.points[] | [.topology, .settings]] | length == (unique | length)')" true
is '  every point of the front was checked' "$(ask '[.points[] | select(.on_front) | .checked != null] | all and (length > 0)')" true
# shellcheck disable=SC2016 # the variables are those of jq
is '  no point of the front dominates another' "$(ask '
    [.objectives[] | {name, step, sign: (if .goal == "most" then -1 else 1 end)}] as $all
    | [.points[] | select(.on_front) | .checked as $c | [$all[] | (.sign * $c[.name].mean / .step + 0.5 | floor)]] as $front
    | [range($front | length) as $i | range($front | length) as $k | select($i != $k)
        | [range($all | length) | $front[$i][.] <= $front[$k][.]] | all] | any | not')" true
is '  a point beyond the separate searches is on the front and differs in both' \
    "$(ask '[.points[] | select(.is_beyond_alone) | .on_front and .topology > 0 and (.settings | length) > 0] | all')" true
is '  the counts of the answer are those of the points' \
    "$(ask '[(.answer.front == ([.points[] | select(.on_front)] | length)), (.answer.beyond_alone == ([.points[] | select(.is_beyond_alone)] | length))]')" '[true,true]'
# shellcheck disable=SC2016 # the variables are those of jq
is '  cost is that of the topology, for a GPU' \
    "$(ask '. as $d | [.points[] | (.chosen.cost - ($d.space.topologies[.topology].usd | (.least + .most) / 2 / 9)) | fabs < 0.01] | all')" true
is '  and that of mrc plan' "$(ask '.space.topologies[] | select(.shape == "zcube") | [.switches, .links]')" '[6,27]'
is '  the figures of a point are those of mrc sim with its inputs' \
    "$(for file in a/runs/*.json; do
        jq .experiment.inputs "$file" >run.yaml
        [ "$(jq -c '.runs[0].summary.goodput_bps' "$file")" = "$("$mrc" sim run.yaml -j | jq -c '.runs[0].summary.goodput_bps')" ] || echo differs
        [ "$((count = ${count:-0} + 1))" -lt 4 ] || break
    done)" ''
is 'the CSV file has a line for each point' "$(wc -l <a.csv)" "$(ask '1 + (.points | length)')"
is '  all of one length' "$(python3 -c 'import csv; print(len({len(line) for line in csv.reader(open("a.csv"))}))')" 1
is '  and the folder has the same' "$(cmp a.csv a/points.csv && cmp a.html a/search.html && echo same)" same

contains 'the page is complete' "$(tail -n 1 a.html)" '</html>'
is '  every placeholder is replaced' "$(grep -c '{{[a-zA-Z.]*}}' a.html)" 0
is '  it loads nothing' "$(grep -noE '(src|href|action)=["'\'']?[^ >]*|@import|url\([^)]*\)|fetch\(|XMLHttpRequest|import\(' a.html || true)" ''
contains '  markup in a title is escaped' "$(cat a.html)" 'a \u003c/script> in a title'
. "$ROOT/tests/harness/browser.sh"
if [ -n "$browser" ]; then
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
        --disable-component-update --disable-sync --user-data-dir="$SCRATCH/browser" --virtual-time-budget=5000 \
        --dump-dom "file://$SCRATCH/a.html" >dom 2>/dev/null
    contains '  a browser runs it to its end' "$(grep -o '<html [^>]*>' dom)" "data-ready=\"$(ask '.points | length')\""
    is '  without an error' "$(grep -o '<html [^>]*>' dom | grep -c data-error)" 0
    is '  and draws every point that has both figures' "$(grep -oE 'class="point( [a-z -]*)?"' dom | wc -l)" "$(ask '[.points[] | select(.chosen.goodput)] | length')"
else
    skip '  a browser runs it to its end' "$no_browser"
fi

"$mrc" search s.yaml --jobs 1 -j >one.json
is 'the same with one job and without a folder' "$(jq -S . one.json | cksum)" "$(jq -S . a/search.json | cksum)"
touch -d 2001-01-01 a/runs/*.json
exits 0 'the same search again' "$mrc" search s.yaml -o a
is '  makes no run' "$(find a/runs -newermt 2002-01-01 -name '*.json')" ''
is '  and prints the same' "$output" "$(cat a.txt)"
cp a/search.json a.json
exits 0 'a search whose space is small' "$mrc" search s.yaml -o a -j --points 1000
is '  tries all of it' "$(printf '%s\n' "$output" | jq -c '[.method.has_all, .space.points == (.points | length)]')" '[true,true]'

# Killed in the middle: it continues.
"$mrc" search s.yaml -o b --jobs 1 -q &
child=$!
tries=0
until [ "$(find b/runs -name '*.json' 2>/dev/null | wc -l)" -gt 4 ] || [ "$tries" -eq 600 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -KILL "$child"
wait "$child" 2>/dev/null
is 'a search that was killed has no result' "$(find b -name search.json)" ''
exits 0 '  the same command continues' "$mrc" search s.yaml -o b -q
is '  and has the result of one that was not killed' "$(cmp b/search.json a.json && echo same)" same

"$mrc" search s.yaml -o c --set duration=3600s --set sample=100ms >said 2>&1 &
child=$!
tries=0
until pgrep -P "$child" >/dev/null || [ "$tries" -eq 600 ]; do # until a run has begun
    sleep 0.1
    tries=$((tries + 1))
done
exits 1 'a folder in use is refused' "$mrc" search s.yaml -o c
contains '  with the reason' "$output" 'another mrc search writes to this folder'
kill -INT "$child"
status=0
wait "$child" || status=$?
is 'SIGINT ends a search with status 1' "$status" 1
contains '  and a message' "$(cat said)" 'interrupted after 0 runs; the same command continues'

# A run that is killed must not make its point a bad one.
"$mrc" search s.yaml -o d --jobs 1 --set duration=3600s --set sample=100ms >said 2>&1 &
child=$!
tries=0
until pgrep -P "$child" >/dev/null || [ "$tries" -eq 600 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -KILL "$(pgrep -P "$child")"
status=0
wait "$child" || status=$?
is 'a run that is killed ends the search with status 1' "$status" 1
contains '  and a message' "$(cat said)" 'a run has no result; the same command tries it again'
is '  and is not kept' "$(find d/runs -name '*.json')" ''

refuses() # MESSAGE ARGUMENT...
{
    message=$1
    shift
    exits 2 "refused: $*" "$mrc" search "$@"
    is '  with the reason' "$output" "mrc search: $message"
}
variant() # SED-SCRIPT: s.yaml changed, as x.yaml
{
    sed "$1" s.yaml >x.yaml
}
variant 's/^points: 6/point: 6/'
refuses "x.yaml:5:1: point: there is no such key here; did you mean 'points'?" x.yaml
variant 's/ev_active: \[2, 4\]/ev_activ: [2, 4]/'
exits 2 'an unknown parameter is refused' "$mrc" search x.yaml
contains '  with its line' "$output" 'x.yaml:12:14: parameters.ev_activ: '
variant 's/send_burst: \[1\]/send_burst: [0]/'
exits 2 'a value out of range is refused' "$mrc" search x.yaml
contains '  with its line' "$output" 'x.yaml:13:16: parameters.send_burst: '
variant 's/send_burst: \[1\]/send_burst: 1/'
refuses 'x.yaml:13:15: parameters.send_burst: give a list of 1 to 15 values other than the usual one' x.yaml
variant 's/cases: \[quiet\]/cases: [calm]/'
refuses 'x.yaml:16:84: objectives.0.cases.0: the experiment has no such case; name a label of its sweep' x.yaml
variant 's/figure: stood_us/figure: stood/'
exits 2 'an unknown figure is refused' "$mrc" search x.yaml
contains '  with its line' "$output" 'x.yaml:17:32: objectives.1.figure: '
variant 's/, faults: .*/ }/'
exits 2 'recovery without faults is refused' "$mrc" search x.yaml
contains '  with what to do' "$output" "the objective 'time_lost' needs a case with faults; add faults, or remove it"
variant 's/planes: \[2, 1\]/planes: [3]/; /zcube/d'
exits 2 'topologies that cannot be built are refused' "$mrc" search x.yaml
contains '  with the first reason' "$output" 'none of them can be built; clos 2 tiers 3 x 133.333G 1:1: a NIC of 400 Gb/s cannot be divided into 3 equal ports'
variant 's/shape: zcube, k/shape: zcube, planes/'
refuses 'x.yaml:10:21: topologies.1.planes: a zcube does not have it; give k' x.yaml
variant 's/oversubscription: \[1, 2\]/oversubscription: [1, 0.5]/'
refuses 'x.yaml:9:68: topologies.0.oversubscription.1: give up to 16 numbers from 1 to 64' x.yaml
exits 2 'an experiment that names its own fabric is refused' "$mrc" search s.yaml --set fabric.planes=2
contains '  with the reason' "$output" 'the topologies give it; remove it'
refuses "--nic: write a rate such as 400Gb/s, 100G or 1.5Tb/s, not 'fast'" --nic fast s.yaml
refuses "name one search file; unexpected argument 't.yaml'" s.yaml t.yaml
refuses 'none.yaml: No such file or directory' none.yaml
exits 1 'a file that cannot be written is found before the runs' "$mrc" search s.yaml --report none/x.html --set duration=3600s --set sample=100ms
contains '  with the reason' "$output" 'none/x.html: No such file or directory'
done_testing
