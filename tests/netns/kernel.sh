#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A fabric of namespaces whose switches are the unmodified Linux kernel: our addresses are real SRv6.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/netns.sh"
needs_next_csid
file=$(tiny '')
t1s='p0.t1.0 p0.t1.1 p1.t1.0 p1.t1.1'

# Packets whose active uSID was that of this switch.
shifted_by() # SWITCH
{
    ip -n "$fabric-$1" -6 -s route show | awk '/seg6local/ { for (i = 1; i < NF; i++) if ($i == "packets") print $(i + 1) }'
}

frames_so_far()
{
    for t1 in $t1s; do shifted_by "$t1"; done | awk '{ sum += $1 } END { print sum + 0 }'
}

# Of the outermost headers.
hop_limits() # CAPTURE SOURCE
{
    tshark -r "$1" -Y "ipv6.src == $2" -T fields -E occurrence=f -e ipv6.hlim 2>/dev/null | sort -u | tr '\n' ' '
}

turn() # up|down SWITCH...
{
    to=$1
    shift
    for switch in "$@"; do
        for interface in $(ip -n "$fabric-$switch" -br link | awk '{ sub(/@.*/, "", $1); print $1 }' | grep '^[du]'); do
            ip -n "$fabric-$switch" link set dev "$interface" "$to"
        done
    done
}

# Until it has forwarded so many packets more, as long as somebody writes.
let_cross() # SWITCH COUNT
{
    goal=$(($(shifted_by "$1") + $2))
    while [ "$(shifted_by "$1")" -lt "$goal" ] && kill -0 "$client" 2>/dev/null; do
        :
    done
}

# In the middle of writes of random sizes these switches go down and come back.
survives() # SENTENCE SWITCH...
{
    sentence=$1
    shift
    keep_writing 0 3 -s 256K --random -q 2 -n 400
    let_frames_cross 1000
    turn down "$@"
    let_frames_cross 2000
    before=$(shifted_by p0.t1.0)
    let_writes_end 1
    is "$sentence, and writes complete" "$(shifted_by p0.t1.0)" "$before"
    exits 0 '  fabric up repairs it' "$mrc" fabric up -q --kernel -n "$fabric" "$file"
    before=$(shifted_by p0.t1.0)
    let_cross p0.t1.0 500
    is_more '  and it carries data again' "$(shifted_by p0.t1.0)" "$((before + 499))"
    stop_writing '  no byte is wrong, and no QP fails'
}

exits 0 'fabric up succeeds' "$mrc" fabric up --kernel -n "$fabric" "$file"
contains '  and prints that the kernel forwards' "$output" 'forwarding by the kernel'
contains 'a T0 has a route for its own uSID' "$(ip -n "$fabric-p1.t0.1" -6 route)" \
    'fc00:42:2401::/48  encap seg6local action End flavors next-csid lblen 32 nflen 16 dev sid'
contains '  and for each T1' "$(ip -n "$fabric-p1.t0.1" -6 route)" 'fc00:42:2801::/48 via fe80::1 dev u1'
contains '  and for each host' "$(ip -n "$fabric-p1.t0.1" -6 route)" 'fc00:42:2c00::/48 via fe80::1 dev d0'
exits 0 'a second fabric up changes nothing' "$mrc" fabric up -q --kernel -n "$fabric" "$file"

captures=$SCRATCH
writes 'data crosses the T1s, and every byte is correct' 0 3 -s 64K -n 100
captures=
for t1 in $t1s; do
    is_more "  also over $t1" "$(shifted_by "$t1")" 0
done
if command -v tshark >/dev/null; then
    is 'packets leave with a hop limit of 64' "$(hop_limits "$SCRATCH/h0" 2001:db8::1)" '64 '
    is '  and arrive with 61, after three hops' "$(hop_limits "$SCRATCH/h3" 2001:db8::1)" '61 '
fi
writes 'data crosses a single T0' 0 1 -s 64K -n 50

survives 'a T1 whose interfaces are down carries nothing' p0.t1.0
survives 'a T1 of a plane whose interfaces are down carries nothing' p0.t1.0 p0.t1.1 p0.t0.0 p0.t0.1

exits 0 'fabric down succeeds' "$mrc" fabric down -n "$fabric"
nothing_is_left '  and leaves nothing'
done_testing
