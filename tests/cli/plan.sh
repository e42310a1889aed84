#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc plan: paths of fabrics of all shapes, and what it says of files that cannot be planned.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
file=$SCRATCH/fabric.yaml

shape() # LINE...
{
    printf '%s\n' "$@" >"$file"
}

paths() # FROM TO [OPTION...]
{
    "$mrc" plan path -f "$file" "$@" 2>&1
}

shape 'planes: 2' 't0s: 2' 't1s: 2' 'hosts_per_t0: 2' 'exceptions: [{ link: p1.t0.0-t1.0, missing: yes }]'
is 'two tiers: the list has a line for each path whose links exist, and two lines of heading' "$(paths h0 h3 | wc -l)" 5
contains 'a line has EV, rate, delay, address and hops' "$(paths h0 h3)" \
    '0x00000001     100.0      5.864  fc00:42:400:801:401:c01::                h0 p0.t0.0 p0.t1.1 p0.t0.1 h3'
is '-j lists the same paths as JSON' "$(paths -j h0 h3 | grep -o '"ev":[0-9]*' | xargs)" 'ev:0 ev:1 ev:257'
contains 'the path of a pair below one T0 has only that T0' "$(paths h0 h1)" 'h0 p1.t0.0 h1'
exits 2 'an unknown NIC is refused' "$mrc" plan path -f "$file" h0 h4
contains '  and the message has the range of NICs' "$output" 'this fabric has h0 to h3'
exits 2 'detours need a shape' "$mrc" plan path -f "$file" -d 1 h0 h3

shape 'shape: clos' 'tiers: 3' 'hosts_per_leaf: 2' 'leaves_per_pod: 2' 'spines_per_pod: 2' 'pods: 4' 'cores: 4'
contains 'a path over three tiers has six uSIDs' "$(paths h0 h15)" 'fc00:42:400:801:1402:807:407:c01'
is 'a fat tree of 4 ports has 4 paths between pods' "$(paths h0 h15 | grep -c 0x)" 4
shape 'shape: clos' 'tiers: 3' 'hosts_per_leaf: 2' 'leaves_per_pod: 2' 'spines_per_pod: 2' 'pods: 4' 'cores: 3'
contains 'numbers of switches that do not divide evenly are refused' "$(paths h0 h1)" '3 switches cannot be shared evenly among 2 columns'

shape 'shape: zcube' 'n: 4' 'k: 2'
is 'ZCube has two minimal paths between a pair' "$(paths -d 0 h6 h12 | grep -c 0x)" 2
is 'ZCube has by default 2 n detours besides' "$(paths h6 h12 | grep -c 0x)" 10
echo 'paths: disjoint' >>"$file"
is 'paths: disjoint lists only paths that share no link between switches' "$(paths h6 h12 | grep -c 0x)" 6
shape 'shape: zcube' 'n: 4' 'k: 2' 'paths: other'
contains 'an unknown value of paths is refused' "$(paths h6 h12)" ":4:8: paths: there is no 'other'; write shortest or disjoint"

shape 'shape: rail_only' 'rails: 2' 'groups: 2' 'servers_per_group: 2' 'spines: 2'
exits 1 'there is no path between rails of a rail-only fabric' "$mrc" plan path -f "$file" h0 h1
contains '  and the message says so' "$output" 'no path from h0 to h1'

shape 'shape: links' 'nics: 2' 'links:' '- { from: h0, to: p0.t0.0 }' '- { from: h1, to: p0.t0.1, rate: 50G }' \
    '- { from: p0.t0.0, to: p0.t0.1 }'
contains 'a graph can be given link by link' "$(paths h0 h1)" '50.0      4.864  fc00:42:400:401:c00::'
shape 'shape: links' 'nics: 2' 'links:' '- { from: p0.t0.0, to: p0.t0.1 }' '- { from: h0, to: p0.t0.0 }' \
    '- { from: h1, to: p0.t0.1 }'
contains 'ports to NICs come first, whatever the order of the list' "$(paths h0 h1)" 'fc00:42:400:401:c00::'
echo '- { from: p0.t0.1, to: p0.t0.0 }' >>"$file"
contains 'a link that is listed twice is refused with its line' "$(paths h0 h1)" \
    ':7:3: links.3: the link between p0.t0.1 and p0.t0.0 is listed twice'
shape 'shape: links' 'nics: 3' 'links:' '- { from: h0, to: p0.t0.0 }' '- { from: h1, to: p0.t0.0 }'
contains 'a NIC without a link is refused by name' "$(paths h0 h1)" 'h2 has no link'
shape 'shape: links' 'nics: 2' 'links:' '- { from: h0, to: p0.t0.0 }' '- { from: h1, to: p0.t0.6 }' \
    "$(for i in 0 1 2 3 4 5; do echo "- { from: p0.t0.$i, to: p0.t0.$((i + 1)) }"; done)"
contains 'the uSIDs that an address does not hold are in an SRH' "$(paths h0 h1)" 'fc00:42:406:c00:: in an SRH'
contains '  also in JSON' "$(paths -j h0 h1)" '"segment":"fc00:42:406:c00::"'
shape 'shape: links' 'nics: 2' 'links:' '- { from: h0, to: p0.t0.0 }' '- { from: h1, to: p0.t0.11 }' \
    "$(for i in 0 1 2 3 4 5 6 7 8 9 10; do echo "- { from: p0.t0.$i, to: p0.t0.$((i + 1)) }"; done)"
exits 1 'a path with more uSIDs than an address and an SRH hold is refused' "$mrc" plan path -f "$file" h0 h1
contains '  and the message has both numbers' "$output" 'the shortest passes 12 switches; an address and an SRH have room for 11'
printf 'name: long\nfabric: fabric.yaml\nduration: 10us\nworkloads: [{ kind: permutation, message_bytes: 64KiB }]\n' \
    >"$SCRATCH/long.yaml"
exits 1 'mrc sim refuses a pair whose paths do not fit an SRH' "$mrc" sim "$SCRATCH/long.yaml"
contains '  and the message has both numbers' "$output" 'the shortest passes 12 switches; an address and an SRH have room for 11'
shape 'shape: clos' 'planes: 17' 'hosts_per_leaf: 2' 'leaves_per_pod: 2' 'spines_per_pod: 2'
exits 2 'a fabric with more planes than uSIDs can name is refused' "$mrc" fabric run "$file"
contains '  and the message has the limit' "$output" '17 planes: 1 to 16 can be addressed'

exits 2 'an unknown verb is refused' "$mrc" plan pth
contains '  and the message suggests the right one' "$output" "did you mean 'path'"
done_testing
