#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc fabric up, down and list: what they build, what they refuse, and that nothing stays behind, whoever dies.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/netns.sh"
file=$(tiny '')

pid_of_switches()
{
    "$mrc" fabric list -j | awk '$1 == "\"pid\":" { print $2 + 0 }'
}

spaces()
{
    ip netns list | awk '{ print $1 }' | grep "^$fabric-" | sort | tr '\n' ' ' | sed "s/$fabric-//g"
}

whole='h0 h1 h2 h3 mgmt p0.t0.0 p0.t0.1 p0.t1.0 p0.t1.1 p1.t0.0 p1.t0.1 p1.t1.0 p1.t1.1 '

exits 0 'fabric up succeeds' "$mrc" fabric up --netns -n "$fabric" "$file"
contains '  and prints hosts, switches, planes and how frames are forwarded' "$output" "hosts $fabric-h0 to $fabric-h3, 8 switches in 2 planes, forwarding by mrc switch"
is '  with a namespace for each host, each switch and the management network' "$(spaces)" "$whole"
is '  a host has a port in each plane, and one for management' \
    "$(ip -n "$fabric-h3" -br link | awk '{ sub(/@.*/, "", $1); print $1 }' | tr '\n' ' ')" 'lo p0 p1 mgmt '
is '  a T0 has ports down and up' \
    "$(ip -n "$fabric-p1.t0.1" -br link | awk '{ sub(/@.*/, "", $1); print $1 }' | tr '\n' ' ')" 'lo d0 d1 u0 u1 '
contains '  interfaces have an MTU of 9216 bytes' "$(ip -n "$fabric-h0" link show dev p1)" 'mtu 9216'
contains '  a NIC has its address' "$(ip -n "$fabric-h3" -6 addr show dev lo)" '2001:db8:1:1::1/128'
contains '  a host has its IPv4 address' "$(ip -n "$fabric-h3" addr show dev mgmt)" '10.99.0.4/16'
contains '  the configuration of a device has its interfaces and their neighbours' "$(cat "$MRC_RUN_DIR/mrc/mrc3/config")" \
    'raw:p1?peer=06:00:00:05:00:01'
contains '  fabric list has the fabric' "$("$mrc" fabric list)" "$fabric"
contains '  with the state up' "$("$mrc" fabric list)" 'switch   up'

pid=$(pid_of_switches)
exits 0 'a second fabric up changes nothing' "$mrc" fabric up --netns -n "$fabric" "$file"
contains '  and says that the fabric is up' "$output" 'is up already'
is '  and the process of the switches is the same' "$(pid_of_switches)" "$pid"
exits 1 'fabric up refuses another fabric of the same name' "$mrc" fabric up --kernel -n "$fabric" "$file"
contains '  and the message names the command to run first' "$output" "'mrc fabric down -n $fabric' first"

exits 0 'fabric down succeeds' "$mrc" fabric down --netns -n "$fabric" "$file"
nothing_is_left '  and leaves nothing'
exits 0 'a second fabric down does nothing' "$mrc" fabric down -n "$fabric"

"$mrc" fabric up -q -n "$fabric" "$file"
kill -KILL "$(pid_of_switches)"
while "$mrc" fabric list | grep -q 'switch   up'; do :; done
contains 'fabric list shows a fabric whose switches were killed as dead' "$("$mrc" fabric list)" 'DEAD'
exits 1 '  and fabric show fails' "$mrc" fabric show -n "$fabric"
exits 0 'fabric up builds a dead fabric again' "$mrc" fabric up -q -n "$fabric" "$file"
is '  with all namespaces' "$(spaces)" "$whole"
exits 0 '  and fabric show succeeds' "$mrc" fabric show -n "$fabric"
kill -KILL "$(pid_of_switches)"
exits 0 'fabric down succeeds after the switches were killed' "$mrc" fabric down -n "$fabric"
nothing_is_left '  and leaves nothing'

"$mrc" fabric up -q -n "$fabric" "$file"
rm "$MRC_RUN_DIR/mrc/$fabric/state"
exits 0 'fabric stop succeeds for a fabric whose state file is missing' "$mrc" fabric stop -n "$fabric"
while "$mrc" fabric show -n "$fabric" >"$SCRATCH/show" 2>&1; do :; done
exits 0 '  and fabric down finds its namespaces by their names' "$mrc" fabric down -n "$fabric"
nothing_is_left '  and leaves nothing'

"$mrc" fabric up -q -n "$fabric" "$file"
ip netns del "$fabric-p0.t1.1"
exits 0 'fabric up repairs a fabric with a missing namespace' "$mrc" fabric up -q -n "$fabric" "$file"
is '  and all namespaces exist' "$(spaces)" "$whole"
"$mrc" fabric down -n "$fabric"

exits 2 'an invalid name is refused' "$mrc" fabric up -n 'a b' "$file"
exits 2 '--kernel with --paced is refused' "$mrc" fabric up --kernel --paced -n "$fabric" "$file"
exits 2 'a missing file is refused' "$mrc" fabric up -n "$fabric" none.yaml
exits 2 'mrc switch without --netns is refused' "$mrc" switch "$file"
exits 1 'mrc switch without namespaces fails' "$mrc" switch --netns "$fabric" "$file"
contains '  and the message names the command that builds them' "$output" "build them with 'mrc fabric up -n $fabric"
exits 2 'mrc switch refuses an unknown switch' "$mrc" switch --netns "$fabric" --only p0.t0.7 "$file"
if command -v setpriv >/dev/null; then
    exits 1 'fabric up fails for a user who is not root' setpriv --reuid 65534 --clear-groups "$mrc" fabric up -n "$fabric" "$file"
    contains '  and the message names a command that needs no privileges' "$output" "'mrc fabric run' needs no privileges"
fi
nothing_is_left 'refused commands leave nothing'
done_testing
