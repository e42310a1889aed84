# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154
# For mrc conform switch: after tap.sh and netns.sh. One switch of a fabric in a namespace, with its four ports (d0 and d1
# to hosts, u0 and u1 to switches) cabled to the namespace of the kit. d0 and u0 are slow, so that their queues fill.
device_build=${DEVICE_BUILD:-$BUILD} # of mrc switch
description=$SCRATCH/bench.yaml
cat >"$description" <<END
planes: 1
t0s: 2
t1s: 2
hosts_per_t0: 2
host_link: { rate: 1Gb/s, delay: 10us }
uplink: { rate: 1Gb/s, delay: 10us }
buffers: { data: 64KiB, host_data: 64KiB, control: 32KiB, red_min: 16KiB, red_max: 40KiB }
exceptions: [{ link: h0.p0, rate: 20Mb/s }, { link: p0.t0.0-t1.0, rate: 20Mb/s }]
END
bench_ports='d0 d1 u0 u1'
device= # the process of mrc switch

cable_switch()
{
    ip netns add "$fabric-p0.t0.0"
    ip netns add "$fabric-kit"
    number=0
    for port in $bench_ports; do
        ip link add name "$port" address "06:00:00:00:00:0$number" mtu 9216 netns "$fabric-p0.t0.0" type veth \
            peer name "$port" mtu 9216 netns "$fabric-kit"
        ip -n "$fabric-p0.t0.0" link set dev "$port" up
        ip -n "$fabric-kit" link set dev "$port" up
        number=$((number + 1))
    done
}

# mrc switch: the device that trims and marks.
start_switch()
{
    cable_switch
    "$device_build/bin/mrc" switch -q --paced --netns "$fabric" --only p0.t0.0 "$description" >"$SCRATCH/switch" 2>&1 &
    device=$!
    until "$mrc" fabric show -n "$fabric" >"$SCRATCH/show" 2>&1 || ! kill -0 "$device" 2>/dev/null; do sleep 0.05; done
}

# The Linux kernel, with the routes of mrc plan config.
start_kernel()
{
    cable_switch
    "$mrc" plan config -f linux -s p0.t0.0 "$description" >"$SCRATCH/switch.sh"
    within p0.t0.0 sh "$SCRATCH/switch.sh" >"$SCRATCH/routes" 2>&1
}

stop_device()
{
    [ -z "$device" ] || kill -9 "$device" 2>/dev/null
    [ -z "$device" ] || wait "$device" 2>/dev/null
    device=
    "$mrc" fabric down -n "$fabric"
    ip netns del "$fabric-kit" 2>/dev/null
}

stop_bench()
{
    stop_device
    rm -rf "$SCRATCH"
}
trap stop_bench EXIT

kit() # OPTION...
{
    within kit timeout 120 "$mrc" conform switch --fabric "$description" --switch p0.t0.0 --port d0,port=d0 \
        --port d1,port=d1 --port u0,port=u0 --port u1,port=u1 "$@"
}
