#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The page of mrcd: a verdict appears, and a click drains a switch, whose load moves to others.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
. "$(dirname "$0")/../harness/mrcd.sh"

command -v curl >/dev/null || skip_all 'there is no curl'

"$mrcd" init >/dev/null
MRCD_OPTIONS="--min-capacity 50% --map-period off"
begin_controller
site=$(cat "$MRCD_STATE/url")
token=$(cat "$MRCD_STATE/token")
contains 'the controller serves the page' "$(curl -s -m 20 "$site/")" '<title>OpenMRC fabric</title>'
contains '  and, without the fabric, its layout from the plan' "$(curl -s -m 20 "$site/dashboard/layout")" '["p0.t0.0-t1.0",4,6,0]'
contains '  and that nothing but draining is possible' "$(curl -s -m 20 "$site/dashboard/layout")" '"can":["drain"]'
curl -s -m 20 "$site/dashboard/layout" >"$SCRATCH/planned"

is 'mrc ctl page prints its address' "$("$mrc" ctl page)" "$site/#token=$token"

begin_fabric 100
contains 'with the fabric, faults can be injected, too' "$(curl -s -m 20 "$site/dashboard/layout")" '"can":["fault","drain"]'
# The same links under the same numbers.
links_of() # FILE
{
    sed 's/.*"links":\(\[\[[^}]*\]\]\).*/\1/' "$1"
}
curl -s -m 20 "$site/dashboard/layout" >"$SCRATCH/running"
is '  and the links have the same numbers' "$(links_of "$SCRATCH/running")" "$(links_of "$SCRATCH/planned")"

"$mrc" perf allreduce --devices mrc0,mrc2,mrc1,mrc3 -b 256K -e 256K -D 300 >/dev/null 2>&1 &
others="$others $!"
is 'a verdict is posted' "$(ask POST /v1/verdicts '{"element": "p2.t0.0-t1.1", "text": "plane 2, p2.t0.0-t1.1: 2 % loss", "confidence_ppm": 990000}' "Authorization: Bearer $token")" 200
contains '  and the sample has it' "$(curl -s -m 20 "$site/dashboard/sample")" '"where":"p2.t0.0-t1.1"'
if command -v promtool >/dev/null; then
    exits 0 'promtool accepts the metrics' sh -c "curl -s -m 20 '$site/metrics' | promtool check metrics"
else
    skip 'promtool accepts the metrics' 'there is no promtool'
fi
contains 'the metrics have those of the controller' "$(curl -s -m 20 "$site/metrics")" 'mrc_controller_drained{'
contains '  and refused requests by reason' "$(curl -s -m 20 "$site/metrics")" 'mrc_http_refused_total{server="operators",reason="token_wrong"} 0'

. "$ROOT/tests/harness/browser.sh"
if [ -n "$browser" ]; then
    python3 "$ROOT/tests/harness/dashboard.py" controller "$("$mrc" ctl page)" ${DASHBOARD_PICTURES:+"$DASHBOARD_PICTURES"} >"$SCRATCH/browser" 2>&1 ||
        echo 'not ok - the browser works to the end' >>"$SCRATCH/browser"
    take_lines <"$SCRATCH/browser"
else
    skip 'a click drains a switch' "$no_browser"
fi
done_testing
