#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc perf: real processes over a soft fabric of four planes, every byte checked, also while it breaks.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"

exits 2 'mrc perf without a test is refused' "$mrc" perf
is '  and the message names the command that lists them' "$output" "mrc perf: name a test; 'mrc perf --help' lists them"
exits 2 'a misspelt test is refused' "$mrc" perf wirte
is '  and the message suggests the right one' "$output" "mrc perf: there is no test 'wirte'; did you mean 'write'?"
exits 2 'a misspelt option is refused' "$mrc" perf write --sise 3
is '  and the message suggests the right one' "$output" "mrc perf: there is no option '--sise'; did you mean --size?"
exits 2 'a number out of bounds is refused' "$mrc" perf write -s 0
exits 2 'write with three ranks is refused' "$mrc" perf write --local 3
exits 2 'a collective without its number of ranks is refused' "$mrc" perf allreduce
exits 2 'an option of perftest is refused for a collective' "$mrc" perf allreduce --local 2 -s 5
exits 0 '--help exits with 0' "$mrc" perf --help
exits 1 'without devices, perf fails' "$mrc" perf write --local 2
contains '  and the message says how devices are created' "$output" "'mrc fabric run' creates devices"
exits 1 'a server with an unknown device fails before it waits for a client' timeout 20 "$mrc" perf write -d mrc9
contains '  and the message names the device' "$output" 'mrc perf: there is no device mrc9;'

begin_fabric 1
perf()
{
    timeout 60 "$mrc" perf "$@"
}

exits 0 'writes between two ranks arrive' perf write --local 2 -n 100 -s 10000 -q 2 -c
contains '  and the table has the columns of perftest' "$output" '#bytes     #iterations    BW peak[MiB/sec]'
contains '  and every byte is correct' "$output" 'Out of bounds values : 0 OK'
exits 0 'writes of random sizes in both directions arrive' perf write --devices mrc3,mrc0 -n 64 -s 20000 -b -c --random
exits 0 'writes of all sizes arrive' perf write --local 2 -a -n 3 -c -w 0
is '  and each size has a line' "$(echo "$output" | grep -c '^ [0-9]')" 23
exits 0 'perf rate measures the rate of small writes' perf rate --local 2 -n 2000 --report_gbits
contains '  in Gb/sec with --report_gbits' "$output" 'BW average[Gb/sec]'
exits 0 'perf lat measures latency' perf lat --local 2 -n 50
contains '  and prints percentiles' "$output" '99.9% percentile[usec]'
exits 0 'perf lat also works with --events' perf lat --local 2 -n 20 --events -c

for test in allreduce allgather reducescatter alltoall sendrecv incast; do
    exits 0 "$test of four ranks is correct" perf "$test" --local 4 -b 1000 -e 256K -f 16 -n 2 -c --datatype uint32
    is '  at every size' "$(echo "$output" | grep -c '^ .* 0$')" 3
    exits 0 "$test of three ranks with two QPs is correct" perf "$test" --local 3 -b 4 -e 40000 -f 100 -n 2 -q 2 -c
done
contains 'collectives print the columns of nccl-tests' "$output" 'algbw    busbw  #wrong'
contains '  and the last line of nccl-tests' "$output" '# Avg bus bandwidth    : '

exits 0 '--counters prints counters of each NIC' perf incast --local 3 -b 64K -e 64K -n 4 -w 2 --counters data_received,nack_sent
contains '  the receiver counts each packet of both senders' "$output" '# Counters of rank 0   : data_received 192 nack_sent 0'
contains '  a sender counts no received data' "$output" '# Counters of rank 2   : data_received 0 nack_sent 0'
contains '  and the fairness of the senders is printed' "$output" '# Fairness             : '
exits 1 'an unknown counter is refused' perf incast --local 2 --counters nack_sent,nacks
contains '  and the message names it' "$output" "there is no counter 'nacks'; 'mrc stat' shows all while a test runs"
exits 2 'more counters than the limit are refused' perf write --local 2 --counters a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q

