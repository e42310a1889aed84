#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Debian's perftest and ibverbs-utils, as they are, over a soft fabric of four planes; also while it breaks.
# shellcheck disable=SC2317 # exits calls functions
. "$(dirname "$0")/../harness/tap.sh"
for program in ib_write_bw ib_write_lat ib_read_bw ib_send_bw ibv_devices ibv_devinfo; do
    command -v $program >/dev/null || skip_all "$program is not installed (packages perftest, ibverbs-utils)"
done
if nm -D "$BUILD/lib/libmrc.so.1" 2>/dev/null | grep -q ' __[at]san_init'; then
    skip_all 'a program without a sanitizer cannot load libraries with one'
fi
. "$(dirname "$0")/../harness/soft.sh"
chmod 755 "$SCRATCH"
as= # before every program
begin_fabric 1

is_listening()
{
    grep -qi ":$(printf %04x "$port") 00000000:0000 0A" /proc/net/tcp
}

port=$((20000 + $$ % 12000)) # below those that the system gives to clients
way= # an option of mrc exec
# Server on h0, client on h3, which is behind another T0.
pair_once() # PROGRAM OPTIONS...
{
    # shellcheck disable=SC2086
    $as timeout 120 "$mrc" exec $way --nic h0 -- "$@" -p "$port" >"$SCRATCH/server" 2>&1 &
    server=$!
    until_true is_listening || echo 'the server does not listen'
    client_status=0
    # shellcheck disable=SC2086
    $as timeout 120 "$mrc" exec $way --nic h3 -- "$@" -p "$port" 127.0.0.1 2>&1 || client_status=$?
    server_status=0
    wait "$server" || server_status=$?
    [ "$client_status$server_status" = 00 ] && return
    echo "client $client_status, server $server_status:"
    cat "$SCRATCH/server"
    return 1
}

# perftest measures the clock of the processor, and gives up where others use it too much: then it is asked again.
pair() # PROGRAM OPTIONS...
{
    for try in 1 2 3 4 5; do
        pair_status=0
        pair_once "$@" >"$SCRATCH/pair" || pair_status=$?
        grep -q 'Correlation coefficient' "$SCRATCH/pair" || break
        port=$((port + 1000 * try))
    done
    cat "$SCRATCH/pair"
    return "$pair_status"
}

# Both sides end well; the client's table has a line for each size.
both_exit_0() # SENTENCE LINES PROGRAM OPTIONS...
{
    sentence=$1
    lines=$2
    shift 2
    port=$((port + 1))
    exits 0 "$sentence: $*" pair "$@"
    is '  and every line of the table is printed' "$(printf '%s\n' "$output" | grep -c '^ [0-9]')" "$lines"
}

# ---- the command that runs them ----------------------------------------------------------------------------

exits 2 'mrc exec without a program is refused' "$mrc" exec
is '  and the message says what to name' "$output" "mrc exec: name a program, e.g. 'mrc exec -- ib_write_bw'"
exits 2 'an unknown option is refused' "$mrc" exec --nick h0 -- true
exits 1 'an unknown NIC is refused' "$mrc" exec --nic h7 -- true
is '  and the message lists the devices' "$output" "mrc exec: there is no device 'h7'; the devices are mrc0 mrc1 mrc2 mrc3"
exits 1 'an unknown program is refused' "$mrc" exec -- /no/such/program
exits 0 '--print prints the environment' "$mrc" exec --nic h1,mrc2 --print
contains '  with the path of the dynamic linker' "$output" "/mrc-verbs'"
contains '  with the devices for NCCL' "$output" "export NCCL_IB_HCA='=mrc1,mrc2'"
contains '  with the mode for MSCCL++' "$output" "export MSCCLPP_IBV_MODE='host-no-atomic'"
# shellcheck disable=SC2016
exits 0 'a shell can evaluate the output of --print' sh -c 'eval "$("$1" exec --nic h1 -p)"; ibv_devices | grep -c mrc' sh "$mrc"
is '  and programs then see one device' "$output" 1
# shellcheck disable=SC2016
exits 0 'mrc exec does not change a variable that is set' env NCCL_NET=Socket "$mrc" exec -- sh -c 'echo $NCCL_NET'
is '  and the program sees its value' "$output" Socket

# ---- looking -----------------------------------------------------------------------------------------------

for way in '' --preload; do
    # shellcheck disable=SC2086
    exits 0 "ibv_devices lists the devices ($way)" "$mrc" exec $way -- ibv_devices
    is '  all four' "$(printf '%s\n' "$output" | grep -c 'mrc[0-3]')" 4
    # shellcheck disable=SC2086
    exits 0 "ibv_devinfo -v shows a device ($way)" "$mrc" exec $way --nic h2 -- ibv_devinfo -v
    contains '  with an active port' "$output" 'PORT_ACTIVE (4)'
    contains '  with its address' "$output" 'GID[  3]:		2001:db8:1::1, RoCE v2'
done

# ---- writing -----------------------------------------------------------------------------------------------

