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
printf 'planes: 2\nt0s: 2\nt1s: 1\nhosts_per_t0: 1\n' >"$SCRATCH/two.yaml"

refuses() # STATUS MESSAGE ARGUMENT...
{
    status=$1
    message=$2
    shift 2
    exits "$status" "refused: $*" "$mrc" "$@"
    is '  and the message has the reason' "$output" "mrc $message"
}

for verb in 'fabric run' 'fabric up' 'fabric down' 'fabric show' switch; do
    # shellcheck disable=SC2086
    exits 0 "mrc $verb --help exits with 0, also with other options" "$mrc" $verb -n x --help
    # shellcheck disable=SC2086
    refuses 2 "$verb: there is no option '--nmae'; did you mean --name?" $verb --nmae x
    # shellcheck disable=SC2086
    refuses 2 "$verb: there is no option '-Z'; 'mrc $verb --help' lists them" $verb -Z
    # shellcheck disable=SC2086
    refuses 2 "$verb: '-n' requires a value; see 'mrc $verb --help'" $verb -n
done
refuses 2 "fabric: there is no verb 'shwo'; did you mean 'show'?" fabric shwo
refuses 2 'fabric run: name one FABRIC.yaml' fabric run
for name in '' .. a/b mrc0; do
    refuses 2 "fabric run: --name '$name': 1 to 32 letters, digits, '-' and '_', not beginning with mrc" \
        fabric run -n "$name" "$file"
done
printf 'name: x\nfabric: one.yaml\nworkloads: [{ kind: stream }]\n' >"$SCRATCH/x.yaml"
refuses 2 "fabric run: $SCRATCH/x.yaml:3:1: workloads: this file is an experiment for 'mrc sim'; name a fabric file" \
    fabric run "$SCRATCH/x.yaml"
printf 'planes: 99999999999999999999\n' >"$SCRATCH/x.yaml"
refuses 2 "fabric run: $SCRATCH/x.yaml:1:9: planes: '99999999999999999999' is too large; write a whole number such as 64" \
    fabric run "$SCRATCH/x.yaml"
refuses 2 'fabric run: --slower 1000000: links would have less than 1Mb/s, or more than 10ms' fabric run -s 1000000 "$file"
refuses 2 'fabric run: --udp h1: given twice; keep one' \
    fabric run --udp h1=127.0.0.1:7000,127.0.0.1:7100 --udp h1=127.0.0.1:7200,127.0.0.1:7300 "$file"
refuses 2 'fabric run: --udp h9: this fabric has h0 to h1' fabric run --udp h9=127.0.0.1:7000,127.0.0.1:7100 "$file"
refuses 2 "fabric show: --watch takes seconds from 1 to 86400, not '0'" fabric show -w 0
exits 1 'a run folder that cannot be created is a failure' env MRC_RUN_DIR="$SCRATCH/none/run" "$mrc" fabric run "$file"
is '  and the message names the folder and the reason' "$output" "mrc fabric run: $SCRATCH/none/run/mrc: No such file or directory"
is 'refused commands leave no files' "$(find "$MRC_RUN_DIR" -mindepth 2)" ''

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
exits 0 'fabric run -b returns when the fabric is ready' timeout 60 "$mrc" fabric run -b "$file"
is '  and prints its NICs, planes and switches' "$output" "fabric 'fabric': 2 NICs (mrc0 to mrc1), 1 planes, 3 switches; 'mrc fabric stop' ends it"
started=$(cut -d ' ' -f 1 "$MRC_RUN_DIR/mrc/fabric/lock")
contains 'dev show lists the devices of the fabric' "$("$mrc" dev show)" 'mrc1: free'
refuses 1 "fabric run: a fabric called 'fabric' is running, pid $started; stop it with 'mrc fabric stop -n fabric' or choose another --name" \
    fabric run "$file"
refuses 1 "fabric run: a fabric called 'fabric' is running, pid $started; stop it with 'mrc fabric stop -n fabric' or choose another --name" \
    fabric run --background "$file"
