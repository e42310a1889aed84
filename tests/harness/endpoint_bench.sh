# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2034,SC2154
# For mrc conform endpoint: after tap.sh and soft.sh. The device under test is libmrc of $device_build, with two UDP ports on this
# machine, driven by mrc-conform-helper.
device_build=${DEVICE_BUILD:-$BUILD}
MRC_CONFIG=$SCRATCH/devices.yaml
export MRC_CONFIG
first=$((20000 + $$ % 20000)) # of four UDP ports of this machine
cat >"$MRC_CONFIG" <<END
mrc0:
  address: 2001:db8:c000::2
  ports:
    - udp:127.0.0.1:$((first + 1)),127.0.0.1:$first
    - udp:127.0.0.1:$((first + 3)),127.0.0.1:$((first + 2))
  give_up_floor: 0
  timeout_floor: 12
END
plane_0=udp:127.0.0.1:$first,127.0.0.1:$((first + 1))
plane_1=udp:127.0.0.1:$((first + 2)),127.0.0.1:$((first + 3))
helper="$BUILD/bin/mrc-conform-helper --library $device_build/lib/libmrc.so.1 --verbs $BUILD/lib/libmrc-verbs.so.1 --device mrc0"

kit() # OPTION...
{
    timeout 150 "$mrc" conform endpoint --port "$plane_0" --port "$plane_1" --driver "$helper" "$@"
}
