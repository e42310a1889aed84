#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc report: the page it makes of results, and what it says of files that are none.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
result=$ROOT/tests/golden/result_two_planes.json # its title tries to be a script
bare=$ROOT/tests/golden/result_bare.json         # nothing in it that may be missing
page=$SCRATCH/page.html

exits 0 'mrc report writes a page' "$mrc" report -o "$page" "$result"
is '  and prints nothing' "$output" ''
is '  and the mode of the page follows the umask' "$(stat -c %a "$page")" "$(printf '%o' $((0666 & ~0$(umask))))"
contains 'the page is complete' "$(tail -n 1 "$page")" '</html>'
is 'every placeholder of the template is replaced' "$(grep -c '{{[a-zA-Z.]*}}' "$page")" 0
contains 'the page keeps the notice of the chart library' "$(cat "$page")" "$(head -n 1 "$ROOT/third_party/uplot/uPlot.iife.min.js")"
is 'the page has no element that loads a resource' \
    "$(grep -noE '(src|href|action)=["'\'']?[^ >]*|@import|url\([^)]*\)|fetch\(|XMLHttpRequest|import\(' "$page" || true)" ''
contains 'the page forbids the browser to load resources' "$(cat "$page")" "default-src 'none'"
is 'the only URLs are the SVG namespace and the one in the notice' \
    "$(grep -oE 'https?://[^ "'\'')]*' "$page" | sort -u | tr '\n' ' ')" \
    'http://www.w3.org/2000/svg https://github.com/leeoniya/uPlot '
is 'markup in a title is escaped' "$(grep -c "<script>document.title='taken'" "$page")" 0
contains '  and the title still has its text' "$(cat "$page")" "\\u003c/script>\\u003cscript>document.title='taken'"
contains 'a seed keeps all its digits' "$(cat "$page")" '"seed":"9007199254740993"'
is 'each run has its data in an element of its own' "$(grep -c 'class="details"' "$page")" 2

exits 0 'several results become one page' "$mrc" report --output "$page" "$result" "$bare"
is '  that has all of them' "$(grep -c 'class="result"' "$page")" 2
is '  and no other file is written' "$(ls "$SCRATCH")" 'page.html'
is '-o - writes the page to standard output' "$("$mrc" report -o - "$result" "$bare")" "$(cat "$page")"
is '- reads a result from standard input' "$("$mrc" report -o - - <"$bare")" "$("$mrc" report -o - "$bare")"
exits 0 'the default name of the page is report.html' sh -c "cd '$SCRATCH' && '$mrc' report '$bare' && rm report.html"

contains 'the page explains the names of counters' "$(cat "$page")" '"name":"blackhole","kind":"counter"'

# fabricLine() of the page, run outside a browser.
describes() # SENTENCE FABRIC TEXT
{
    if command -v node >/dev/null; then
        is "$1" "$(cat "$ROOT/src/web/report/units.js" "$ROOT/src/web/report/header.js" - <<SCRIPT | node -
console.log(header.fabricLine($2).replace(/\u00a0/g, " "));
SCRIPT
)" "$3"
    else
        skip "$1" 'there is no node'
    fi
}
describes 'the header shows planes for a Clos fabric' '{ nics: 64, planes: 2, t0: 4, t1: 2 }' \
    '64 NICs on 2 planes, 4 T0 and 2 T1 switches a plane'
describes 'the header shows ports instead of planes for a graph' '{ nics: 64, planes: 2, switches: 24 }' '64 NICs with 2 ports, 24 switches'
describes '  and links between switches instead of uplinks' '{ nics: 8, planes: 2, switches: 4, uplink_bps: 1e11 }' \
    '8 NICs with 2 ports, 4 switches, links between switches 100 Gb/s'

