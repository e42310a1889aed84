#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc perf: real processes over a soft fabric of four planes, every byte checked, also while it breaks.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"

exits 2 'without a test it says so' "$mrc" perf
is 'in a line' "$output" "mrc perf: name a test; 'mrc perf --help' lists them"
exits 2 'a test that is not there is refused' "$mrc" perf wirte
is 'with the one that was meant' "$output" "mrc perf: there is no test 'wirte'; did you mean 'write'?"
exits 2 'an option that is not there is refused' "$mrc" perf write --sise 3
is 'with the one that was meant, too' "$output" "mrc perf: there is no option '--sise'; did you mean --size?"
exits 2 'a number out of bounds is refused' "$mrc" perf write -s 0
exits 2 'a pair is two' "$mrc" perf write --local 3
exits 2 'a collective wants to know its ranks' "$mrc" perf allreduce
exits 2 'letters of the other family are refused' "$mrc" perf allreduce --local 2 -s 5
exits 0 'it explains itself' "$mrc" perf --help
exits 1 'without devices it fails' "$mrc" perf write --local 2
contains 'and says where they come from' "$output" "'mrc fabric run' creates devices"
exits 1 'a server does not wait for a client first' timeout 20 "$mrc" perf write -d mrc9
contains 'but says at once what it lacks' "$output" 'mrc perf: there is no device mrc9;'

begin_fabric 1
perf()
{
    timeout 60 "$mrc" perf "$@"
}

exits 0 'writes between two ranks arrive' perf write --local 2 -n 100 -s 10000 -q 2 -c
contains 'with the columns of perftest' "$output" '#bytes     #iterations    BW peak[MiB/sec]'
contains 'and nothing is wrong' "$output" 'Out of bounds values : 0 OK'
exits 0 'also both ways, of random sizes' perf write --devices mrc3,mrc0 -n 64 -s 20000 -b -c --random
exits 0 'and of all sizes' perf write --local 2 -a -n 3 -c -w 0
is 'one line each' "$(echo "$output" | grep -c '^ [0-9]')" 23
exits 0 'small ones are counted' perf rate --local 2 -n 2000 --report_gbits
contains 'in Gb/sec if asked' "$output" 'BW average[Gb/sec]'
exits 0 'latency is measured' perf lat --local 2 -n 50
contains 'with its percentiles' "$output" '99.9% percentile[usec]'
exits 0 'also asleep' perf lat --local 2 -n 20 --events -c

for test in allreduce allgather reducescatter alltoall sendrecv incast; do
    exits 0 "$test is right among four" perf "$test" --local 4 -b 1000 -e 256K -f 16 -n 2 -c --datatype uint32
    is '  at every size' "$(echo "$output" | grep -c '^ .* 0$')" 3
    exits 0 "$test is right among three, with two QPs" perf "$test" --local 3 -b 4 -e 40000 -f 100 -n 2 -q 2 -c
done
contains 'collectives have the columns of nccl-tests' "$output" 'algbw    busbw  #wrong'
contains 'and their last line' "$output" '# Avg bus bandwidth    : '

exits 0 'NICs tell what they counted' perf incast --local 3 -b 64K -e 64K -n 4 -w 2 --counters data_received,nack_sent
contains '  each packet of both senders' "$output" '# Counters of rank 0   : data_received 192 nack_sent 0'
contains '  those who only send receive nothing' "$output" '# Counters of rank 2   : data_received 0 nack_sent 0'
contains '  and how equal the senders were' "$output" '# Fairness             : '
exits 1 'a counter that is not there is refused' perf incast --local 2 --counters nack_sent,nacks
contains '  by its name' "$output" "there is no counter 'nacks'; 'mrc stat' shows all while a test runs"
exits 2 'so are too many' perf write --local 2 --counters a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q

if command -v python3 >/dev/null; then
    # shellcheck disable=SC2016
    exits 0 'the JSON is whole, and like the table' sh -c '"$1" perf lat --local 2 -n 40 -j | python3 -c "
