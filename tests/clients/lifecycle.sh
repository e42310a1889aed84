#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fabrics and NICs start, stop, are killed and start again, in random order: every command does what it says, the next
# start works, and nothing is left behind. LIFECYCLE_STEPS of them (make soak: 1000), drawn from LIFECYCLE_SEED.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
steps=${LIFECYCLE_STEPS:-30}
seed=${LIFECYCLE_SEED:-$$}
cat >"$SCRATCH/two.yaml" <<END
planes: 2
t0s: 2
t1s: 1
hosts_per_t0: 1
END
nics=  # processes that have devices, or had them
ending= # processes of fabrics that were told to end
wrong=
echo "# LIFECYCLE_SEED=$seed LIFECYCLE_STEPS=$steps"

draw() # BELOW: a number in $drawn
{
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    drawn=$((seed / 65536 % $1))
}

runs() # NAME: its process is $pid
{
    pid=$(process_of "$1")
    case " $ending " in
    *" ${pid:-0} "*) return 1 ;;
    esac
    [ "${pid:-0}" -gt 0 ] && kill -0 "$pid" 2>/dev/null
}

# shellcheck disable=SC2317 # until_true calls it
has_ended() # PID
{
    ! kill -0 "$1"
}

until_dead() # PID
{
    until_true has_ended "$1"
}

# shellcheck disable=SC2317 # until_true calls it
has_descriptors() # PID COUNT
{
    [ "$(find "/proc/$1/fd" | wc -l)" -eq "$2" ]
}

expect() # STATUS WHAT COMMAND...
{
    wanted=$1
    what=$2
    shift 2
    got=0
    "$@" >"$SCRATCH/said" 2>&1 || got=$?
    [ "$got" -eq "$wanted" ] || wrong="$wrong
step $step: $what: $got instead of $wanted: $(cat "$SCRATCH/said")"
}

start_fabric() # NAME
{
    if runs "$1"; then
        expect 1 "a second '$1'" timeout 60 "$mrc" fabric run -q -b -s 100 -n "$1" "$SCRATCH/two.yaml"
    else
        expect 0 "start '$1'" timeout 60 "$mrc" fabric run -q -b -s 100 -n "$1" "$SCRATCH/two.yaml"
    fi
}

stop_fabric() # NAME
{
    for one in $ending; do
        until_dead "$one"
    done
    if runs "$1" || [ -e "$MRC_RUN_DIR/mrc/$1/attach" ]; then
        expect 0 "stop '$1'" timeout 60 "$mrc" fabric stop -n "$1"
        [ ! -e "$MRC_RUN_DIR/mrc/$1" ] || wrong="$wrong
step $step: '$1' is not gone"
    else
        expect 1 "stop '$1', which does not run" timeout 60 "$mrc" fabric stop -n "$1"
    fi
}

kill_fabric() # NAME SIGNAL
{
    runs "$1" || return 0
    kill "-$2" "$pid"
    if [ "$2" = TERM ]; then
        ending="$ending $pid"
    else
        until_dead "$pid"
    fi
}

start_nics() # NAME: a pair of processes that write, for a while
{
    devices=$("$mrc" fabric list -j | tr -d ' \n' | sed -n "s/.*\"name\":\"$1\"[^]]*\"devices\":\[\([^]]*\)\].*/\1/p" | tr -d '"')
    [ -n "$devices" ] || return 0
    draw 3
    "$mrc" perf write --devices "$devices" -s 10K -D "$drawn.3" -c >/dev/null 2>&1 &
    nics="$nics $!"
    others=$nics
}

kill_nics()
{
    for one in $nics; do
        draw 2
        if [ "$drawn" -eq 0 ]; then
            kill -9 "$one" 2>/dev/null
        fi
    done
}

end_nics()
{
    for one in $nics; do
        kill "$one" 2>/dev/null
        wait "$one" 2>/dev/null
    done
    nics=
}

# One that stays: NICs come to it and leave all the time.
step=0
start_fabric stays
runs stays
stays=$pid
timeout 60 "$mrc" perf write --devices mrc0,mrc1 -n 10 -c >/dev/null 2>&1
descriptors=$(find "/proc/$stays/fd" | wc -l)
resident=$(awk '/^VmRSS/ { print $2 }' "/proc/$stays/status")

while [ "$step" -lt "$steps" ]; do
    step=$((step + 1))
    draw 2
    name=fabric$drawn
    draw 10
    case $drawn in
    0 | 1 | 2) start_fabric "$name" ;;
    3) stop_fabric "$name" ;;
    4) kill_fabric "$name" 9 ;;
    5) kill_fabric "$name" TERM ;;
    6) start_nics "$name" ;;
    7 | 8) start_nics stays ;;
    9) kill_nics ;;
    esac
done
end_nics
is 'every command of a random sequence succeeds or fails as expected' "$wrong" ''
# A NIC that was killed while it attached may be let in afterwards, but before the NICs of these writes.
is 'writes cross the fabric that ran all the time' \
    "$(timeout 60 "$mrc" perf write --devices mrc0,mrc1 -n 10 -c >/dev/null 2>&1 && echo yes)" yes
until_true has_descriptors "$stays" "$descriptors"
is 'no NIC is attached to the fabric that ran all the time' "$(has_attached 0 stays && echo yes)" yes
is 'that fabric has no more descriptors than at the start' "$(find "/proc/$stays/fd" | wc -l)" "$descriptors"
now=$(awk '/^VmRSS/ { print $2 }' "/proc/$stays/status")
echo "# resident: $resident KiB before, $now KiB after"
is_more '  and no more memory' "$((resident + 8192))" "$now"
for name in fabric0 fabric1 stays; do
    wrong=
    start_fabric "$name"
    is "fabric $name can be started, or runs" "$wrong" ''
done
is 'writes cross a fabric that was started last' "$(timeout 60 "$mrc" perf write --devices mrc0,mrc1 -n 10 -c >/dev/null 2>&1 && echo yes)" yes
for name in fabric0 fabric1 stays; do
    wrong=
    stop_fabric "$name"
    is "fabric $name can be stopped" "$wrong" ''
done
is 'no files remain' "$(find "$MRC_RUN_DIR/mrc" -mindepth 1)" ''
done_testing
