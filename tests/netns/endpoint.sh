#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc conform endpoint: libmrc passes over two cables, with packet sockets and AF_XDP; cables that are cut end the run.
# shellcheck disable=SC2317 # traps and exits call functions
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/netns.sh"
for end in kit nic; do
    ip netns add "$fabric-$end"
done
for plane in 0 1; do
    ip link add name "eth$plane" address "02:00:00:00:00:0$plane" mtu 9000 netns "$fabric-kit" type veth \
        peer name "eth$plane" address "06:00:00:00:00:0$plane" mtu 9000 netns "$fabric-nic"
    for end in kit nic; do
        within "$end" sysctl -q -w "net.ipv6.conf.eth$plane.disable_ipv6=1"
        ip -n "$fabric-$end" link set dev "eth$plane" up
    done
done

take_down()
{
    ip netns del "$fabric-kit" 2>/dev/null
    ip netns del "$fabric-nic" 2>/dev/null
    rm -rf "$SCRATCH"
}
trap take_down EXIT

device() # KIND
{
    cat >"$SCRATCH/devices.yaml" <<END
mrc0:
  address: 2001:db8:c000::2
  ports:
    - $1:eth0?peer=02:00:00:00:00:00
    - $1:eth1?peer=02:00:00:00:00:01
  give_up_floor: 0
  timeout_floor: 12
END
}

helper="ip netns exec $fabric-nic env MRC_CONFIG=$SCRATCH/devices.yaml $BUILD/bin/mrc-conform-helper \
    --library $BUILD/lib/libmrc.so.1 --verbs $BUILD/lib/libmrc-verbs.so.1"

kit() # KIND OPTION...
{
    kind=$1
    shift
    within kit timeout 150 "$mrc" conform endpoint --port "$kind:eth0,mac=06:00:00:00:00:00" \
        --port "$kind:eth1,mac=06:00:00:00:00:01" --driver "$helper" "$@"
}

device raw
exits 0 'libmrc passes over two cables' kit raw
contains '  all checks' "$output" '119 passed, 0 failed, 0 not implemented, 0 skipped'
is '  and the interfaces are as before' "$(ip -n "$fabric-kit" -d link | grep -o 'promiscuity [1-9]')" ''
device xdp
status=0
output=$(kit xdp 2>&1) || status=$?
case $output in
*eth0:*) skip 'libmrc passes over AF_XDP' "$(printf '%s\n' "$output" | tail -n 1)" ;;
*) is 'libmrc passes over AF_XDP' "$status $(printf '%s\n' "$output" | grep -E '^not ok|Bail|passed')" \
    '0 # the endpoint: 119 passed, 0 failed, 0 not implemented, 0 skipped' ;;
esac
device raw
{
    sleep 1
    ip -n "$fabric-nic" link set dev eth0 down
} &
exits 1 'a cable that is cut ends the run' kit raw --only port-down,timeout,imm,negative,hostile,window,sack
contains '  with a message' "$output" 'Bail out! port raw:eth0'
wait
done_testing