for way in '' --preload; do
    both_exit_0 "ib_write_bw writes ($way)" 1 ib_write_bw -n 1000
    both_exit_0 "ib_write_lat measures latency ($way)" 1 ib_write_lat -n 200
done
way=
both_exit_0 'messages of all sizes are written' 23 ib_write_bw -a -n 100
both_exit_0 'both sides write, with four QPs each' 1 ib_write_bw -b -q 4 -n 500
both_exit_0 'a run by time ends' 1 ib_write_bw -D 2 -x 3
both_exit_0 'messages of an odd size are written with a smaller MTU' 1 ib_write_bw -s 12345 -m 1024 -n 500
both_exit_0 'lists of requests of one byte are posted' 1 ib_write_bw -s 1 -l 8 -n 800
both_exit_0 'latency of all sizes is measured' 23 ib_write_lat -a -n 20

# ---- what MRC does not have --------------------------------------------------------------------------------

fails() # PROGRAM OPTIONS...: both sides end by themselves, with an error
{
    timeout 60 "$mrc" exec --nic h0 -- "$@" -p "$port" >"$SCRATCH/server" 2>&1 &
    server=$!
    until_true is_listening
    client_status=0
    timeout 20 "$mrc" exec --nic h3 -- "$@" -p "$port" 127.0.0.1 2>&1 || client_status=$?
    server_status=0
    wait "$server" || server_status=$?
    cat "$SCRATCH/server"
    case $client_status,$server_status in
    0,* | *,0 | 124,* | *,124)
        echo "client $client_status, server $server_status"
        return 1
        ;;
    esac
}

ends_with() # SENTENCE WORDS PROGRAM OPTIONS...
{
    sentence=$1
    words=$2
    shift 2
    port=$((port + 1))
    exits 0 "$sentence" fails "$@"
    contains '  and the message names what MRC does not support' "$output" "libmrc: WARN: $1: $words: not supported by MRC; "
}

ends_with 'RDMA READ is refused at once' 'RDMA READ' ib_read_bw -n 100
ends_with 'SEND is refused at once' SEND ib_send_bw -n 100
ends_with 'SEND in both directions is refused at once' SEND ib_send_lat -n 100
ends_with 'a UD QP is refused at once' 'a QP or an address of type UD' ib_send_bw -c UD -n 100
ends_with 'a UC QP is refused at once' 'a QP of type UC' ib_write_bw -c UC -n 100
ends_with 'an atomic operation is refused at once' 'an atomic operation' ib_atomic_bw -n 100
ends_with 'a shared receive queue is refused at once' 'a shared receive queue' ib_send_bw --use-srq -n 100

# ---- failures ----------------------------------------------------------------------------------------------

breaks()
{
    sleep 2 # perftest meets first
    inject_faults 0.3 <<EOF
switch p0.t1.0 down
port h0.p1 down
switch p0.t1.0 up
plane p2 blackhole
port h0.p1 up
plane p2 up
plane p3 down
plane p3 up
clear
EOF
}

breaks &
both_exit_0 'a T1, a NIC port and planes die and return: four QPs, both ways' 1 ib_write_bw -D 5 -q 4 -b
wait $!

# ---- death -------------------------------------------------------------------------------------------------

port=$((port + 1))
"$mrc" exec --nic h0 -- ib_write_bw -D 60 -p $port >"$SCRATCH/server" 2>&1 &
server=$!
until_true is_listening
timeout 60 "$mrc" exec --nic h3 -- ib_write_bw -D 60 -p $port 127.0.0.1 >"$SCRATCH/client" 2>&1 &
client=$!
until_true has_sent mrc3 100
sleep 1
kill -KILL $server
wait $server 2>/dev/null
client_status=0
wait $client || client_status=$?
is 'a client whose server is killed ends and fails' "$client_status" 1
contains '  with a completion that says so' "$(cat "$SCRATCH/client")" 'Failed status 12' # retries exceeded
both_exit_0 'and the NICs serve others' 1 ib_write_bw -n 500

# ---- an ordinary user --------------------------------------------------------------------------------------

as='setpriv --reuid=65534 --regid=65534 --clear-groups env HOME=/'
if [ "$(id -u)" -ne 0 ]; then
    skip 'a user without privileges can run perftest' 'this is one'
elif ! $as test -r "$BUILD/lib/libmrc.so.1" -a -x "$mrc" 2>/dev/null; then
    skip 'a user without privileges can run perftest' 'the build is not for others to read'
else
    export MRC_RUN_DIR="$SCRATCH/nobody"
    mkdir "$MRC_RUN_DIR"
    chown 65534:65534 "$MRC_RUN_DIR"
    $as "$mrc" fabric run -q "$SCRATCH/four.yaml" &
    other=$!
    # shellcheck disable=SC2086
    until_true $as "$mrc" fabric show
    both_exit_0 'a user without privileges can run perftest' 1 ib_write_bw -n 500
    way=--preload
    both_exit_0 'a user without privileges can run perftest with a preloaded library' 1 ib_write_bw -n 500
    kill $other
    wait $other
fi
done_testing
