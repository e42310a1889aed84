#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# contrib/prometheus and contrib/grafana: promtool accepts every expression, each names metrics that exist, and an element
# has one alert.
. "$(dirname "$0")/../harness/tap.sh"
rules=$ROOT/contrib/prometheus/mrc.rules.yml
board=$ROOT/contrib/grafana/mrc.json

command -v promtool >/dev/null || skip_all 'there is no promtool'
cp "$rules" "$ROOT/contrib/prometheus/prometheus.yml" "$ROOT/tests/cli/rules.test.yml" "$SCRATCH"
exits 0 'promtool accepts the rules' promtool check rules "$rules"
exits 0 'promtool accepts the configuration' promtool check config "$SCRATCH/prometheus.yml"
exits 0 'an element has one alert, and a healthy fabric none' sh -c "cd '$SCRATCH' && promtool test rules rules.test.yml"

# Each expression of the board becomes a rule, with values for its variables.
python3 - "$board" >"$SCRATCH/board.yml" <<'SCRIPT'
import json
import sys

board = json.load(open(sys.argv[1]))
print("groups:\n  - name: board\n    rules:")
for panel in board["panels"]:
    for target in panel["targets"]:
        print("      - { record: board:panel, expr: %s }" % json.dumps(target["expr"].replace("$fabric", ".*")))
SCRIPT
is_more 'the board has panels' "$(grep -c record: "$SCRATCH/board.yml")" 10
awk '/record:/ { sub(/board:panel/, "board:panel" ++n) } { print }' "$SCRATCH/board.yml" >"$SCRATCH/board.rules.yml"
exits 0 'promtool accepts the expressions of the board' promtool check rules "$SCRATCH/board.rules.yml"

python3 - "$rules" "$SCRATCH/board.yml" >"$SCRATCH/used" <<'SCRIPT'
import re
import sys

text = "".join(open(path).read() for path in sys.argv[1:])
print("\n".join(sorted(set(re.findall(r"(?<![:a-z_])mrc_[a-z_]+", text)))))
SCRIPT
. "$ROOT/tests/harness/soft.sh"
begin_fabric 100
"$mrc" perf write --local 2 -D 60 >/dev/null 2>&1 &
others=$!
# shellcheck disable=SC2317 # until_true calls it
has_series() # a running NIC and the fabric have been scraped
{
    "$mrc" stat show -P >"$SCRATCH/metrics" && grep -q '^mrc_evs{' "$SCRATCH/metrics"
}
until_true has_series
sed -n 's/^\(mrc_[a-z_]*\).*/\1/p' "$SCRATCH/metrics" | sort -u >"$SCRATCH/known"
# Refusals have no series before the first one.
is 'every metric that rules and board name exists' "$(comm -23 "$SCRATCH/used" "$SCRATCH/known" | tr '\n' ' ')" 'mrc_switch_refused_packets_total '
done_testing
