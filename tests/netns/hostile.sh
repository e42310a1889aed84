#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Hostile neighbours on the cables (tests/hostile/wire.c): hosts that send anything into mrc switch, and a switch that
# sends anything to NICs with packet sockets and AF_XDP. HOSTILE_ACTIONS frames each, from HOSTILE_SEED.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/netns.sh"
count=${HOSTILE_ACTIONS:-10000}
seed=${HOSTILE_SEED:-$$}
file=$(tiny 'buffers: { trims: yes }')
echo "# HOSTILE_SEED=$seed HOSTILE_ACTIONS=$count"

attack() # NAMESPACE INTERFACE FROM TO
{
    ip netns exec "$fabric-$1" timeout 600 "$BUILD/tests/hostile_wire" "interface=$2" "fabric=$file" \
        "from=$3" "to=$4" "seed=$seed" "actions=$count" rate=20000 >>"$SCRATCH/attack" 2>&1 || echo "$1 $2" >>"$SCRATCH/failed"
}

exits 0 'fabric up succeeds' "$mrc" fabric up -q -n "$fabric" "$file"
begin_writes 0 1 -s 64K -D $((count / 20000 + 2))
let_frames_cross 500
attack h2 p0 2 0 &
first=$!
attack h3 p1 3 0
wait "$first"
end_writes 'arbitrary frames from a host do not harm other hosts'
is '  the switches still run' "$("$mrc" fabric list | awk -v name="$fabric" '$1 == name { print $3 }')" up
is_more '  and count the frames as dropped because of their source' "$("$mrc" fabric show -n "$fabric" -j | grep -c '"source"')" 0

# Not in the name of the peer: a port status update that claims to be the peer's is believed (docs/threats.md).
for kind in raw xdp; do
    sed -i "s/- [a-z]*:p/- $kind:p/" "$MRC_RUN_DIR"/mrc/mrc[01]/config
    begin_writes 0 1 -s 64K -D $((count / 20000 + 2))
    let_frames_cross 500
    attack p0.t0.0 d0 2 0 &
    first=$!
    attack p1.t0.0 d1 3 1
    wait "$first"
    end_writes "arbitrary frames from a switch do not harm a NIC with ports of kind $kind"
done
grep '^#' "$SCRATCH/attack"
is 'every attacker sends its frames' "$(cat "$SCRATCH/failed" 2>/dev/null)" ''
done_testing
