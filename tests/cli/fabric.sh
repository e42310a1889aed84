#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc fabric: what it refuses and in which words, one fabric beside another, and what is left of one that was killed.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
export MRC_RUN_DIR="$SCRATCH/run"
unset MRC_CONFIG
mkdir "$MRC_RUN_DIR"
file=$SCRATCH/one.yaml
printf 'planes: 1\nt0s: 2\nt1s: 1\nhosts_per_t0: 1\n' >"$file"

refuses() # STATUS MESSAGE ARGUMENT...
{
    status=$1
    message=$2
    shift 2
    exits "$status" "refused: $*" "$mrc" "$@"
    is '  in these words' "$output" "mrc $message"
}

for verb in 'fabric run' 'fabric up' 'fabric down' 'fabric show' switch; do
    # shellcheck disable=SC2086
    exits 0 "mrc $verb explains itself, whatever else is said" "$mrc" $verb -n x --help
    # shellcheck disable=SC2086
    refuses 2 "$verb: there is no option '--nmae'; did you mean --name?" $verb --nmae x
    # shellcheck disable=SC2086
    refuses 2 "$verb: there is no option '-Z'; 'mrc $verb --help' lists them" $verb -Z
    # shellcheck disable=SC2086
    refuses 2 "$verb: '-n' wants a value; see 'mrc $verb --help'" $verb -n
done
refuses 2 "fabric: there is no verb 'shwo'; did you mean 'show'?" fabric shwo
refuses 2 'fabric run: name one FABRIC.yaml' fabric run
for name in '' .. a/b mrc0; do
    refuses 2 "fabric run: --name '$name': 1 to 32 letters, digits, '-' and '_', not beginning with mrc" \
        fabric run -n "$name" "$file"
done
printf 'name: x\nfabric: one.yaml\nworkloads: [{ kind: stream }]\n' >"$SCRATCH/x.yaml"
refuses 2 "fabric run: $SCRATCH/x.yaml:3:1: workloads: this is an experiment, for 'mrc sim'; name a fabric file" \
    fabric run "$SCRATCH/x.yaml"
printf 'planes: 99999999999999999999\n' >"$SCRATCH/x.yaml"
refuses 2 "fabric run: $SCRATCH/x.yaml:1:9: planes: '99999999999999999999' is too large; write a whole number such as 64" \
    fabric run "$SCRATCH/x.yaml"
refuses 2 'fabric run: --slower 1000000: links would have less than 1Mb/s, or more than 10ms' fabric run -s 1000000 "$file"
refuses 2 'fabric run: --udp h1: given twice; keep one' \
    fabric run --udp h1=127.0.0.1:7000,127.0.0.1:7100 --udp h1=127.0.0.1:7200,127.0.0.1:7300 "$file"
refuses 2 'fabric run: --udp h9: this fabric has h0 to h1' fabric run --udp h9=127.0.0.1:7000,127.0.0.1:7100 "$file"
refuses 2 "fabric show: --watch wants seconds from 1 to 86400, not '0'" fabric show -w 0
exits 1 'a folder that cannot be made is told by its name' env MRC_RUN_DIR="$SCRATCH/none/run" "$mrc" fabric run "$file"
is '  and why' "$output" "mrc fabric run: $SCRATCH/none/run/mrc: No such file or directory"
is 'nothing was left behind' "$(find "$MRC_RUN_DIR" -mindepth 2)" ''

start() # ARGUMENT...: a fabric, once it answers; its process is $started
{
    "$mrc" fabric run -q "$@" "$file" &
    started=$!
    tries=0
    while [ "$tries" -lt 100 ] && ! "$mrc" fabric list | grep -q up; do
        tries=$((tries + 1))
        sleep 0.1
    done
}

started=
trap 'kill -9 $started 2>/dev/null; wait; rm -rf "$SCRATCH"' EXIT
start
refuses 1 "fabric run: a fabric called 'fabric' is running; stop it with 'mrc fabric stop' or choose another --name" \
    fabric run "$file"
refuses 1 "fabric run: the fabric 'fabric' has the device mrc0; end it first, or set MRC_RUN_DIR for a second one" \
    fabric run -n other "$file"
contains 'the first one keeps its devices' "$("$mrc" dev show)" 'mrc1: free'
refuses 2 'fabric fault: swich: must be link, port, switch, plane, nic, ev or clear' fabric fault swich p0.t1.0 down
refuses 2 'fabric fault: dwon: must be down, up, flap, blackhole, loss, corrupt or slow' fabric fault switch p0.t1.0 dwon
refuses 2 'fabric: no plane p9: the last of 1 is p0' fabric fault switch p9.t1.0 down
refuses 2 'fabric fault: loss 200%: must be a fraction such as 0.1%, 0.001 or 1e-6' fabric fault plane p0 loss 200%
refuses 2 "fabric fault: slow: at least 1Mb/s; 'blackhole' carries nothing at all" fabric fault plane p0 slow 1kb/s
refuses 2 "fabric fault: for -2s: must be a time such as 500ns, 1.5us, 2ms or 3s" fabric fault plane p0 down for -2s

kill -9 "$started"
wait "$started" 2>/dev/null
refuses 1 "fabric: no fabric called 'fabric' is running; start one with 'mrc fabric run FABRIC.yaml' or 'mrc fabric up FABRIC.yaml'" \
    fabric show
start -n other
contains 'the devices of one that was killed are free for another' "$("$mrc" dev show)" 'mrc1: free'
exits 0 'that can be stopped' "$mrc" fabric stop -n other
wait "$started"
is 'and takes them away' "$(find "$MRC_RUN_DIR" -name 'mrc[0-9]*')" ''
start
is 'a NIC expects the round trips of software' "$(grep -c base_rtt "$MRC_RUN_DIR/mrc/mrc0/config")" 0
"$mrc" fabric stop
wait "$started"
start -s 100
is 'and those of the cables where these take longer' "$(grep -c 'base_rtt: [0-9]\{7\}ns$' "$MRC_RUN_DIR/mrc/mrc0/config")" 1
"$mrc" fabric stop
wait "$started"
is 'nothing is left when both have been stopped' "$(find "$MRC_RUN_DIR" -mindepth 2)" ''
done_testing