refuses 2 "fabric fault: swtch: did you mean 'switch'?" fabric fault swtch p0.t1.0 down
refuses 2 'fabric fault: cable: must be link, port, switch, plane, nic, group, ev, clear or run' fabric fault cable p0.t1.0 down
refuses 2 "fabric fault: dwon: did you mean 'down'?" fabric fault switch p0.t1.0 dwon
refuses 2 'fabric fault: explode: must be down, flap, blackhole, reboot, loss, corrupt, slow or up' fabric fault switch p0.t1.0 explode
refuses 2 'fabric: p9.t1.0: no plane p9: the last of 1 is p0' fabric fault switch p9.t1.0 down
refuses 2 "fabric: p0.t1.0 is not a link; did you mean 'switch p0.t1.0'?" fabric fault link p0.t1.0 down
refuses 2 "fabric: p0.t0.0-t1.0 is not a switch; did you mean 'link p0.t0.0-t1.0'?" fabric fault switch p0.t0.0-t1.0 down
refuses 2 "fabric: p0 is not a nic; did you mean 'plane p0'?" fabric fault nic p0 loss 1%
refuses 2 "fabric: h0 is not a port; did you mean 'nic h0'?" fabric fault port h0 up
refuses 2 'fabric: there is no path p0/u300; the last is p0/u0' fabric fault ev p0/u300 blackhole
refuses 2 'fabric: p0.u0: not a path; write plane and uplink as in p0/u3' fabric fault ev p0.u0 blackhole
refuses 2 'fabric: ev: only loss, corrupt and blackhole can affect a single EV: a link is down or slow for all EVs' fabric fault ev p0/u0 slow 1Gb/s
refuses 2 "fabric fault: up: takes no duration and no direction; omit 'for'" fabric fault plane p0 up for 2s
refuses 2 'fabric: where: only a switch can reboot; use kind down for other parts' fabric fault link h0.p0 reboot
refuses 2 'fabric: direction: a link is down in both directions: use blackhole for one direction' \
    fabric fault link h0.p0 down direction up
refuses 2 'fabric fault: sideways: must be both, up or down' fabric fault link h0.p0 blackhole direction sideways
refuses 2 'fabric fault: twice: nothing may follow the time' fabric fault plane p0 down for 2s twice
for fault in 'link p0.t0.0-t1.0 down' 'link h0.p0 loss 1%' 'port h1.p0 flap 10ms 50%' 'switch p0.t0.1 corrupt 1%' \
    'plane p0 slow 1Gb/s' 'nic h0 blackhole' 'ev p0/u0 loss 1%' 'switch p0.t1.0 reboot' \
    'link h0.p0,h1.p0 loss 1% direction up'; do
    # shellcheck disable=SC2086
    exits 0 "a fault is accepted: $fault" "$mrc" fabric fault $fault for 20s
done
is 'fabric show lists the faults as they were requested' \
    "$("$mrc" fabric show | sed -n 's/^fault [0-9]*: //p' | tr '\n' ';')" \
    'p0.t0.0-t1.0 down;h0.p0 loss;h1.p0 flap;p0.t0.1 corrupt;p0 slow;h0 blackhole;p0/u0 in p0 loss;p0.t1.0 reboot;h0.p0 and 1 more loss;'
exits 0 'fabric fault up ends the fault of one part' "$mrc" fabric fault switch p0.t0.1 up
is '  and prints nothing' "$output" ''
exits 0 'fabric fault up succeeds for a part without a fault' "$mrc" fabric fault switch p0.t0.1 up
is '  and says that there was none to end' "$output" 'mrc fabric fault: there was no fault to end'
exits 0 'fabric fault clear ends all faults' "$mrc" fabric fault clear
is '  and fabric show lists none' "$("$mrc" fabric show | grep -c '^fault')" 0

cat >"$SCRATCH/script.yaml" <<END
faults:
  - { kind: loss, probability: 1%, where: [p0.t0.1-t1.0, h1.p0], at: 20ms }
  - { kind: reboot, where: p0.t1.0, at: 10ms, for: 30s }
  - { kind: blackhole, ev: p0/u0 }
END
exits 0 'fabric fault run runs a script of faults' "$mrc" fabric fault run "$SCRATCH/script.yaml"
is '  and prints each fault at its time' "$output" '    0.000 s  p0/u0 blackhole
    0.010 s  p0.t1.0 reboot for 30s
    0.020 s  p0.t0.1-t1.0,h1.p0 loss'
is '  and fabric show lists the faults of the script' "$("$mrc" fabric show | grep -c '^fault')" 3
"$mrc" fabric fault clear
exits 0 'fabric fault run -q -s 5 runs a script five times slower' "$mrc" fabric fault run -q -s 5 "$SCRATCH/script.yaml"
is '  and prints nothing' "$output" ''
"$mrc" fabric fault clear
printf 'faults:\n  - { kind: down, where: h1 }\n  - { kind: down, where: h9 }\n' >"$SCRATCH/wrong.yaml"
exits 2 'a script with an unknown part is refused' "$mrc" fabric fault run "$SCRATCH/wrong.yaml"
is '  and the message has the line of the part' "$output" "mrc fabric: h9: no NIC h9: the last of 2 is h1
mrc fabric fault: the fault is at line 3 of $SCRATCH/wrong.yaml"
is '  and no fault of the script is injected' "$("$mrc" fabric show | grep -c '^fault')" 0
printf 'faults:\n  - { kind: dwon, where: h1 }\n' >"$SCRATCH/wrong.yaml"
exits 2 'a script with an unknown kind of fault is refused' "$mrc" fabric fault run "$SCRATCH/wrong.yaml"
contains '  and the message has the line and column of the kind' "$output" "wrong.yaml:2:13: faults.0.kind: "
refuses 2 'fabric fault: run: name a file with faults' fabric fault run
exits 2 'the faults of an experiment are checked against the running fabric' \
    "$mrc" fabric fault run "$ROOT/experiments/t1-reboot.yaml"
