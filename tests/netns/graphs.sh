#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fabrics of namespaces with a shape: the unmodified Linux kernel forwards three tiers and a ZCube; so does mrc switch.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/netns.sh"
file=$SCRATCH/fabric.yaml

shape() # LINE...
{
    printf '%s\n' "$@" >"$file"
}

# Switches whose uSID was the active one of some packet.
shifting() # NAME-OF-SWITCHES
{
    for space in $(ip netns list | cut -d ' ' -f 1 | grep "^$fabric-$1\$"); do
        ip -n "$space" -6 -s route show | grep -q 'seg6local.* packets [1-9]' && echo "$space"
    done | wc -l
}

down()
{
    exits 0 '  it goes down' "$mrc" fabric down -n "$fabric"
    nothing_is_left '  and leaves nothing behind'
}

shape 'shape: clos' 'tiers: 3' 'hosts_per_leaf: 1' 'leaves_per_pod: 2' 'spines_per_pod: 2' 'pods: 2' 'cores: 4'
if $has_next_csid; then
    exits 0 'three tiers come up' "$mrc" fabric up -q --kernel -n "$fabric" "$file"
    writes 'the kernel forwards from pod to pod, byte for byte' 0 3 -s 64K -n 100
    is '  over all cores' "$(shifting 'p0.t2.[0-9]*')" 4
    writes 'and within a pod' 0 1 -s 64K -n 20
    down
    shape 'shape: clos' 'hosts_per_leaf: 1' 'leaves_per_pod: 2' 'spines_per_pod: 1' 'leaf_links: 2'
    exits 0 'parallel links come up' "$mrc" fabric up -q --kernel -n "$fabric" "$file"
    writes 'the kernel forwards over both, byte for byte' 0 1 -s 64K -n 50
    is_more '  also over the second' "$(ip -n "$fabric-p0.t1.0" -s link show d1 | awk '/RX:/ { getline; print $2 }')" 100
    down
    shape 'shape: zcube' 'n: 2' 'k: 2'
    exits 0 'ZCube(2, 2) comes up' "$mrc" fabric up -q --kernel -n "$fabric" "$file"
    writes 'the kernel forwards over minimal paths and detours, byte for byte' 0 3 -s 64K -n 100
    is '  over all switches' "$(shifting 'p0.t[01].[0-9]*')" 4
    writes 'also over links between levels, from a NIC that shares a switch' 1 3 -s 64K -n 20
    exits 0 'up once more changes nothing' "$mrc" fabric up -q --kernel -n "$fabric" "$file"
    echo 'detour: 0' >>"$file"
    exits 1 'a fabric with other paths is another' "$mrc" fabric up -q --kernel -n "$fabric" "$file"
    down
else
    skip 'the kernel forwards' 'no seg6local End with next-csid (Linux 6.1)'
fi

shape 'shape: zcube' 'n: 2' 'k: 2'
exits 0 'mrc switch has a ZCube, too' "$mrc" fabric up -q --slower 100 -n "$fabric" "$file"
writes '  and forwards, byte for byte' 0 3 -s 64K -n 100
exits 0 '  with faults of its switches' "$mrc" fabric fault -n "$fabric" switch p0.t1.0 down
writes '  which paths avoid' 0 3 -s 64K -n 50
down
done_testing
