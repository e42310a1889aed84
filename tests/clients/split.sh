#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Messages that are split over the QPs of a connection (split.c), as NCCL does with NCCL_IB_SPLIT_DATA_ON_QPS=1: where
# the QPs belong to different engines, each finds its receive. SPLIT_MESSAGES each way.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
messages=${SPLIT_MESSAGES:-2000}

# shellcheck disable=SC2317 # exits calls it
split() # ENGINES QPS
{
    MRC_ENGINES=$1 timeout 200 "$BUILD/tests/split" mrc0 mrc3 "$2" "$messages"
}

begin_fabric 1
exits 0 'messages are split over two QPs of one engine' split 1 2
exits 0 'messages are split over two QPs of two engines' split 2 2
exits 0 'messages are split over four QPs of two engines' split 2 4
exits 0 'messages are split over four QPs of four engines' split 4 4
while :; do
    inject_faults 0.1 <<END
port h0.p0 down
plane p1 down
port h0.p0 up
plane p1 up
END
done >/dev/null 2>&1 &
others="$others $!"
exits 0 'messages are split over two QPs while a port and a plane fail and return' split 2 2
done_testing
