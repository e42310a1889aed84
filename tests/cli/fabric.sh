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

start() # ARGUMENT...: a fabric in the background; its process is $started
{
    "$mrc" fabric run -q --background "$@" "$file" || echo "# did not start: $*"
    started=$(cat "$MRC_RUN_DIR"/mrc/*/lock | cut -d ' ' -f 1)
}

left() # what is in the folder of all devices
{
    (cd "$MRC_RUN_DIR/mrc" && find . -mindepth 1 | sort | tr '\n' ' ')
}

until_gone() # PID
{
    tries=0
    while kill -0 "$1" 2>/dev/null && [ "$tries" -lt 100 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
}

started=
# shellcheck disable=SC2086
trap 'kill -9 $started 2>/dev/null; rm -rf "$SCRATCH"' EXIT
exits 0 'a fabric in the background is ready when the command returns' timeout 60 "$mrc" fabric run -b "$file"
is '  and says what it has' "$output" "fabric 'fabric': 2 NICs (mrc0 to mrc1), 1 planes, 3 switches; 'mrc fabric stop' ends it"
started=$(cut -d ' ' -f 1 "$MRC_RUN_DIR/mrc/fabric/lock")
contains 'its devices are there' "$("$mrc" dev show)" 'mrc1: free'
refuses 1 "fabric run: a fabric called 'fabric' is running, pid $started; stop it with 'mrc fabric stop -n fabric' or choose another --name" \
    fabric run "$file"
refuses 1 "fabric run: a fabric called 'fabric' is running, pid $started; stop it with 'mrc fabric stop -n fabric' or choose another --name" \
    fabric run --background "$file"
refuses 2 'fabric fault: swich: must be link, port, switch, plane, nic, ev or clear' fabric fault swich p0.t1.0 down
refuses 2 'fabric fault: dwon: must be down, up, flap, blackhole, loss, corrupt or slow' fabric fault switch p0.t1.0 dwon
refuses 2 'fabric: no plane p9: the last of 1 is p0' fabric fault switch p9.t1.0 down
refuses 2 'fabric fault: loss 200%: must be a fraction such as 0.1%, 0.001 or 1e-6' fabric fault plane p0 loss 200%
refuses 2 "fabric fault: slow: at least 1Mb/s; 'blackhole' carries nothing at all" fabric fault plane p0 slow 1kb/s
refuses 2 "fabric fault: for -2s: must be a time such as 500ns, 1.5us, 2ms or 3s" fabric fault plane p0 down for -2s

exits 0 'a second fabric runs beside the first' timeout 60 "$mrc" fabric run -b -n other "$file"
is '  with devices of its own' "$output" "fabric 'other': 2 NICs (mrc2 to mrc3), 1 planes, 3 switches; 'mrc fabric stop -n other' ends it"
is 'all of them are listed' "$("$mrc" dev show | tr '\n' ' ')" 'mrc0: free mrc1: free mrc2: free mrc3: free '
is 'and which are whose' "$("$mrc" fabric list | awk 'NR > 1 { print $1, $3, $5, $7 }' | sort | tr '\n' ' ')" \
    'fabric up mrc0 mrc1 other up mrc2 mrc3 '
is 'writes cross the second' "$(timeout 60 "$mrc" perf write --devices mrc2,mrc3 -n 20 -c >/dev/null && echo yes)" yes
exits 0 'a program is given NICs by fabric and name' "$mrc" exec --nic other/h1,h0 -p
contains '  as devices' "$output" "MRC_DEVICES='mrc3,mrc0'"
exits 0 'stopping one' "$mrc" fabric stop
is '  leaves the other' "$("$mrc" dev show | tr '\n' ' ')" 'mrc2: free mrc3: free '
start
is 'a fabric has the lowest numbers that are free' "$("$mrc" dev show | tr '\n' ' ')" \
    'mrc0: free mrc1: free mrc2: free mrc3: free '
exits 0 'both can be stopped' "$mrc" fabric stop -n other
exits 0 '  the other one, too' "$mrc" fabric stop
is 'and nothing is left when the command returns' "$(left)" ''
refuses 1 "fabric: no fabric called 'fabric' is running; start one with 'mrc fabric run FABRIC.yaml' or 'mrc fabric up FABRIC.yaml'" \
    fabric stop

start
kill -9 "$started"
until_gone "$started"
refuses 1 "fabric: no fabric called 'fabric' is running; start one with 'mrc fabric run FABRIC.yaml' or 'mrc fabric up FABRIC.yaml'" \
    fabric show
contains 'the devices of a fabric that was killed are not listed' "$("$mrc" dev show 2>&1)" 'there are no devices'
is 'nor is the fabric' "$("$mrc" fabric list | wc -l)" 1
start -n other
is 'another one has their names' "$("$mrc" dev show | tr '\n' ' ')" 'mrc0: free mrc1: free '
is 'and has cleared them away' "$(ls "$MRC_RUN_DIR/mrc" | tr '\n' ' ')" 'mrc0 mrc1 other '
kill -9 "$started"
until_gone "$started"
exits 0 'stop clears away what one that was killed has left' "$mrc" fabric stop -n other
is '  and says so' "$output" "mrc fabric stop: 'other' had been killed; cleared away its files"
is '  nothing remains' "$(left)" ''

again=0
while [ "$again" -lt 10 ] && "$mrc" fabric run -q -b "$file" && "$mrc" fabric stop; do
    again=$((again + 1))
done
is 'stop and run again work at once' "$again" 10
start
kill "$started"
exits 0 'a fabric that is ending is waited for' timeout 60 "$mrc" fabric run -q -b "$file"
"$mrc" fabric stop
start
is 'a NIC expects the round trips of software' "$(grep -c base_rtt "$MRC_RUN_DIR/mrc/mrc0/config")" 0
"$mrc" fabric stop
start -s 100
is 'and those of the cables where these take longer' "$(grep -c 'base_rtt: [0-9]\{7\}ns$' "$MRC_RUN_DIR/mrc/mrc0/config")" 1
"$mrc" fabric stop
is 'nothing is left when all have been stopped' "$(left)" ''
done_testing
