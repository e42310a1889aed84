#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Measures endpoints of real processes on this machine, one after the other, each with its reference. Prints JSON lines
# for tools/bench. $ENDPOINT, which starts this script, also measures the plain UDP used as reference.
set -eu
mrc=$(dirname "$ENDPOINT")/../bin/mrc
seconds=${ENDPOINT_SECONDS:-4}
mtu=2048          # path MTU: the largest that AF_XDP on veth allows
frame=2152        # with all headers of MRC
link_mtu=2304     # of the veth pair
folder=$(mktemp -d)
export MRC_RUN_DIR="$folder/run"
mkdir "$MRC_RUN_DIR"
unset MRC_CONFIG MRC_PCAP
one=endpoint-$$-a
other=endpoint-$$-b
pids=

clean_up()
{
    # shellcheck disable=SC2086
    [ -z "$pids" ] || kill $pids 2>/dev/null || true
    ip netns del $one 2>/dev/null || true
    ip netns del $other 2>/dev/null || true
    rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 1' HUP INT PIPE TERM

result() # METRIC VALUE UNIT [COMPARED-WITH REFERENCE]
{
    [ -n "$2" ] || return 0
    if [ -n "${5:-}" ]; then
        echo "{\"bench\": \"endpoint\", \"metric\": \"$1\", \"value\": $2, \"unit\": \"$3\", \"compared_with\": \"$4\", \"reference\": $5}"
    else
        echo "{\"bench\": \"endpoint\", \"metric\": \"$1\", \"value\": $2, \"unit\": \"$3\"}"
    fi
}

say()
{
    echo "endpoint: $*" >&2
}

figure() # NAME, of the JSON on standard input
{
    sed -n "s/^ *\"$1\": \([0-9.]*\),*\$/\1/p" | head -n 1
}

# Between two processes, on the devices mrc0 and mrc1.
write_gbps() # [OPTION...]
{
    timeout $((seconds + 30)) "$mrc" perf write --devices mrc0,mrc1 -s 1M -t 16 -m $mtu -D "$seconds" -j "$@" 2>>"$folder/log" |
        figure bw_average_gbps
}

load()
{
    cut -d ' ' -f 1 /proc/loadavg
}

result 'load of the machine before' "$(load)" processes

# ---- plain UDP, and MRC directly in UDP --------------------------------------------------------------------

blast=$("$ENDPOINT" blast $((seconds * 1000)) $frame)
ping=$("$ENDPOINT" ping 20000 100)
result 'bare UDP, sendmmsg, loopback' "$blast" Gb/s
port=$((20000 + $$ % 20000))
cat >"$folder/direct" <<EOF
mrc0:
  address: 2001:db8::1
  ports:
    - udp:127.0.0.1:$port,127.0.0.1:$((port + 1))
mrc1:
  address: 2001:db8::2
  ports:
    - udp:127.0.0.1:$((port + 1)),127.0.0.1:$port
EOF
export MRC_CONFIG="$folder/direct"
result 'writes of 1 MiB, udp direct' "$(write_gbps)" Gb/s 'bare UDP' "$blast"
latency=$(timeout 60 "$mrc" perf lat --devices mrc0,mrc1 -n 20000 -j 2>>"$folder/log" | figure t_typical_us)
result 'latency of 8 bytes, udp direct' "$latency" us 'UDP ping-pong' "$ping"
unset MRC_CONFIG

# ---- a veth pair: TCP, AF_XDP, AF_PACKET -------------------------------------------------------------------

make_veth()
{
    ip netns add $one && ip netns add $other || return 1
    ip -n $one link add d0 mtu $link_mtu type veth peer name d0 mtu $link_mtu netns $other
    ip -n $one link add mgmt type veth peer name mgmt netns $other
    for end in "$one 1" "$other 2"; do
        ip -n "${end% *}" link set lo up
        ip -n "${end% *}" link set d0 up
        ip -n "${end% *}" link set mgmt up
        ip -n "${end% *}" address add "10.98.0.${end#* }/24" dev d0
        ip -n "${end% *}" address add "10.97.0.${end#* }/24" dev mgmt
        # Packet sockets get copies of frames. With IPv6, the kernel would look up a route for each frame and report an error.
        ip netns exec "${end% *}" sh -c 'echo 1 >/proc/sys/net/ipv6/conf/d0/disable_ipv6' || true
    done
}

# The rate of one stream for $seconds, in Gb/s.
tcp_gbps()
{
    ip netns exec $other iperf3 -s -1 >"$folder/iperf-server" 2>&1 &
    sleep 1
    ip netns exec $one iperf3 -c 10.98.0.2 -t "$seconds" -J 2>>"$folder/log" |
        awk '/"sum_received"/ { inside = 1 } inside && /bits_per_second/ { printf "%.3f", $2 / 1e9; exit }'
    wait $!
}

# Server and client are in different namespaces. They meet over mgmt, because AF_XDP takes all frames of d0.
veth_gbps() # KIND of port
{
    for end in 1 2; do
        cat >"$folder/$1$end" <<EOF
mrc0:
  address: 2001:db8::$end
  ports:
    - $1:d0
EOF
    done
    MRC_CONFIG=$folder/${1}2 MRC_RUN_DIR=$folder/run2 ip netns exec $other timeout $((seconds + 30)) \
        "$mrc" perf write -d mrc0 2>>"$folder/log" &
    sleep 1
    MRC_CONFIG=$folder/${1}1 ip netns exec $one timeout $((seconds + 30)) "$mrc" perf write -d mrc0 -s 1M -t 16 -m $mtu \
        -D "$seconds" -j 10.97.0.2 2>>"$folder/log" | figure bw_average_gbps
    wait $!
}

tcp=
tcp_joined=
beside_tcp() # METRIC VALUE
{
    result "$1" "$2" Gb/s 'TCP, same frames' "$tcp"
    [ -z "$tcp_joined" ] || result "$1" "$2" Gb/s 'TCP, segments joined' "$tcp_joined"
}

if [ "$(id -u)" -ne 0 ]; then
    say 'no veth pair without root: neither TCP nor AF_XDP nor AF_PACKET is measured'
elif ! make_veth 2>>"$folder/log"; then
    say 'this machine allows no namespaces'
else
    mkdir "$folder/run2"
    if command -v iperf3 >/dev/null; then
        tcp_joined=$(tcp_gbps)
        result 'TCP over veth, segments joined' "$tcp_joined" Gb/s
    else
        say 'iperf3 is not installed'
    fi
    # Otherwise veth passes on up to 64 KiB at once and does not make frames.
    if [ -n "$tcp_joined" ] && ip netns exec $one ethtool -K d0 tso off gso off 2>>"$folder/log" &&
        ip netns exec $other ethtool -K d0 tso off gso off gro off 2>>"$folder/log"; then
        tcp=$(tcp_gbps)
        result 'TCP over veth, same frames' "$tcp" Gb/s
    else
        say 'without ethtool TCP cannot be told to send the same frames'
    fi
    beside_tcp 'writes of 1 MiB, AF_XDP over veth' "$(veth_gbps xdp)"
    beside_tcp 'writes of 1 MiB, AF_PACKET over veth' "$(veth_gbps raw)"
fi

# ---- a soft fabric -----------------------------------------------------------------------------------------

cat >"$folder/fabric.yaml" <<EOF
planes: 4
t0s: 2
t1s: 2
hosts_per_t0: 1
host_link: { rate: 100Gb/s, delay: 500ns }
uplink: { rate: 100Gb/s, delay: 500ns }
EOF
"$mrc" fabric run -q "$folder/fabric.yaml" &
pids=$!
tries=0
while [ "$tries" -lt 100 ] && ! "$mrc" fabric show >/dev/null 2>&1; do
    tries=$((tries + 1))
    sleep 0.1
done
# Three processes on two processors: a process that waits must sleep, as with iperf3.
beside_tcp 'writes of 1 MiB, soft fabric (shm)' "$(write_gbps --events)"

# ---- a verbs program over the same fabric ------------------------------------------------------------------

perf_gbps() # 64 KiB, as many in flight as perftest has
{
    timeout $((seconds + 30)) "$mrc" perf write --devices mrc0,mrc1 -s 64K -D "$seconds" -j 2>>"$folder/log" |
        figure bw_average_gbps
}

verbs_gbps()
{
    port=$((port + 1))
    timeout $((seconds + 30)) "$mrc" exec --nic h0 -- ib_write_bw -s 65536 -D "$seconds" -p $port >/dev/null 2>>"$folder/log" &
    sleep 1
    timeout $((seconds + 30)) "$mrc" exec --nic h1 -- ib_write_bw -s 65536 -D "$seconds" --report_gbits -p $port 127.0.0.1 \
        2>>"$folder/log" | awk '$1 == 65536 { print $4 }'
    wait $!
}

median() # of the lines on standard input
{
    sort -n | awk '{ value[NR] = $1 } END { if (NR) print value[int((NR + 1) / 2)] }'
}

if command -v ib_write_bw >/dev/null; then
    for _ in 1 2 3; do # alternately, so that disturbances affect both
        perf_gbps >>"$folder/perf"
        verbs_gbps >>"$folder/verbs"
    done
    result 'writes of 64 KiB by ib_write_bw, soft fabric' "$(median <"$folder/verbs")" Gb/s 'mrc perf' "$(median <"$folder/perf")"
else
    say 'ib_write_bw is not installed (package perftest)'
fi

# A receiver whose sender is idle: its NIC is open, its QP is connected, nothing arrives.
ticks()
{
    sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'
}
"$mrc" perf write -d mrc1 -p $port 2>>"$folder/log" &
server=$!
pids="$pids $server"
"$mrc" perf write -d mrc0 -p $port -D 60 127.0.0.1 >"$folder/idle" 2>>"$folder/log" &
client=$!
pids="$pids $client"
sleep 2
kill -STOP $client
sleep 2
before=$(ticks $server)
sleep 5
after=$(ticks $server)
kill -KILL $client
wait $client 2>/dev/null || true
wait $server 2>/dev/null || true
result 'idle NIC, share of a processor' "$(awk -v ticks=$((after - before)) -v hz="$(getconf CLK_TCK)" 'BEGIN { printf "%.2f", 100 * ticks / hz / 5 }')" %
result 'load of the machine after' "$(load)" processes
grep -v 'waiting for a client\|has gone away' "$folder/log" >&2 || true
