#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Real programs over soft fabrics of every shape: all NICs exchange data with all others, and every byte is checked.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
file=$SCRATCH/fabric.yaml

begin() # LINE...: a fabric of this shape
{
    end_fabric
    printf '%s\n' "$@" >"$file"
    "$mrc" fabric run -q --slower 20 "$file" &
    fabric=$!
    until_true "$mrc" fabric show
}

exchange() # SENTENCE RANKS [OPTION...]
{
    sentence=$1
    ranks=$2
    shift 2
    exits 0 "$sentence" timeout 60 "$mrc" perf alltoall --local "$ranks" -b 256K -e 256K -n 2 -w 0 -c "$@"
    contains '  and every byte is correct' "$output" 'Out of bounds values : 0 OK'
}

# Ports of switches that have carried frames.
used() # NAME-OF-A-SWITCH
{
    "$mrc" fabric show | grep -c "^$1 "
}

dropped() # at any switch, because a frame had no way
{
    "$mrc" fabric show | grep -c '^drops at'
}

begin 'shape: clos' 'tiers: 3' 'hosts_per_leaf: 2' 'leaves_per_pod: 2' 'spines_per_pod: 2' 'pods: 4' 'cores: 4'
exchange 'a fat tree of three tiers carries 16 NICs' 16
is '  over all links of all cores' "$(used 'p0.t2.*')" 16
is '  and the fabric drops no frame' "$(dropped)" 0

begin 'shape: zcube' 'n: 4' 'k: 2'
exchange 'ZCube(4, 2) carries 16 NICs' 16
is '  and the fabric drops no frame' "$(dropped)" 0
inject_faults 0.2 2>"$SCRATCH/refused" <<END &
link p0.t0.1-t1.0 loss 20%
switch p0.t1.2 reboot for 400ms
link p0.t0.3-t1.1 down
END
exits 0 '  data also arrives while a switch reboots, a link loses packets and another is down' \
    timeout 60 "$mrc" perf write --devices mrc6,mrc12 -D 2 --random -b -q 2 -c
contains '  and every byte is correct' "$output" 'Out of bounds values : 0 OK'
wait $!
is '  and the fabric accepts each fault' "$(cat "$SCRATCH/refused")" ''
contains '  and fabric show lists the faults' "$("$mrc" fabric show)" 'fault 1: p0.t0.1-t1.0 loss'

begin 'shape: zcube' 'n: 2' 'k: 3'
exchange 'ZCube(2, 3) carries 8 NICs with three ports each' 8
is '  and the fabric drops no frame' "$(dropped)" 0

begin 'shape: rail_optimised' 'rails: 4' 'groups: 2' 'servers_per_group: 2' 'spines: 2'
exchange 'a rail-optimised cluster carries 16 NICs' 16
is '  and the fabric drops no frame' "$(dropped)" 0

begin 'shape: clos' 'tiers: 4' 'hosts_per_leaf: 1' 'leaves_per_pod: 2' 'spines_per_pod: 1' 'pods: 2' 'cores: 1' \
    'clusters: 2' 'supercores: 2' 'planes: 2'
exchange 'four tiers in two planes carry 8 NICs, by the short form of addresses' 8
is '  and the fabric drops no frame' "$(dropped)" 0

begin 'shape: clos' 'hosts_per_leaf: 2' 'leaves_per_pod: 2' 'spines_per_pod: 2' 'leaf_links: 2'
exchange 'parallel links carry 4 NICs' 4
is '  over each of them' "$("$mrc" fabric show | grep -c '^p0.t1.* p0.t0.*-t1.*/1 ')" 4
is '  and the fabric drops no frame' "$(dropped)" 0

begin 'shape: dual_plane' 'rails: 2' 'groups: 2' 'servers_per_group: 2' 'spines: 2'
exchange 'a dual-plane cluster carries 8 NICs' 8

begin 'shape: zcube' 'n: 2' 'k: 2' 'failure_groups:' '- { name: feed-a, kind: power_feed, members: [p0.t0.0, h3.p1] }'
exits 0 'a failure group is taken down by its name' "$mrc" fabric fault group feed-a down
is '  all links of its members are down' "$("$mrc" fabric show -a | grep -c ' DOWN ')" 10
exits 0 '  and data takes other paths' timeout 60 "$mrc" perf write --devices mrc1,mrc3 -s 64K -n 20 -c
exits 0 '  the group is brought up by its name' "$mrc" fabric fault group feed-a up
is '  and no link is down' "$("$mrc" fabric show -a | grep -c ' DOWN ')" 0

begin 'shape: links' 'nics: 3' 'links:' '- { from: h0, to: p0.t0.0 }' '- { from: h1, to: p0.t0.4 }' \
    '- { from: h2, to: p0.t0.9 }' \
    "$(for i in 0 1 2 3 4 5 6 7 8; do echo "- { from: p0.t0.$i, to: p0.t0.$((i + 1)) }"; done)"
exchange 'ten switches in a row carry 3 NICs, whose longest paths need an SRH' 3
is '  and the fabric drops no frame' "$(dropped)" 0

begin 'shape: rail_only' 'rails: 2' 'groups: 2' 'servers_per_group: 2' 'spines: 2'
exits 0 'the NICs of a rail reach each other' timeout 60 "$mrc" perf write --devices mrc0,mrc6 -s 64K -n 20 -c
exits 1 'a NIC of another rail cannot be connected' timeout 60 "$mrc" perf write --devices mrc0,mrc1 -s 64K -n 20

begin 'shape: links' 'nics: 6' 'links:' \
    '- { from: p0.t0.0, to: p0.t0.1, rate: 40G }' '- { from: p0.t0.1, to: p0.t0.2, rate: 100G }' \
    '- { from: p0.t0.2, to: p0.t0.3, rate: 10G }' '- { from: p0.t0.3, to: p0.t0.0, rate: 100G }' \
    '- { from: p0.t0.0, to: p0.t0.2, rate: 25G }' \
    '- { from: h0, to: p0.t0.0 }' '- { from: h1, to: p0.t0.1, rate: 25G }' '- { from: h2, to: p0.t0.2 }' \
    '- { from: h3, to: p0.t0.3 }' '- { from: h4, to: p0.t0.0 }' '- { from: h4, to: p0.t0.2, rate: 50G }' \
    '- { from: h5, to: p0.t0.3, rate: 40G }' '- { from: h5, to: p0.t0.1 }'
exchange 'an irregular graph of unequal links carries NICs with one port and with two' 6
is '  and the fabric drops no frame' "$(dropped)" 0
done_testing
