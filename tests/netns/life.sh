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

exits 0 'a fabric comes up' "$mrc" fabric up --netns -n "$fabric" "$file"
contains '  and says how' "$output" "hosts $fabric-h0 to $fabric-h3, 8 switches in 2 planes, forwarding by mrc switch"
is '  with a namespace for each host, each switch and the management network' "$(spaces)" "$whole"
is '  a host has a port in each plane, and one for management' \
    "$(ip -n "$fabric-h3" -br link | awk '{ sub(/@.*/, "", $1); print $1 }' | tr '\n' ' ')" 'lo p0 p1 mgmt '
is '  a T0 has ports down and up' \
    "$(ip -n "$fabric-p1.t0.1" -br link | awk '{ sub(/@.*/, "", $1); print $1 }' | tr '\n' ' ')" 'lo d0 d1 u0 u1 '
contains '  frames of 9216 bytes fit' "$(ip -n "$fabric-h0" link show dev p1)" 'mtu 9216'
contains '  a NIC has its address' "$(ip -n "$fabric-h3" -6 addr show dev lo)" '2001:db8:1:1::1/128'
contains '  a host has its IPv4 address' "$(ip -n "$fabric-h3" addr show dev mgmt)" '10.99.0.4/16'
contains '  a device names its interfaces and who is at their other end' "$(cat "$MRC_RUN_DIR/mrc/mrc3/config")" \
    'raw:p1?peer=06:00:00:05:00:01'
contains '  and is listed' "$("$mrc" fabric list)" "$fabric"
contains '  as up' "$("$mrc" fabric list)" 'switch   up'

pid=$(pid_of_switches)
exits 0 'up once more changes nothing' "$mrc" fabric up --netns -n "$fabric" "$file"
contains '  and says so' "$output" 'is up already'
is '  the switches are the same process' "$(pid_of_switches)" "$pid"
exits 1 'another fabric of this name is refused' "$mrc" fabric up --kernel -n "$fabric" "$file"
contains '  with what to do' "$output" "'mrc fabric down -n $fabric' first"

exits 0 'it goes down' "$mrc" fabric down --netns -n "$fabric" "$file"
nothing_is_left '  and leaves nothing behind'
exits 0 'down once more does nothing' "$mrc" fabric down -n "$fabric"

"$mrc" fabric up -q -n "$fabric" "$file"
kill -KILL "$(pid_of_switches)"
while "$mrc" fabric list | grep -q 'switch   up'; do :; done
contains 'a fabric whose switches were killed is listed as dead' "$("$mrc" fabric list)" 'DEAD'
exits 1 'and cannot be asked' "$mrc" fabric show -n "$fabric"
exits 0 'up builds it anew' "$mrc" fabric up -q -n "$fabric" "$file"
is '  complete' "$(spaces)" "$whole"
exits 0 '  and answering' "$mrc" fabric show -n "$fabric"
kill -KILL "$(pid_of_switches)"
exits 0 'down works after a crash' "$mrc" fabric down -n "$fabric"
nothing_is_left '  and leaves nothing behind'

"$mrc" fabric up -q -n "$fabric" "$file"
rm "$MRC_RUN_DIR/mrc/$fabric/state"
exits 0 'what was forgotten can be ended by its own command' "$mrc" fabric stop -n "$fabric"
while "$mrc" fabric show -n "$fabric" >"$SCRATCH/show" 2>&1; do :; done
exits 0 '  and is found by its names' "$mrc" fabric down -n "$fabric"
nothing_is_left '  so that nothing is left'

"$mrc" fabric up -q -n "$fabric" "$file"
ip netns del "$fabric-p0.t1.1"
exits 0 'up repairs a fabric from which a namespace was taken' "$mrc" fabric up -q -n "$fabric" "$file"
is '  whole again' "$(spaces)" "$whole"
"$mrc" fabric down -n "$fabric"

exits 2 'a wrong name is refused' "$mrc" fabric up -n 'a b' "$file"
exits 2 'the kernel cannot be paced' "$mrc" fabric up --kernel --paced -n "$fabric" "$file"
exits 2 'a file that is not there is refused' "$mrc" fabric up -n "$fabric" none.yaml
exits 2 'mrc switch wants to know whose switches' "$mrc" switch "$file"
exits 1 'mrc switch without namespaces says what to do' "$mrc" switch --netns "$fabric" "$file"
contains '  in one line' "$output" "build them with 'mrc fabric up -n $fabric"
exits 2 'mrc switch knows its switches' "$mrc" switch --netns "$fabric" --only p0.t0.7 "$file"
if command -v setpriv >/dev/null; then
    exits 1 'who is not root is told' setpriv --reuid 65534 --clear-groups "$mrc" fabric up -n "$fabric" "$file"
    contains '  and what to do instead' "$output" "'mrc fabric run' needs no privileges"
fi
nothing_is_left 'refusals leave nothing behind'
done_testing