if command -v python3 >/dev/null; then
    # shellcheck disable=SC2016
    exits 0 'the JSON is complete and has the values of the table' sh -c '"$1" perf lat --local 2 -n 40 -j | python3 -c "
import json, sys
result = json.load(sys.stdin)
row = result[\"rows\"][0]
assert result[\"status\"] == \"finished\" and result[\"devices\"] == [\"mrc0\", \"mrc1\"]
assert row[\"iterations\"] == 40 and row[\"t_min_us\"] <= row[\"t_typical_us\"] <= row[\"t_max_us\"]
"' sh "$mrc"
else
    skip 'the JSON is complete and has the values of the table' 'python3 is not installed'
fi
perf allreduce --local 2 -b 4K -e 4K -n 2 --quiet --out_json_file "$SCRATCH/result.json"
contains '--out_json_file writes the result to a file' "$(cat "$SCRATCH/result.json")" '"openmrc_perf": 1'

# Apart from each other: the client's word counts.
port=$((20000 + $$ % 12000)) # below those that the system gives to clients
perf write -d mrc0 -p "$port" 2>"$SCRATCH/server" &
server=$!
exits 0 'a server and a client connect by TCP' perf write -d mrc2 -p "$port" -s 3000 -n 50 -c 127.0.0.1
wait $server
is '  and both succeed' $? 0
contains '  and the server prints its port' "$(cat "$SCRATCH/server")" "waiting for a client on port $port"
if command -v python3 >/dev/null; then
    perf write -d mrc0 -p "$port" 2>"$SCRATCH/server" &
    server=$!
    until_true grep -q waiting "$SCRATCH/server"
    python3 -c 'import socket, sys, time
silent = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for i in range(3)]
silent[0].send(b"not a rank of this test")
print("connected", flush=True)
time.sleep(60)' "$port" >"$SCRATCH/silent" &
    silent=$!
    until_true grep -q connected "$SCRATCH/silent"
    exits 0 'a connection to the server that sends nothing, or other data, does not delay the test' \
        timeout 30 "$mrc" perf write -d mrc2 -p "$port" -s 3000 -n 50 -c 127.0.0.1
    kill $silent
    wait $silent $server 2>/dev/null
else
    skip 'a connection to the server that sends nothing, or other data, does not delay the test' 'python3 is not installed'
fi
perf lat -d mrc0 -p "$port" 2>"$SCRATCH/server" &
server=$!
exits 1 'a server and a client with different tests fail' perf write -d mrc2 -p "$port" 127.0.0.1
contains '  and the message names the difference' "$output" 'rank 1: the test differs from that of rank 0 (write)'
wait $server
for rank in 1 2; do
    perf alltoall -d mrc$rank --rank $rank --ranks 3 --rendezvous "127.0.0.1:$port" &
done
exits 0 'ranks that are started one by one meet at a rendezvous' \
    perf alltoall -d mrc0 --rank 0 --ranks 3 --rendezvous "127.0.0.1:$port" -b 3K -e 3K -n 3 -c
exits 1 'two ranks cannot share a device' perf write --devices mrc0,mrc0
contains '  and the message says that it is busy' "$output" 'Device or resource busy'

# Things break while data moves.
breaks()
{
    inject_faults 0.2 <<EOF
switch p0.t1.0 down
port h0.p1 down
switch p0.t1.0 up
plane p2 blackhole
port h0.p1 up
port h3.p3 flap 20ms 50%
plane p2 up
link p0.t0.0-t1.1 loss 20%
clear
EOF
}

breaks &
exits 0 'writes complete while a T1, a NIC port and a plane fail and return' \
    perf write --devices mrc0,mrc3 -D 3 --random -b -q 2 -c --interval 1
contains '  and every byte is correct' "$output" 'Out of bounds values : 0 OK'
wait $!
breaks &
exits 0 'sums complete while a T1, a NIC port and a plane fail and return' perf allreduce --local 4 -b 200K -e 200K -D 3 -c
contains '  and are correct' "$output" 'Out of bounds values : 0 OK'
wait $!

# A rank that dies ends the others.
perf write -d mrc0 -p "$port" 2>"$SCRATCH/server" &
server=$!
"$mrc" perf write -d mrc1 -p "$port" -D 30 127.0.0.1 >"$SCRATCH/client" 2>&1 &
client=$!
until_true grep -q '#bytes' "$SCRATCH/client"
kill -KILL $client
wait $client 2>/dev/null
wait $server
is 'a rank whose peer is killed ends' "$(tail -n 1 "$SCRATCH/server")" \
    'mrc perf: rank 1: rank 0 has gone away: killed, or its connection was cut'

"$mrc" perf write --local 2 -D 30 >"$SCRATCH/interrupted" 2>&1 &
run=$!
until_true grep -q '#bytes' "$SCRATCH/interrupted"
sleep 1
kill -TERM $run
wait $run
is 'an interrupted test fails' $? 1
is '  but prints its results so far' "$(grep -c '^ 65536 \|^# interrupted' "$SCRATCH/interrupted")" 2

# The first signal ends a test, whatever it waits for. A background job ignores SIGINT.
# shellcheck disable=SC2317
sleeps_and_catches_term() # PROCESS
{
    grep -q '^State:.*sleeping' "/proc/$1/status" && grep -q '^SigCgt:.*[4-7c-f]...$' "/proc/$1/status"
}

"$mrc" perf write -d mrc0 -p "$port" 127.0.0.1 >"$SCRATCH/alone" 2>&1 &
run=$!
until_true sleeps_and_catches_term $run
kill -TERM $run
wait $run
is 'a signal ends a rank that waits for its peer' "$?: $(cat "$SCRATCH/alone")" \
    '1: mrc perf: interrupted before all ranks had connected'
"$mrc" perf write -d mrc0 -p "$port" 2>"$SCRATCH/faithful" &
server=$!
"$mrc" perf write -d mrc1 -p "$port" -D 30 127.0.0.1 >"$SCRATCH/stopped" 2>&1 &
client=$!
others="$server $client"
until_true grep -q '#bytes' "$SCRATCH/stopped"
kill -STOP $client
kill -TERM $server
wait $server
is 'a signal ends a rank whose peer is stopped' "$?: $(tail -n 1 "$SCRATCH/faithful")" \
    '1: mrc perf: rank 1: interrupted, and rank 0 does not answer'
exits 0 '  and its device is free afterwards' perf write --devices mrc0,mrc2 -n 10
kill -KILL $client
wait $client 2>/dev/null

# A fabric that has stopped does not let NICs in.
kill -STOP "$fabric"
"$mrc" perf write --local 2 >"$SCRATCH/waits" 2>&1 &
run=$!
until_true grep -q "^$run " "$MRC_RUN_DIR/mrc/mrc0/owner"
kill -TERM $run
wait $run
is 'a signal ends a test that waits for its fabric' "$?: $(cat "$SCRATCH/waits")" '143: mrc perf: interrupted'
kill -CONT "$fabric"

# The planes of a fabric may be moved by several threads.
exits 2 'a fabric with 0 threads is refused' "$mrc" fabric run --threads 0 "$SCRATCH/four.yaml"
end_fabric
begin_fabric 1 --threads 3
set -- /proc/"$fabric"/task/*
is 'with --threads 3, three threads forward frames and one answers requests' $# 4
breaks &
exits 0 'sums complete over a fabric with threads while links fail' perf allreduce --local 4 -b 200K -e 200K -D 3 -c
contains '  and are correct' "$output" 'Out of bounds values : 0 OK'
wait $!
"$mrc" fabric fault plane p1 down
"$mrc" fabric fault port h0.p2 down
is 'a fault affects only the links that it names' "$("$mrc" fabric show | awk '$1 == "h0" { printf "%s ", $3 }')" 'up DOWN DOWN up '
"$mrc" fabric fault clear
is '  and fault clear ends it' "$("$mrc" fabric show | grep -c DOWN)" 0
exits 0 'NICs can be closed and opened again' perf write --local 2 -n 100 -c
exits 0 'the fabric stops on request' "$mrc" fabric stop
wait "$fabric"
is '  with status 0' $? 0
fabric=
done_testing
