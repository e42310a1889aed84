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

# A busy machine may not run a switch for seconds: with sched_autogroup_enabled, a process in a session of its own waited for
# up to five, able to run, beside two dozen others. A QP that gave up then would have no defect. One that waits for something
# that never comes is ended by begin_writes.
never_give_up() # HOST
{
    config=$MRC_RUN_DIR/mrc/mrc$1/config
    grep -q '^  retry_exponential:' "$config" || echo '  retry_exponential: 25' >>"$config"
}

# Two processes, one in each host: hFROM writes to hTO, which checks every byte. Options are perf's.
begin_writes() # FROM TO OPTION...
{
    from=$1
    to=$2
    shift 2
    never_give_up "$from"
    never_give_up "$to"
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

# begin_writes and end_writes over and over, until stop_writing. $client is the process that does so.
keep_writing() # FROM TO OPTION...
{
    rm -f "$SCRATCH/enough" "$SCRATCH/failed" "$SCRATCH/ended"
    touch "$SCRATCH/ended"
    {
        until [ -e "$SCRATCH/enough" ] || [ -e "$SCRATCH/failed" ]; do
            begin_writes "$@"
            end_writes 'writes' >"$SCRATCH/said"
            if grep -q '^not ok' "$SCRATCH/said"; then mv "$SCRATCH/said" "$SCRATCH/failed"; fi
            sed -n 's/^# Longest pause *: \(.*\)/\1/p' "$SCRATCH/client" >>"$SCRATCH/ended"
        done
    } &
    client=$!
}

# Until COUNT more of them have begun and ended: all writes of that time completed.
let_writes_end() # COUNT
{
    goal=$(($(wc -l <"$SCRATCH/ended") + $1 + 1)) # the first has begun before
    while [ "$(wc -l <"$SCRATCH/ended")" -lt "$goal" ] && kill -0 "$client" 2>/dev/null; do
        sleep 0.1
    done
}

stop_writing() # SENTENCE
{
    touch "$SCRATCH/enough"
    wait "$client"
    echo "# the longest pause: $(sort -n "$SCRATCH/ended" | tail -n 1)"
    if [ -e "$SCRATCH/failed" ]; then not_ok "$1" "$(cat "$SCRATCH/failed")"; else ok "$1"; fi
}

# Until COUNT more frames have crossed switches, as long as a client writes.
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
