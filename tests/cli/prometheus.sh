#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prometheus itself scrapes a soft fabric with traffic every second, with the rules of contrib/prometheus.
. "$(dirname "$0")/../harness/tap.sh"
. "$ROOT/tests/harness/soft.sh"

command -v prometheus >/dev/null || skip_all 'there is no prometheus'
command -v curl >/dev/null || skip_all 'there is no curl'

"$mrc" fabric run -q --slower 100 --web 0 "$SCRATCH/four.yaml" >"$SCRATCH/address" &
fabric=$!
until_true grep -q '^page: ' "$SCRATCH/address"
target=$(sed -n 's|^page: http://\(.*\)/#.*|\1|p' "$SCRATCH/address")
"$mrc" perf allreduce --devices mrc0,mrc2,mrc1,mrc3 -b 256K -e 256K -D 120 >/dev/null 2>&1 &
others=$!

# A free port: one that the kernel has just given away.
port=$(python3 -c 'import socket
s = socket.socket()
s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
cp "$ROOT/contrib/prometheus/mrc.rules.yml" "$SCRATCH"
cat >"$SCRATCH/prometheus.yml" <<END
global: { scrape_interval: 1s, scrape_timeout: 1s, evaluation_interval: 1s }
rule_files: [mrc.rules.yml]
scrape_configs: [{ job_name: mrc, static_configs: [{ targets: ['$target'] }] }]
END
prometheus --config.file="$SCRATCH/prometheus.yml" --storage.tsdb.path="$SCRATCH/data" --web.listen-address="127.0.0.1:$port" \
    >"$SCRATCH/log" 2>&1 &
others="$others $!"

# Prints the values of a query, one a line.
ask() # QUERY
{
    curl -s -m 10 -G --data-urlencode "query=$1" "http://127.0.0.1:$port/api/v1/query" | python3 -c 'import json, sys
for row in json.load(sys.stdin)["data"]["result"]:
    print(row["value"][1])'
}

# shellcheck disable=SC2317 # until_true calls it
is_now() # QUERY VALUE
{
    [ "$(ask "$1" 2>/dev/null)" = "$2" ]
}

until_true is_now 'up{job="mrc"}' 1
is 'Prometheus scrapes the fabric' "$(ask 'up{job="mrc"}')" 1
until_true is_now 'count_over_time(up{job="mrc"}[1m]) >= bool 10' 1
is '  ten times and more' "$(ask 'count_over_time(up{job="mrc"}[1m]) >= bool 10')" 1
is_more '  with all samples' "$(ask 'scrape_samples_scraped{job="mrc"}')" 1000
until_true is_now 'count(mrc_device_qps > 0)' 4
is 'and has all links, both directions of each' "$(ask 'count(mrc_link_up == 1)')" 64
is '  and the NICs' "$(ask 'count(mrc_device_qps > 0)')" 4
until_true is_now 'sum(increase(mrc_placed_bytes_total[20s])) > bool 1000' 1
is_more '  and counters that grow' "$(ask 'sum(increase(mrc_placed_bytes_total[20s]))' | cut -d . -f 1)" 1000
is '  and the recorded load of each plane' "$(ask 'count(fabric_plane:mrc_link_bytes:rate1m > 0)')" 4
is 'a healthy fabric has no alert about links' "$(ask 'ALERTS{alertname=~"MrcLink.*"}')" ''

"$mrc" fabric fault link p1.t0.0-t1.1 down
until_true is_now 'count(ALERTS{alertname="MrcLinkDown"})' 1
is 'a link that goes down makes one alert' "$(ask 'count(ALERTS{alertname="MrcLinkDown",link="p1.t0.0-t1.1"})')" 1
contains 'Prometheus logs no problem with the text' "$(grep -c 'level=\(warn\|error\)' "$SCRATCH/log")" 0
done_testing
