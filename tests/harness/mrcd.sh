# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh disable=SC2154,SC2034
# For tests with a controller over a soft fabric: after soft.sh. Its state and its port are those of this test alone.

mrcd=$BUILD/bin/mrcd
MRCD_STATE=$SCRATCH/state
export MRCD_STATE
controller= # its process

# Without probes of links, unless MRCD_OPTIONS has others: some tests count all packets of a switch.
begin_controller()
{
    rm -f "$MRCD_STATE/url"
    # shellcheck disable=SC2086
    "$mrcd" controller --fabric "$SCRATCH/four.yaml" --local --listen 127.0.0.1:0 ${MRCD_OPTIONS:---map-period off} 2>>"$SCRATCH/mrcd.log" &
    controller=$!
    others="$others $controller"
    until_true test -s "$MRCD_STATE/url"
}

end_controller() # [SIGNAL]
{
    kill "-${1:-TERM}" "$controller" 2>/dev/null
    wait "$controller" 2>/dev/null
}

# All devices have the denylist that the controller has.
are_current() # COUNT
{
    "$mrc" ctl status | grep -qx "devices     $1 of $1 have the current denylist"
}

# The packets that have left a switch, of all classes.
packets_of() # SWITCH
{
    "$mrc" fabric show -j | awk -v name="\"$1\"" '
        /"name":/ { inside = index($0, name) }
        inside && /"(data|control)_packets":/ { gsub(/[^0-9]/, "", $2); sum += $2 }
        END { print sum + 0 }'
}

has_moved() # SWITCH PACKETS: more than that have left it
{
    [ "$(packets_of "$1")" -gt "$2" ]
}

ask() # METHOD PATH [BODY [HEADER]]: the status of the answer
{
    curl -s -m 10 -o "$SCRATCH/answer" -w '%{http_code}' -X "$1" -H "${4:-X-None: 1}" ${3:+-d "$3"} \
        "$(cat "$MRCD_STATE/url")$2"
}

# ---- a controller and an agent of their own, over TLS ----------------------------------------------------------------

agent=      # its process
agents_url= # where the controller serves agents

# The library of tests/harness/adverse.c, and what it reads.
ADVERSE=$SCRATCH/adverse
export ADVERSE

# Before a command: it gets the clock and the disk that $ADVERSE describes.
adverse="env LD_PRELOAD=$BUILD/tests/libadverse.so ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"

begin_remote_controller() # [COMMAND...]: before mrcd
{
    rm -f "$MRCD_STATE/url" "$MRCD_STATE/agents.url"
    "$@" "$mrcd" controller --fabric "$SCRATCH/four.yaml" --listen 127.0.0.1:0 --agents 127.0.0.1:0 2>>"$SCRATCH/mrcd.log" &
    controller=$!
    others="$others $controller"
    until_true test -s "$MRCD_STATE/url"
    agents_url=$(sed 's/127.0.0.1/localhost/' "$MRCD_STATE/agents.url")
}

# As on a node: its folder is a copy.
begin_agent() # [COMMAND...]: before mrcd
{
    [ -d "$SCRATCH/node1" ] || cp -r "$MRCD_STATE/agents/node1" "$SCRATCH/node1"
    "$@" "$mrcd" agent --state "$SCRATCH/node1" --controller "$agents_url" 2>>"$SCRATCH/agent.log" &
    agent=$!
    others="$others $agent"
}