# rows() of the table of jobs, run outside a browser.
lists_jobs() # SENTENCE SUMMARY TEXT
{
    if command -v node >/dev/null; then
        is "$1" "$(cat "$ROOT/src/web/report/units.js" "$ROOT/src/web/report/jobs.js" - <<SCRIPT | node -
for (const row of jobs.rows({ summary: $2 }))
    console.log(row.join(" | ").replace(/\u00a0/g, " "));
SCRIPT
)" "$3"
    else
        skip "$1" 'there is no node'
    fi
}
lists_jobs 'jobs that share a fabric have a row each' \
    '{ jobs: { a: { nics: 4, workloads: 2, start_us: 100, completion_us: 2500, bytes: 1048576, goodput_bps: 8e11 } } }' \
    'a | 4 | 2 | 100 µs | 2.5 ms | 1 MiB | 800 Gb/s | 200 Gb/s'
lists_jobs '  also one that was not done at the end' \
    '{ jobs: { b: { nics: 2, workloads: 1, start_us: 0, completion_us: null, bytes: 0, goodput_bps: 0 } } }' \
    'b | 2 | 1 | 0 ns | not done | 0 B | 0 b/s | 0 b/s'
lists_jobs 'a run without jobs has none' '{ }' ''

# Nothing is written, and the message says what is wrong and where.
refuses() # SENTENCE MESSAGE FILE...
{
    sentence=$1
    message=$2
    shift 2
    rm -f "$page"
    exits 2 "$sentence" "$mrc" report -o "$page" "$@"
    is '  and the message has the reason' "$output" "mrc report: $message"
    is '  and no page is written' "$(ls "$page"* 2>/dev/null)" ''
}

bad=$SCRATCH/bad.json
change() # SED-SCRIPT
{
    sed "$1" "$result" >"$bad"
}

refuses 'a missing file is refused' "$SCRATCH/none.json: No such file or directory" "$SCRATCH/none.json"
refuses 'a missing file after a good one is refused' "$SCRATCH/none.json: No such file or directory" "$result" "$SCRATCH/none.json"
echo '{"openmrc_result": 1, "runs": [}' >"$bad"
refuses 'a file that is not JSON is refused' \
    "$bad:1:32: not JSON: unexpected token near '}'; 'mrc sim -o FILE' writes results" "$bad"
refuses 'a folder is refused' "$SCRATCH: Is a directory" "$SCRATCH"
echo '{"name": "something else"}' >"$bad"
refuses 'JSON that is not a result is refused' "$bad: is not a result of mrc sim: openmrc_result is missing" "$bad"
change 's/"openmrc_result": 1/"openmrc_result": 2/'
refuses 'a result of another version is refused' "$bad: openmrc_result is 2; this mrc reads version 1" "$bad"
change 's/"runs"/"walks"/'
refuses 'a result without runs is refused' "$bad: runs is missing" "$bad"
change '0,/"status": "finished"/s//"status": 7/'
refuses 'a member of the wrong type is refused' "$bad: runs[0].status should be text" "$bad"
change '0,/"bad_evs": \[/s//"bad_evs": [0, /'
refuses 'a series of the wrong length is refused' "$bad: runs[0].series.bad_evs has 13 values for 12 samples" "$bad"
change 's/"capacity_fraction": \[null/"capacity_fraction": ["much"/'
refuses 'a share that is neither a number nor null is refused' "$bad: runs[0].series.capacity_fraction[0] should be a number or null" "$bad"
change '0,/"states": \["/s//"states": ["G/'
refuses 'an EV map that does not fit its EVs is refused' \
    "$bad: runs[0].series.ev_map.states[0] has 5 states for 4 EVs" "$bad"
change 's/"kind": "fault_began"/"kind": null/'
refuses 'an event without a kind is refused' "$bad: runs[0].events[0].kind should be text" "$bad"
refuses 'a command line without a result is refused' "name a RESULT; 'mrc sim -o result.json EXPERIMENT.yaml' makes one"
refuses 'an unknown option is refused' "there is no option '--colour'; 'mrc report --help' lists them" --colour

