#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc map over a soft fabric: bad links and switches are named, beside traffic and without it.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"

cat >"$SCRATCH/lab.yaml" <<END
planes: 2
t0s: 3
t1s: 3
hosts_per_t0: 3
host_link: { rate: 100Gb/s, delay: 500ns }
uplink: { rate: 100Gb/s, delay: 500ns }
END
"$mrc" fabric run -q "$SCRATCH/lab.yaml" &
fabric=$!
until_true "$mrc" fabric show

# The periods are as short as the machine allows: nothing depends on their length.
# shellcheck disable=SC2317 # `exits` calls it
map() # PERIODS
{
    timeout 120 "$mrc" map --period 1 --periods "$1" -j "$SCRATCH/lab.yaml"
}

elements()
{
    printf '%s\n' "$output" | sed -n 's/.*"element": "\([^"]*\)".*/\1/p' | xargs
}

finds() # ELEMENT DIRECTION PERIODS FAULT...
{
    element=$1
    direction=$2
    periods=$3
    shift 3
    "$mrc" fabric fault "$@" >/dev/null
    exits 0 "mrc map runs with the fault $*" map "$periods"
    is '  and names the part at fault, and nothing else' "$(elements)" "$element"
    [ -z "$direction" ] || contains '  with its direction' "$output" "\"direction\": \"$direction\""
    "$mrc" fabric fault clear >/dev/null
}

exits 0 'mrc map runs on a healthy fabric' map 50
is '  and names nothing' "$(elements)" ''
finds p1.t0.1-t1.2 up 50 link p1.t0.1-t1.2 blackhole direction up
finds p0.t0.2-t1.0 down 100 link p0.t0.2-t1.0 loss 30% direction down
finds h4.p1 both 50 port h4.p1 down
finds p0.t1.1 '' 60 switch p0.t1.1 down
finds p1.t0.0 '' 60 switch p1.t0.0 blackhole
finds h8 '' 50 nic h8 down

# A program that opens a device gets it from mrc map, which borrowed it.
timeout 60 "$mrc" map --periods 100000 "$SCRATCH/lab.yaml" >/dev/null 2>&1 &
mapper=$!
others="$others $mapper"
until_true "$mrc" dev show mrc8
exits 0 'a program opens devices that mrc map has open' "$mrc" perf write --devices mrc0,mrc4 -n 10
kill "$mapper"
wait "$mapper"

# The process that has a device open sends its probes.
"$mrc" perf write --devices mrc0,mrc4 -D 60 --events >/dev/null 2>&1 &
others="$others $!"
until_true has_sent mrc0 100
finds p1.t0.0-t1.1 both 100 link p1.t0.0-t1.1 loss 50%

exits 2 'mrc map without a file is refused' "$mrc" map
exits 2 'a file that is an experiment is refused' "$mrc" map "$ROOT/experiments/map/incast.yaml"
contains '  and the message says so' "$output" 'this file is an experiment'
exits 1 'a fabric that does not run is an error' "$mrc" map -n other "$SCRATCH/lab.yaml"
contains '  and the message names it' "$output" "fabric 'other'"
end_fabric
done_testing
