#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc map --sim, and probes beside the traffic of mrc sim.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
experiment=$ROOT/experiments/map/incast.yaml

exits 0 'the experiment with an incast, random losses and a bad link runs' "$mrc" sim -j "$experiment"
is '  and its verdict is the bad link, and nothing else' \
    "$(printf '%s\n' "$output" | grep -o '"element": *"[^"]*"' | cut -d '"' -f 4 | xargs)" p1.t0.2-t1.3
contains '  with its direction' "$output" 'one direction'
exits 0 'the table has the verdict as a line' "$mrc" sim "$experiment"
contains '  with switch, port and loss' "$output" 'plane 1, t0.2 port 7 -> t1.3, one direction'

exits 0 'mrc map --sim probes the fabric without its traffic' "$mrc" map --sim --periods 600 "$experiment"
contains '  and names the same link' "$output" 'plane 1, t0.2 port 7 -> t1.3, one direction'
first=$output
"$mrc" map --sim --periods 600 "$experiment" >"$SCRATCH/again"
is '  twice the same' "$(cat "$SCRATCH/again")" "$first"
exits 0 'before the fault, nothing is named' "$mrc" map --sim --periods 200 "$experiment"
contains '  although packets are lost' "$output" '0 verdicts'

exits 2 'a period shorter than two round trips is refused' "$mrc" sim --set map.period=1us "$experiment"
contains '  and the message says so' "$output" 'map.period: 1000 ns is less than two round trips'
exits 2 'a round of no period is refused' "$mrc" sim --set map.round=0 "$experiment"
exits 2 'probes of another protocol are refused' "$mrc" sim --protocol roce "$experiment"
contains '  and the message says so' "$output" 'only NICs of MRC send probes'
exits 2 'a fabric file is no experiment' "$mrc" map --sim "$ROOT/experiments/fabric-64.yaml"
exits 2 'two files are refused' "$mrc" map --sim "$experiment" "$experiment"
cd "$ROOT" || exit 1
exits 0 'docs/map.md has the stored figures' tools/localise --check
done_testing
