#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Two processes over a soft fabric of four planes, and one failure at a time that lasts a second: what a port, a T0 and a
# T1 cost real endpoints. The pauses are printed, not judged.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"

begin_fabric 20

fail_once() # FAULT
{
    sleep 1
    # shellcheck disable=SC2086
    "$mrc" fabric fault $1 for 1s >/dev/null
}

survives() # SENTENCE FAULT
{
    fail_once "$2" &
    failing=$!
    exits 0 "$1" timeout 60 "$mrc" perf write --devices mrc0,mrc3 -D 4 -s 256K -t 16 -c
    wait $failing
    printf '%s\n' "$output" | grep -E '^# Longest pause' || true
    contains '  and every byte is correct' "$output" 'Out of bounds values : 0 OK'
}

survives 'a port of a NIC that goes down and returns fails no QP' 'port h0.p1 down'
survives 'a T0 that dies and returns fails no QP' 'switch p2.t0.0 down'
survives 'a T1 that dies and returns fails no QP' 'switch p3.t1.1 down'
survives 'a T1 that silently drops everything fails no QP' 'switch p0.t1.0 blackhole'
done_testing
