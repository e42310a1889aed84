# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# For tests over a soft fabric: after tap.sh. The devices are those of this test alone.

mrc=$BUILD/bin/mrc
MRC_RUN_DIR=$SCRATCH/run
export MRC_RUN_DIR
mkdir "$MRC_RUN_DIR"
unset MRC_CONFIG MRC_DEVICES MRC_PCAP LD_PRELOAD LD_LIBRARY_PATH
fabric= # its process
others= # more that end with the test

until_true() # COMMAND...: for ten seconds at most, or more on a busy machine
{
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ "$tries" -lt 100 ] || {
            echo "# still false after 100 tries: $*"
            return 1
        }
        sleep 0.1
    done
}

end_fabric()
{
    [ -n "$fabric" ] || return 0
    kill "$fabric" 2>/dev/null
    wait "$fabric" 2>/dev/null
    fabric=
}

# The process of a fabric in the background.
process_of() # NAME
{
    cut -d ' ' -f 1 "$MRC_RUN_DIR/mrc/$1/lock" 2>/dev/null
}

has_attached() # COUNT [NAME]: as many ports have NICs
{
    shown=$("$mrc" fabric show -n "${2:-fabric}" -j) &&
        [ "$(printf '%s\n' "$shown" | grep -c '"attached": true')" -eq "$1" ]
}

has_sent() # DEVICE COUNT: more data packets than that have left it
{
    [ "$("$mrc" stat show dev "$1" -j | sed -n 's/.*"data_sent": *\([0-9]*\).*/\1/p')" -gt "$2" ]
}

clean_up()
{
    for pid in $others $(cut -d ' ' -f 1 "$MRC_RUN_DIR"/mrc/*/lock 2>/dev/null); do
        [ "$pid" -eq 0 ] || [ "$pid" = "$fabric" ] || kill -9 "$pid" 2>/dev/null
    done
    end_fabric
    rm -rf "$SCRATCH"
}
trap clean_up EXIT
trap 'exit 1' INT TERM

cat >"$SCRATCH/four.yaml" <<END
planes: 4
t0s: 2
t1s: 2
hosts_per_t0: 2
host_link: { rate: 100Gb/s, delay: 500ns }
uplink: { rate: 100Gb/s, delay: 500ns }
END

# Four planes, four hosts; h0 and h3 are behind different T0s.
begin_fabric() # TIMES-SLOWER [OPTION...]
{
    "$mrc" fabric run -q --slower "$@" "$SCRATCH/four.yaml" &
    fabric=$!
    until_true "$mrc" fabric show
}

# One fault after the other, from standard input, at this pace.
inject_faults() # SECONDS
{
    while read -r fault; do
        sleep "$1"
        # shellcheck disable=SC2086
        "$mrc" fabric fault $fault
    done
}
