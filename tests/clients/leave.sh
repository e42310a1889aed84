#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Receivers that end as soon as they see what they waited for (leave.c): the sender learns that all has arrived, or why it
# was refused. LEAVE_ROUNDS times each.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
rounds=${LEAVE_ROUNDS:-4}

leaves() # SENTENCE MANNER
{
    exits 0 "$1" timeout 600 "$BUILD/tests/leave" "$2" mrc0 mrc3 "$rounds"
}

begin_fabric 1
leaves 'a receiver that returns from main at its last completion has acknowledged it' return
leaves '  so has one that calls _exit()' exit
leaves '  one that is killed' kill
leaves '  one that destroys its QP' destroy
leaves '  and one that exits at the last byte, without a completion' memory
leaves 'a receiver that exits when its QP has failed has said why' refuse
done_testing
