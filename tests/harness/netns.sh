# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# For tests that build fabrics of network namespaces: after tap.sh. Skips the test where that cannot be done. The
# fabric's name is in $fabric, and whatever happens nothing stays behind.

[ "$(id -u)" -eq 0 ] || skip_all 'only root can make network namespaces'
command -v ip >/dev/null || skip_all 'there is no ip command: install iproute2'

mrc=$BUILD/bin/mrc
fabric=t$$
MRC_RUN_DIR=$SCRATCH/run
export MRC_RUN_DIR
mkdir "$MRC_RUN_DIR"

links()
{
    ip -o link show | cut -d : -f 2 | sort
}
links_before=$(links)

probe=$fabric-probe
ip netns add "$probe" 2>/dev/null || skip_all 'this machine allows no network namespaces'
ip -n "$probe" link add name d0 type veth peer name d1 2>/dev/null || {
    ip netns del "$probe"
    skip_all 'this kernel has no veth interfaces'
}
has_next_csid=true
ip -n "$probe" link add name sid type bridge
ip -n "$probe" link set dev sid up
ip -n "$probe" route add fc00::/48 encap seg6local action End count flavors next-csid lblen 32 nflen 16 dev sid \
    2>/dev/null || has_next_csid=false
ip netns del "$probe"

needs_next_csid()
{
    $has_next_csid || skip_all 'this kernel or its ip command has no seg6local End with next-csid (Linux 6.1)'
}

clean_up()
{
    "$mrc" fabric down -n "$fabric"
    rm -rf "$SCRATCH"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

tiny() # [KEY: VALUE]...: 2 planes, 2 T0s and 2 T1s each, 4 hosts
{
    printf '%s\n' 'planes: 2' 't0s: 2' 't1s: 2' 'hosts_per_t0: 2' "$@" >"$SCRATCH/tiny.yaml"
    echo "$SCRATCH/tiny.yaml"
}

within() # HOST COMMAND...
{
    host=$1
    shift
    ip netns exec "$fabric-$host" "$@"
}

# Where both processes leave what they saw on their ports, as hN; empty: nowhere.
captures=

# Two processes, one in each host: hFROM writes to hTO, which checks every byte. Options are perf's.
begin_writes() # FROM TO OPTION...
{
    from=$1
    to=$2
    shift 2
    MRC_PCAP=${captures:+$captures/h$to} within "h$to" timeout 120 \
        "$mrc" perf write -d "mrc$to" -c >"$SCRATCH/server" 2>&1 &
    server=$!
    MRC_PCAP=${captures:+$captures/h$from} within "h$from" timeout 120 \
        "$mrc" perf write -d "mrc$from" -c "$@" "10.99.0.$((to + 1))" >"$SCRATCH/client" 2>&1 &
    client=$!
}

end_writes() # SENTENCE
{
    client_status=0
    server_status=0
    wait "$client" || client_status=$?
    wait "$server" || server_status=$?
    if [ "$client_status$server_status" = 00 ]; then
        ok "$1"
    else
        not_ok "$1" "client: exit status $client_status" "$(cat "$SCRATCH/client")" \
            "server: exit status $server_status" "$(cat "$SCRATCH/server")"
    fi
}

writes() # SENTENCE FROM TO OPTION...
{
    sentence=$1
    shift
    begin_writes "$@"
    end_writes "$sentence"
}

# Of end_writes, in ms: the longest time in which none of the writes under way completed.
pause_of_writes()
{
    sed -n 's/^# Longest pause *: \([0-9]*\).*/\1/p' "$SCRATCH/client"
}

# Bytes complete in every window of a second if no pause is as long. Where others have the processors there are such pauses
# without any fault, too.
pauses_shortly() # SENTENCE
{
    pause=$(pause_of_writes)
    echo "# the longest pause: ${pause:=9999} ms"
    if [ "$pause" -lt 1000 ]; then
        ok "$1"
        return
    fi
    writes '  and without faults' 0 3 -s 256K --random -q 2 -D 6
    if [ "$(pause_of_writes)" -gt 300 ]; then
        skip "$1" "this machine is too busy: $pause ms without a completion, $(pause_of_writes) ms without any fault"
    else
        not_ok "$1" "$pause ms without a completion, $(pause_of_writes) ms without faults"
    fi
}

# Until so many more frames have crossed switches, as long as somebody writes.
let_frames_cross() # COUNT
{
    goal=$(($(frames_so_far) + $1))
    while [ "$(frames_so_far)" -lt "$goal" ] && kill -0 "$client" 2>/dev/null; do
        :
    done
}

# A number from `mrc fabric show -j`: the sum over all ports of all switches.
counted() # COUNTER
{
    "$mrc" fabric show -n "$fabric" -j | awk -v name="\"$1\":" '$1 == name { sum += $2 } END { print sum + 0 }'
}

frames_so_far()
{
    counted frames
}

nothing_is_left() # SENTENCE
{
    is "$1" "$(ip netns list | grep "^$fabric-"; find "$MRC_RUN_DIR" -mindepth 2)$(links)" "$links_before"
}
