#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A hostile NIC (tests/hostile/nic.c) against a soft fabric: the fabric survives, and two NICs that have nothing to do
# with it go on, every byte right. HOSTILE_ACTIONS of them (make soak: 10,000,000), drawn from HOSTILE_SEED;
# HOSTILE_RATE a second at most, HOSTILE_ONLY some kinds of them. The rate without an attack is measured for
# HOSTILE_BASELINE seconds.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
count=${HOSTILE_ACTIONS:-30000}
seed=${HOSTILE_SEED:-$$}
rate=${HOSTILE_RATE:-20000}
seconds=$((count / rate + 2))
port=$((20000 + $$ % 3000 * 4)) # below those that the system gives to clients

# The bystanders are h0 and h1, behind one T0; h2 and h3 are hostile, h4 attaches by UDP and is hostile, too.
cat >"$SCRATCH/five.yaml" <<END
planes: 2
t0s: 3
t1s: 2
hosts_per_t0: 2
nics: 5
END
"$mrc" fabric run -q --threads $((seed % 2 + 1)) --slower "${HOSTILE_SLOWER:-1000}" --udp "h4=127.0.0.1:$port,127.0.0.1:$((port + 2))" "$SCRATCH/five.yaml" 2>"$SCRATCH/fabric" &
fabric=$!
until_true "$mrc" fabric show
perf_for() # SECONDS: the bystanders write, and check every byte
{
    timeout $(($1 + 60)) "$mrc" perf write --devices mrc0,mrc1 -s 32K -D "$1" -c --events -j >"$SCRATCH/perf.json" 2>"$SCRATCH/perf" &
    perf=$!
    others=$perf
}

value() # KEY of the result
{
    tr -d ' ,' <"$SCRATCH/perf.json" | sed -n "s/^\"$1\":\(.*\)/\1/p" | head -n 1
}

perf_for "${HOSTILE_BASELINE:-1}"
wait "$perf"
is 'other NICs write without an attack' "$?" 0
before=$(value bw_average_gbps)
perf_for "$seconds"
# Any process of the user may be any NIC that is free: the bystanders come first.
until_true has_attached 6
echo "# $BUILD/tests/hostile_nic run=$MRC_RUN_DIR/mrc/fabric fabric=$SCRATCH/five.yaml seed=$seed actions=$count rate=$rate"
exits 0 'the fabric answers requests while it is attacked' timeout $((seconds * 3 + 60)) "$BUILD/tests/hostile_nic" \
    "run=$MRC_RUN_DIR/mrc/fabric" "fabric=$SCRATCH/five.yaml" first=2 "seed=$seed" "actions=$count" "rate=$rate" \
    "udp=$port,$((port + 2))" ${HOSTILE_ONLY:+"only=$HOSTILE_ONLY"}
echo "$output"
wait "$perf"
is 'other NICs write during the attack, and every byte is correct' "$?" 0
sed 's/^/# /' "$SCRATCH/perf"
echo "# rate of the bystanders: $before Gb/s without, $(value bw_average_gbps) Gb/s under attack; longest pause $(value longest_pause_ms) ms"
is 'the fabric still runs' "$(kill -0 "$fabric" && echo yes)" yes
is '  and prints nothing' "$(cat "$SCRATCH/fabric")" ''
exits 0 '  and stops on request' "$mrc" fabric stop
wait "$fabric"
is '  with status 0' "$?" 0
fabric=
done_testing
