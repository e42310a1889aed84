#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc conform endpoint: libmrc passes over UDP and shared memory, with and without a driver; devices and drivers that hang,
# flood, crash or babble end the run and leave nothing behind. CONFORM_RUNS times the checks (default 1).
# shellcheck disable=SC2317 # exits calls functions
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
. "$(dirname "$0")/../harness/endpoint_bench.sh"

for run in $(seq "${CONFORM_RUNS:-1}"); do
    exits 0 "libmrc passes, with two planes, run $run" kit
    contains '  all checks' "$output" '119 passed, 0 failed, 0 not implemented, 0 skipped'
done
contains '  open points have a reading' "$output" '# open point beyond-window (§4): a packet beyond the PSN window: a NACK PSN_OOR_WINDOW'
exits 0 'a device may be a responder only' kit -j --without requester --only window,segments
contains '  which is declared' "$output" '"declared":["requester"]'
contains '  and skips its checks' "$output" '"not_implemented":3'

# ---- a QP that something else has connected

mkfifo "$SCRATCH/to" "$SCRATCH/from"
$helper <"$SCRATCH/to" >"$SCRATCH/from" &
exec 3>"$SCRATCH/to" 4<"$SCRATCH/from"
printf '%s\n' 'qp memory=262144' 'connect qp=1 address=2001:db8:c000::1 qpn=1911 rq_psn=1000 sq_psn=5 pmtu=1024 mpr_dest=8' >&3
read -r answer <&4
read -r connected <&4
is 'the helper connects a QP' "$connected" ok
of_qp() # KEY: of the answer
{
    printf '%s\n' "$answer" | tr ' ' '\n' | sed -n "s/^$1=//p"
}
exits 0 'a described QP is checked without a driver' timeout 60 "$mrc" conform endpoint --port "$plane_0" --port "$plane_1" \
    --set address=2001:db8:c000::2 --set "qpn=$(of_qp qpn)" --set psn=1000 --set "va=$(of_qp va)" --set "rkey=$(of_qp rkey)" \
    --set memory=256KiB
contains '  what needs a driver is not run' "$output" '55 passed, 0 failed, 64 not implemented, 0 skipped'
exec 3>&- 4<&-
wait

# ---- a soft fabric, over shared memory

cat >"$SCRATCH/one.yaml" <<END
planes: 1
t0s: 1
t1s: 0
hosts_per_t0: 2
host_link: { rate: 1Gb/s, delay: 10us }
END
"$mrc" fabric run -q "$SCRATCH/one.yaml" &
fabric=$!
until_true "$mrc" fabric show
exits 0 'libmrc passes behind a switch' timeout 60 env -u MRC_CONFIG "$mrc" conform endpoint -j --set peer=2001:db8:0:0::1 \
    --port "shm:$MRC_RUN_DIR/mrc/fabric/attach,device=mrc0,path=fc00:42:400:c01::" --driver "${helper%0}1" --only sack,outer,write,nack,vectors
contains '  without a failure' "$output" '"failed":0'
end_fabric

# ---- drivers

one() # COMMAND OPTION...: one plane, another driver, little patience
{
    command=$1
    shift
    timeout 60 "$mrc" conform endpoint --set patience=300ms --port "$plane_0" --driver "$command" "$@"
}

exits 1 'a driver that does not exist is reported' one /no/such/driver
contains '  with its status' "$output" "the driver has not answered 'hello': it has ended with status 127"
exits 1 'a device that does not exist is reported' one "${helper}7"
contains '  by the helper' "$output" "device 'mrc07': No such device"
cat >"$SCRATCH/crash" <<'END'
read -r line; echo ok driver=1; read -r line; kill -SEGV $$
END
exits 1 'a driver that crashes ends the run' one "sh $SCRATCH/crash"
contains '  with its signal' "$output" "Bail out! the driver is gone at 'qp': it was ended by signal 11"
cat >"$SCRATCH/babble" <<'END'
read -r line; echo ok driver=1; read -r line; yes
END
exits 1 'a driver that babbles ends the run' one "sh $SCRATCH/babble"
contains '  with what it said' "$output" "Bail out! the driver answers 'qp' with neither ok nor error: y"
cat >"$SCRATCH/hang" <<END
read -r line; echo ok driver=1; echo \$\$ >$SCRATCH/pid; sleep 1000 & echo \$! >$SCRATCH/pid2
while read -r word line; do case \$word in hello) echo ok ;; destroy) echo ok ;;
qp) echo ok qp=1 qpn=17 address=2001:db8:c000::2 va=0x1000 rkey=0x1 ;; connect) echo ok ;; *) echo error unsupported ;; esac; done
END
exits 1 'a device that answers nothing ends the run' one "sh $SCRATCH/hang"
contains '  with a message' "$output" 'Bail out! the device no longer answers'
tries=0
while [ "$tries" -lt 100 ] && ps -o stat= -p "$(cat "$SCRATCH/pid"),$(cat "$SCRATCH/pid2")" | grep -qv Z; do
    tries=$((tries + 1))
    sleep 0.1
done
is '  and the driver and its processes are gone' "$(ps -o stat= -p "$(cat "$SCRATCH/pid"),$(cat "$SCRATCH/pid2")" | grep -v Z)" ''

# ---- floods

"$mrc" conform traffic burst --from "udp:127.0.0.1:$((first + 1)),127.0.0.1:$first" -n 1000000 --burst 64 --gap 10us \
    >"$SCRATCH/traffic" 2>&1 &
flood=$!
exits 1 'a device that floods ends the run' one "sh $SCRATCH/hang" --set patience=10s --only place
contains '  with a message' "$output" 'Bail out! the device floods'
kill "$flood" 2>/dev/null
wait "$flood" 2>/dev/null

# ---- wrong input

exits 2 'a port is necessary' "$mrc" conform endpoint --driver true
contains '  which the message says' "$output" 'a port is missing; give --port, one for each plane'
exits 2 'without a driver a QP is necessary' "$mrc" conform endpoint --port "$plane_0" --set address=2001:db8::1
contains '  which the message says' "$output" "the key 'qpn' is missing"
exits 2 'a PMTU must be one' one true --set pmtu=1000
exits 2 'a wrong key is reported' one true --set ppmtu=1024
contains '  with a suggestion' "$output" "did you mean 'pmtu'?"
exits 2 'a wrong feature is reported' one true --without trimming
contains '  with a suggestion' "$output" "is not a feature that a device may lack"
exits 0 'checks can be listed' "$mrc" conform endpoint --list
contains '  with their sections' "$output" 'window-beyond        §4'
done_testing