import json, sys
result = json.load(sys.stdin)
row = result[\"rows\"][0]
assert result[\"status\"] == \"finished\" and result[\"devices\"] == [\"mrc0\", \"mrc1\"]
assert row[\"iterations\"] == 40 and row[\"t_min_us\"] <= row[\"t_typical_us\"] <= row[\"t_max_us\"]
"' sh "$mrc"
else
    skip 'the JSON is whole, and like the table' 'python3 is not installed'
fi
perf allreduce --local 2 -b 4K -e 4K -n 2 --quiet --out_json_file "$SCRATCH/result.json"
contains 'a file takes the result, too' "$(cat "$SCRATCH/result.json")" '"openmrc_perf": 1'

# Apart from each other: the client's word counts.
port=$((20000 + $$ % 20000))
perf write -d mrc0 -p "$port" 2>"$SCRATCH/server" &
server=$!
exits 0 'a server and a client meet by TCP' perf write -d mrc2 -p "$port" -s 3000 -n 50 -c 127.0.0.1
wait $server
is 'both succeed' $? 0
contains 'the server says where it waits' "$(cat "$SCRATCH/server")" "waiting for a client on port $port"
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
    exits 0 'clients that say nothing, or something else, hold up no rank' \
        timeout 30 "$mrc" perf write -d mrc2 -p "$port" -s 3000 -n 50 -c 127.0.0.1
    kill $silent
    wait $silent $server 2>/dev/null
else
    skip 'clients that say nothing, or something else, hold up no rank' 'python3 is not installed'
fi
perf lat -d mrc0 -p "$port" 2>"$SCRATCH/server" &
server=$!
exits 1 'two different tests do not go together' perf write -d mrc2 -p "$port" 127.0.0.1
contains 'as both are told' "$output" 'rank 1: the test differs from that of rank 0 (write)'
wait $server
for rank in 1 2; do
    perf alltoall -d mrc$rank --rank $rank --ranks 3 --rendezvous "127.0.0.1:$port" &
done
exits 0 'ranks that are started one by one meet at a rendezvous' \
    perf alltoall -d mrc0 --rank 0 --ranks 3 --rendezvous "127.0.0.1:$port" -b 3K -e 3K -n 3 -c
exits 1 'a device is one rank' perf write --devices mrc0,mrc0
contains 'as the message says' "$output" 'Device or resource busy'

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
exits 0 'writes arrive while a T1, a NIC port and a plane die and come back' \
    perf write --devices mrc0,mrc3 -D 3 --random -b -q 2 -c --interval 1
contains '  and are right' "$output" 'Out of bounds values : 0 OK'
wait $!
breaks &
exits 0 'so do sums' perf allreduce --local 4 -b 200K -e 200K -D 3 -c
contains '  which are right' "$output" 'Out of bounds values : 0 OK'
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
is 'but prints what there is' "$(grep -c '^ 65536 \|^# interrupted' "$SCRATCH/interrupted")" 2

# The first signal ends a test, whatever it waits for. A background job ignores SIGINT.
sleeps_and_catches_term() # PROCESS
{
    grep -q '^State:.*sleeping' "/proc/$1/status" && grep -q '^SigCgt:.*[4-7c-f]...$' "/proc/$1/status"
}

"$mrc" perf write -d mrc0 -p "$port" 127.0.0.1 >"$SCRATCH/alone" 2>&1 &
run=$!
until_true sleeps_and_catches_term $run
kill -TERM $run
wait $run
is 'a signal ends a rank that looks for the other' "$?: $(cat "$SCRATCH/alone")" \
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
is 'a signal ends a rank whose peer says nothing any more' "$?: $(tail -n 1 "$SCRATCH/faithful")" \
    '1: mrc perf: rank 1: interrupted, and rank 0 does not answer'
exits 0 '  and leaves its device free' perf write --devices mrc0,mrc2 -n 10
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
exits 2 'a fabric wants a thread at least' "$mrc" fabric run --threads 0 "$SCRATCH/four.yaml"
end_fabric
begin_fabric 1 --threads 3
set -- /proc/"$fabric"/task/*
is 'three threads move the planes, one answers' $# 4
breaks &
exits 0 'sums are right over threads, while things break' perf allreduce --local 4 -b 200K -e 200K -D 3 -c
contains '  all of them' "$output" 'Out of bounds values : 0 OK'
wait $!
"$mrc" fabric fault plane p1 down
"$mrc" fabric fault port h0.p2 down
is 'a fault is where it was meant' "$("$mrc" fabric show | awk '$1 == "h0" { printf "%s ", $3 }')" 'up DOWN DOWN up '
"$mrc" fabric fault clear
is 'and is gone when it is cleared' "$("$mrc" fabric show | grep -c DOWN)" 0
exits 0 'NICs come and go' perf write --local 2 -n 100 -c
exits 0 'it ends when told to' "$mrc" fabric stop
wait "$fabric"
is '  in order' $? 0
fabric=
done_testing