contains '  and the message names a part that the fabric lacks' "$output" 'no plane p1'
refuses 2 'fabric fault: loss 200%: must be a fraction such as 0.1%, 0.001 or 1e-6' fabric fault plane p0 loss 200%
refuses 2 "fabric fault: slow: must be at least 1Mb/s; use 'blackhole' to stop all packets" fabric fault plane p0 slow 1kb/s
refuses 2 'fabric: p4294967296/u0: not a path; write plane and uplink as in p0/u3' fabric fault ev p4294967296/u0 blackhole
refuses 2 'fabric: p0/u-1: not a path; write plane and uplink as in p0/u3' fabric fault ev p0/u-1 blackhole
refuses 2 "fabric fault: for -2s: must be a time such as 500ns, 1.5us, 2ms or 3s" fabric fault plane p0 down for -2s

exits 0 'a second fabric with threads runs beside the first' \
    timeout 60 "$mrc" fabric run -b -n other --threads 2 "$SCRATCH/two.yaml"
is '  and has devices of its own' "$output" "fabric 'other': 2 NICs (mrc2 to mrc3), 2 planes, 6 switches; 'mrc fabric stop -n other' ends it"
is 'dev show lists the devices of both fabrics' "$("$mrc" dev show | tr '\n' ' ')" 'mrc0: free mrc1: free mrc2: free mrc3: free '
is 'fabric list shows the devices of each fabric' "$("$mrc" fabric list | awk 'NR > 1 { print $1, $3, $5, $7 }' | sort | tr '\n' ' ')" \
    'fabric up mrc0 mrc1 other up mrc2 mrc3 '
is 'writes cross the second fabric' "$(timeout 60 "$mrc" perf write --devices mrc2,mrc3 -n 20 -c >/dev/null && echo yes)" yes
exits 0 'mrc exec --nic selects NICs by fabric and name' "$mrc" exec --nic other/h1,h0 -p
contains '  and translates them to devices' "$output" "MRC_DEVICES='mrc3,mrc0'"
exits 0 'fabric stop stops one fabric' "$mrc" fabric stop
is '  and the devices of the other fabric remain' "$("$mrc" dev show | tr '\n' ' ')" 'mrc2: free mrc3: free '
start
is 'a new fabric takes the lowest free device numbers' "$("$mrc" dev show | tr '\n' ' ')" \
    'mrc0: free mrc1: free mrc2: free mrc3: free '
exits 0 'fabric stop -n stops the fabric of that name' "$mrc" fabric stop -n other
exits 0 '  and fabric stop without a name stops the default fabric' "$mrc" fabric stop
is 'fabric stop leaves no files when it returns' "$(left)" ''
refuses 1 "fabric: no fabric called 'fabric' is running; start one with 'mrc fabric run FABRIC.yaml' or 'mrc fabric up FABRIC.yaml'" \
    fabric stop

start
kill -9 "$started"
until_gone "$started"
refuses 1 "fabric: no fabric called 'fabric' is running; start one with 'mrc fabric run FABRIC.yaml' or 'mrc fabric up FABRIC.yaml'" \
    fabric show
contains 'the devices of a killed fabric are not listed' "$("$mrc" dev show 2>&1)" 'there are no devices'
is 'a killed fabric is not listed' "$("$mrc" fabric list | wc -l)" 1
start -n other
is 'a new fabric reuses the device names of a killed fabric' "$("$mrc" dev show | tr '\n' ' ')" 'mrc0: free mrc1: free '
is '  and removes the files of the killed fabric' "$(cd "$MRC_RUN_DIR/mrc" && echo *)" 'mrc0 mrc1 other'
kill -9 "$started"
until_gone "$started"
exits 0 'fabric stop removes the files of a killed fabric' "$mrc" fabric stop -n other
is '  and says so' "$output" "mrc fabric stop: 'other' had been killed; its files are removed"
is '  and no files remain' "$(left)" ''

again=0
while [ "$again" -lt 10 ] && "$mrc" fabric run -q -b "$file" && "$mrc" fabric stop; do
    again=$((again + 1))
done
is 'stop and run succeed ten times without a pause' "$again" 10
start
kill "$started"
exits 0 'fabric run waits for a fabric of the same name that is stopping' timeout 60 "$mrc" fabric run -q -b "$file"
"$mrc" fabric stop
start
is 'without --slower, the configuration of a NIC has no base RTT' "$(grep -c base_rtt "$MRC_RUN_DIR/mrc/mrc0/config")" 0
"$mrc" fabric stop
start -s 100
is 'with --slower 100, the configuration of a NIC has the base RTT of the cables' "$(grep -c 'base_rtt: [0-9]\{7\}ns$' "$MRC_RUN_DIR/mrc/mrc0/config")" 1
"$mrc" fabric stop
is 'no files remain after all fabrics have stopped' "$(left)" ''
done_testing
