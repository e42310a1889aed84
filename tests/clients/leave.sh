#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Receivers that end as soon as they see what they waited for (leave.c): the sender learns that all has arrived, or why it
# was refused. LEAVE_ROUNDS times each.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
rounds=${LEAVE_ROUNDS:-4}

to=mrc3

leaves() # SENTENCE MANNER
{
    exits 0 "$1" timeout 600 "$BUILD/tests/leave" "$2" mrc0 $to "$rounds"
}

begin_fabric 1
leaves 'a receiver that returns from main at its last completion has acknowledged the last write' return
leaves 'a receiver that calls _exit() has acknowledged the last write' exit
leaves 'a receiver that is killed has acknowledged the last write' kill
leaves 'a receiver that destroys its QP has acknowledged the last write' destroy
leaves 'a receiver that exits at the last byte, without a completion, has acknowledged the last write' memory
leaves 'a receiver that exits when its QP has failed has sent the reason' refuse

end_fabric
port=$((20000 + $$ % 12000)) # below those that the system gives to clients
cat >"$SCRATCH/udp" <<END
mrc0:
  address: 2001:db8::1
  ports:
    - udp:127.0.0.1:$port,127.0.0.1:$((port + 1))
mrc1:
  address: 2001:db8::2
  ports:
    - udp:127.0.0.1:$((port + 1)),127.0.0.1:$port
END
export MRC_CONFIG="$SCRATCH/udp"
to=mrc1
leaves 'over UDP, a receiver that is killed at its last completion has acknowledged the last write' kill
leaves 'over UDP, a receiver that exits when its QP has failed has sent the reason' refuse
done_testing
