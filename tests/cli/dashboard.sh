#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc fabric run --web and mrc report --dashboard: what they serve and write, and the page in a browser. With
# DASHBOARD_PICTURES=FOLDER, the browser also leaves pictures of the page.
. "$(dirname "$0")/../harness/tap.sh"
. "$ROOT/tests/harness/soft.sh"
pictures=${DASHBOARD_PICTURES:-}

exits 2 'a port that is not a number is refused' "$mrc" fabric run --web eighty "$SCRATCH/four.yaml"
contains '  and the message has the form' "$output" 'eighty: the form is 8080, 127.0.0.1:8080 or [::1]:8080'
exits 1 'an address that is not loopback is refused' "$mrc" fabric run --web 0.0.0.0:0 "$SCRATCH/four.yaml"
contains '  and the message says why' "$output" 'on loopback only'

# Slow links, so that a busy machine keeps up with them.
"$mrc" fabric run -q --slower 100 --web 0 "$SCRATCH/four.yaml" >"$SCRATCH/address" &
fabric=$!
until_true grep -q '^page: ' "$SCRATCH/address"
url=$(sed -n 's/^page: //p' "$SCRATCH/address")
site=${url%/#*}
token=${url#*token=}

get() # PATH
{
    curl -s -m 20 "$site$1"
}

post() # TOKEN BODY
{
    curl -s -m 20 -o "$SCRATCH/answer" -w '%{http_code}' -H "Authorization: Bearer $1" -d "$2" "$site/dashboard/wish"
}

if ! command -v curl >/dev/null; then
    skip 'the server answers' 'there is no curl'
    done_testing
fi
contains 'the server has the page' "$(get /)" '<title>OpenMRC fabric</title>'
contains '  which may load nothing from elsewhere' "$(get /)" "default-src 'none'"
contains 'the layout has the links' "$(get /dashboard/layout)" '["p0.t0.0-t1.0",4,6,0]'
contains 'a sample has planes' "$(get /dashboard/sample)" '"planes":[{"bps":'
is 'a fault without the token is refused' "$(post wrong '{"fault":["link","h0.p0","down"]}')" 403
is 'a fault with the token is injected' "$(post "$token" '{"fault":["link","h0.p0","down"]}')" 200
contains '  and the fabric has it' "$("$mrc" fabric show)" 'fault 1: h0.p0 down'
is 'an unknown link is refused' "$(post "$token" '{"fault":["link","h9.p0","down"]}')" 409
contains '  with the reason of the fabric' "$(cat "$SCRATCH/answer")" 'h9'
is 'a body that is not JSON is refused' "$(post "$token" 'down')" 400
is 'a wish that a soft fabric does not know is refused' "$(post "$token" '{"drain":"p0.t1.0"}')" 409
is 'all faults are ended' "$(post "$token" '{"clear":true}')" 200
is 'a device name cannot leave its folder' "$(get '/dashboard/evs?device=..&qpn=1')" \
    '{"error": "name a device and a QP: ?device=mrc0&qpn=17"}'
contains 'the stream begins with the log and goes on with samples' \
    "$(curl -s -N -m 2 "$site/dashboard/stream" | sed -n 's/^event: //p' | sort -u | tr '\n' ' ')" 'log sample '
contains 'metrics are served' "$(get /metrics)" 'mrc_link_up{fabric="fabric",from="h0",link="h0.p0",plane="0"} 1'
if command -v promtool >/dev/null; then
    exits 0 'promtool accepts them' sh -c "curl -s -m 20 '$site/metrics' | promtool check metrics"
else
    skip 'promtool accepts them' 'there is no promtool'
fi
exits 1 'a port that is in use is refused' "$mrc" fabric run -n other --web "${site##*:}" "$SCRATCH/four.yaml"
contains '  and the message says so' "$output" 'another program uses this port'

"$mrc" fabric web >"$SCRATCH/second" &
others=$!
until_true grep -q '^page: ' "$SCRATCH/second"
contains 'mrc fabric web serves the page of a fabric that runs already' \
    "$(curl -s -m 20 "$(sed -n 's|^page: \(.*\)/#.*|\1|p' "$SCRATCH/second")/dashboard/layout")" '"name":"fabric"'
kill "$others"
status=0
wait "$others" || status=$?
others=
is '  until it is interrupted' "$status" 0
exits 1 'a fabric that does not run has no page' "$mrc" fabric web -n none
contains '  and the message says so' "$output" "no fabric called 'none' is running"

. "$ROOT/tests/harness/browser.sh"
if [ -n "$browser" ] && command -v python3 >/dev/null; then
    "$mrc" perf allreduce --devices mrc0,mrc2,mrc1,mrc3 -b 256K -e 256K -D 300 >/dev/null 2>&1 &
    others=$!
    python3 "$ROOT/tests/harness/dashboard.py" live "$url" ${pictures:+"$pictures"} >"$SCRATCH/browser" 2>&1 ||
        echo 'not ok - the browser works to the end' >>"$SCRATCH/browser"
    take_lines <"$SCRATCH/browser"
    kill "$others"
    wait "$others" 2>/dev/null
    others=
else
    skip 'the page shows samples of a running fabric' "$no_browser"
fi

page=$SCRATCH/playback.html
result=$ROOT/tests/golden/result_two_planes.json
exits 0 'mrc report --dashboard writes a page' "$mrc" report --dashboard -o "$page" "$result"
is 'every placeholder of the template is replaced' "$(grep -c '{{[a-zA-Z_.]*}}' "$page")" 0
if [ -n "$browser" ] && command -v python3 >/dev/null; then
    python3 "$ROOT/tests/harness/dashboard.py" playback "file://$page" 0,500,999 ${pictures:+"$pictures"} >"$SCRATCH/browser" 2>&1 ||
        echo 'not ok - the browser works to the end' >>"$SCRATCH/browser"
    take_lines <"$SCRATCH/browser"
    is 'the slider shows the faults of its time' "$(sed -n 's/^at .*: faults \([0-9]*\), .*/\1/p' "$SCRATCH/browser" | sort -un | wc -l)" 2
else
    skip 'the page plays back results' "$no_browser"
fi
end_fabric

# The page at the end of make demo.
BUILD=$BUILD "$ROOT/tools/demo-page" >"$SCRATCH/demo" 2>&1 &
others=$!
until_true grep -q '#token=' "$SCRATCH/demo"
contains 'the demo serves a page' "$(curl -s -m 20 "$(sed -n 's|^    \(.*\)/#.*|\1|p' "$SCRATCH/demo")/dashboard/layout")" '"name":"demo"'
kill "$others"
status=0
wait "$others" || status=$?
others=
is '  and ends when it is told to' "$status" 0
done_testing