exits 1 'a page in a missing folder is a failure' "$mrc" report -o "$SCRATCH/none/page.html" "$result"
is '  and the message names the page' "$output" "mrc report: $SCRATCH/none/page.html: No such file or directory"
if [ -w /dev/full ]; then
    exits 1 'a full disk is a failure' "$mrc" report -o /dev/full "$result"
    is '  and the message names the file' "$output" 'mrc report: /dev/full: No space left on device'
fi

# What the page becomes in a browser. Its script leaves data-ready, or data-error, on the root element.
. "$ROOT/tests/harness/browser.sh"
shown() # PAGE
{
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
        --disable-background-networking --disable-component-update --disable-sync \
        --user-data-dir="$SCRATCH/browser" --virtual-time-budget=5000 --dump-dom "file://$1" 2>/dev/null
}

root_element()
{
    grep -o '<html [^>]*>'
}

if [ -n "$browser" ]; then
    "$mrc" report -o "$page" "$result"
    shown "$page" >"$SCRATCH/dom"
    contains 'a browser runs the page to its end' "$(root_element <"$SCRATCH/dom")" 'data-ready="2"'
    is '  without an error' "$(root_element <"$SCRATCH/dom" | grep -c data-error)" 0
    is '  and draws its charts' "$(grep -o '<canvas' "$SCRATCH/dom" | wc -l)" 8
    contains '  and shows what a fault cost' "$(cat "$SCRATCH/dom")" '<td>down p1.t1.0 and 1 more</td>'
    contains '  and that the flow has not recovered from it' "$(cat "$SCRATCH/dom")" '<td>not recovered</td>'
    contains '  and what limits the rate, as text without markup' "$(cat "$SCRATCH/dom")" '<li>the link into h0.p1 &lt;b&gt;limits&lt;/b&gt; 3 flows</li>'
    contains '  and the presets of the hardware, with what is assumed' "$(cat "$SCRATCH/dom")" \
        'NIC connectx-8, switch default. Not published but assumed: pcie latency, qp memory.'
    contains '  and its values' "$(cat "$SCRATCH/dom")" '<td>35,000,000&nbsp;B</td>'
    contains '  and the title as text without markup' "$(grep -o '<title>.*</title>' "$SCRATCH/dom")" \
        "Two planes &lt;/script&gt;&lt;script&gt;document.title='taken'"
    "$mrc" report -o "$page" "$bare"
    shown "$page" >"$SCRATCH/dom"
    contains 'a browser runs the page of the smallest valid result' "$(root_element <"$SCRATCH/dom")" 'data-ready="1"'
    is '  without an error' "$(root_element <"$SCRATCH/dom" | grep -c data-error)" 0
    is '  and a run without jobs has no table of them' "$(grep -c '<h2>Jobs</h2>' "$SCRATCH/dom")" 0
    cat >"$SCRATCH/jobs.yaml" <<'YAML'
fabric: { planes: 1, t0s: 2, t1s: 1, hosts_per_t0: 2 }
duration: 1ms
jobs:
  - { name: left, nics: 2, workloads: [ { kind: permutation, message_bytes: 1MiB, iterations: 1 } ] }
  - { name: right, nics: 2, workloads: [ { kind: permutation, message_bytes: 1MiB, iterations: 1 } ] }
YAML
    "$mrc" sim -q -o "$SCRATCH/jobs.json" "$SCRATCH/jobs.yaml"
    "$mrc" report -o "$page" "$SCRATCH/jobs.json"
    shown "$page" >"$SCRATCH/dom"
    contains 'a browser shows the jobs of a run' "$(cat "$SCRATCH/dom")" '<h2>Jobs</h2>'
    contains '  a row each' "$(cat "$SCRATCH/dom")" '<tr><td>right</td><td>2</td><td>1</td>'
else
    skip 'a browser runs the page to its end' "$no_browser"
fi
done_testing
