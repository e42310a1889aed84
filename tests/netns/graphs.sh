#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fabrics of namespaces with a shape: the unmodified Linux kernel forwards three tiers and a ZCube; so does mrc switch.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/netns.sh"
file=$SCRATCH/fabric.yaml

# Ten switches in a row. A path from end to end does not fit an address, and has an SRH.
row()
{
    shape 'shape: links' 'nics: 2' 'links:' '- { from: h0, to: p0.t0.0 }' '- { from: h1, to: p0.t0.9 }' \
        "$(for i in 0 1 2 3 4 5 6 7 8; do echo "- { from: p0.t0.$i, to: p0.t0.$((i + 1)) }"; done)"
}

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
    exits 0 '  fabric down succeeds' "$mrc" fabric down -n "$fabric"
    nothing_is_left '  and leaves nothing'
}

shape 'shape: clos' 'tiers: 3' 'hosts_per_leaf: 1' 'leaves_per_pod: 2' 'spines_per_pod: 2' 'pods: 2' 'cores: 4'
if $has_next_csid; then
    exits 0 'fabric up builds three tiers' "$mrc" fabric up -q --kernel -n "$fabric" "$file"
    writes 'the kernel forwards between pods, and every byte is correct' 0 3 -s 64K -n 100
    is '  over all cores' "$(shifting 'p0.t2.[0-9]*')" 4
    writes 'the kernel forwards within a pod, and every byte is correct' 0 1 -s 64K -n 20
    down
    shape 'shape: clos' 'hosts_per_leaf: 1' 'leaves_per_pod: 2' 'spines_per_pod: 1' 'leaf_links: 2'
    exits 0 'fabric up builds parallel links' "$mrc" fabric up -q --kernel -n "$fabric" "$file"
    writes 'the kernel forwards over parallel links, and every byte is correct' 0 1 -s 64K -n 50
    is_more '  also over the second link' "$(ip -n "$fabric-p0.t1.0" -s link show d1 | awk '/RX:/ { getline; print $2 }')" 100
    down
    row
    exits 0 'fabric up builds ten switches in a row' "$mrc" fabric up -q --kernel -n "$fabric" "$file"
    writes 'the kernel takes the segment of an SRH behind the sixth switch, and every byte is correct' 0 1 -s 64K -n 50
    is '  over all switches' "$(shifting 'p0.t0.[0-9]*')" 10
    down
    shape 'shape: zcube' 'n: 2' 'k: 2'
    exits 0 'fabric up builds ZCube(2, 2)' "$mrc" fabric up -q --kernel -n "$fabric" "$file"
    writes 'the kernel forwards over minimal paths and detours, and every byte is correct' 0 3 -s 64K -n 100
    is '  over all switches' "$(shifting 'p0.t[01].[0-9]*')" 4
    writes 'the kernel forwards over links between levels, from a NIC that shares a switch' 1 3 -s 64K -n 20
    exits 0 'a second fabric up changes nothing' "$mrc" fabric up -q --kernel -n "$fabric" "$file"
    echo 'detour: 0' >>"$file"
    exits 1 'fabric up refuses a fabric that runs with other paths' "$mrc" fabric up -q --kernel -n "$fabric" "$file"
    down
else
    skip 'the kernel forwards' 'no seg6local End with next-csid (Linux 6.1)'
fi

shape 'shape: zcube' 'n: 2' 'k: 2'
exits 0 'fabric up builds a ZCube with mrc switch' "$mrc" fabric up -q --slower 100 -n "$fabric" "$file"
writes '  which forwards, and every byte is correct' 0 3 -s 64K -n 100
exits 0 '  a switch of it can be taken down' "$mrc" fabric fault -n "$fabric" switch p0.t1.0 down
writes '  and data takes other paths' 0 3 -s 64K -n 50
down
row
exits 0 'fabric up builds ten switches in a row with mrc switch' "$mrc" fabric up -q --slower 100 -n "$fabric" "$file"
writes '  which take the segment of an SRH, and every byte is correct' 0 1 -s 64K -n 50
down
done_testing
