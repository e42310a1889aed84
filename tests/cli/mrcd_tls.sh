#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A controller and an agent as processes of their own, over TLS: what reaches devices, which peers get nothing, and what
# an agent that lies or floods can do.
# shellcheck disable=SC2119,SC2086,SC2317 # options of functions; $adverse is words; functions called by until_true
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
. "$(dirname "$0")/../harness/mrcd.sh"

command -v curl >/dev/null || skip_all 'no curl'

refused() # REASON: how often agents were refused for it
{
    "$mrc" ctl server | awk -v reason="$1" '$1 == "agents" && $2 == reason { print $3 }'
}

were_refused() # REASON COUNT
{
    [ "$(refused "$1")" -ge "$2" ]
}

# Asks the server of agents. Nothing is printed if it does not answer.
report() # FOLDER-OF-CERTIFICATES [OPTION...]
{
    folder=$1
    shift
    curl -s -m 20 -o "$SCRATCH/answer" -w '%{http_code}\n' --cacert "$MRCD_STATE/ca.pem" --cert "$folder/agent.pem" \
        --key "$folder/agent-key.pem" -d "@$SCRATCH/report" "$@" "$agents_url/v1/report"
}

is_nothing() # FOLDER-OF-CERTIFICATES
{
    [ "$(report "$1")" = 000 ]
}

begin_fabric 100
"$mrcd" init >/dev/null
for name in node1 node2 node3; do "$mrcd" init --agent "$name" >/dev/null; done
begin_remote_controller
begin_agent
until_true are_current 4
is 'an agent over TLS speaks for its devices' "$("$mrc" ctl nics | grep -c 'of node1 ')" 4
exits 0 'an element is drained' "$mrc" drain p1.t1.1
until_true are_current 4
is '  and a device of the agent has the order' "$("$mrc" ev deny dev mrc2)" '0x101 plane 1 denied'

# ---- peers that get nothing ------------------------------------------------------------------------------------------
echo '{"version": 0, "devices": []}' >"$SCRATCH/report"
node2=$MRCD_STATE/agents/node2
is 'an agent with our certificate is answered' "$(report "$node2")" 200
answered=$("$mrc" ctl agents | wc -l)
nothing=000

before=$(refused certificate)
is 'a client without a certificate gets nothing' \
    "$(curl -s -m 20 -w '%{http_code}' --cacert "$MRCD_STATE/ca.pem" -d '{}' "$agents_url/v1/report")" "$nothing"
exits 0 '  and is counted' until_true were_refused certificate $((before + 1))

before=$(refused certificate)
"$mrcd" init --state "$SCRATCH/other" >/dev/null
"$mrcd" init --state "$SCRATCH/other" --agent node1 >/dev/null
is 'a certificate of another authority gets nothing' "$(report "$SCRATCH/other/agents/node1")" "$nothing"
exits 0 '  and is counted' until_true were_refused certificate $((before + 1))

if command -v openssl >/dev/null; then
    before=$(refused certificate)
    mkdir "$SCRATCH/self"
    openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=node1 -keyout "$SCRATCH/self/agent-key.pem" \
        -out "$SCRATCH/self/agent.pem" -days 2 2>/dev/null
    is 'a self-signed certificate gets nothing' "$(report "$SCRATCH/self")" "$nothing"
    exits 0 '  and is counted' until_true were_refused certificate $((before + 1))
else
    skip 'a self-signed certificate gets nothing' 'no openssl'
fi

before=$(refused certificate)
mkdir "$SCRATCH/controller"
cp "$MRCD_STATE/controller.pem" "$SCRATCH/controller/agent.pem"
cp "$MRCD_STATE/controller-key.pem" "$SCRATCH/controller/agent-key.pem"
is 'the certificate of the controller is none of an agent' "$(report "$SCRATCH/controller")" "$nothing"
exits 0 '  and is counted' until_true were_refused certificate $((before + 1))

# Made six years ago, for five years.
before=$(refused certificate)
mkdir "$ADVERSE"
echo -189216000000 >"$ADVERSE/clock"
$adverse "$mrcd" init --agent old >/dev/null
is 'an expired certificate gets nothing' "$(report "$MRCD_STATE/agents/old")" "$nothing"
exits 0 '  and is counted' until_true were_refused certificate $((before + 1))

before=$(refused certificate)
is 'plain HTTP to the port of agents gets nothing' \
    "$(curl -s -m 20 -w '%{http_code}' -d '{}' "http${agents_url#https}/v1/report")" "$nothing"
exits 0 '  and is counted' until_true were_refused certificate $((before + 1))

is 'nobody else has become an agent' "$("$mrc" ctl agents | wc -l)" "$answered"
is '  and the agent is connected' "$("$mrc" ctl agents | grep -c '^node1 *connected')" 1
contains '  and Prometheus sees what was refused' "$(curl -s -m 20 "$(cat "$MRCD_STATE/url")/metrics")" \
    'mrc_http_refused_total{server="agents",reason="certificate"} '
is 'operators are not served there' "$(report "$node2" "$agents_url/v1/state" | head -n 1)" 404

# ---- an agent that lies or floods ------------------------------------------------------------------------------------
address=$("$mrc" ctl nics -j | sed -n 's/.*"address": "\(.*\)",*/\1/p' | head -n 1)
cat >"$SCRATCH/report" <<END
{"agent": "node1", "version": 99999999999, "events_lost": -5, "devices": [
  {"name": "mrc0", "address": "$address", "version": 1, "ports_down": 65535},
  {"name": "mrc9", "address": "2001:db8:ffff::1", "version": 1},
  {"name": 7, "address": [], "version": "x"}],
 "events": [{"event": "ev", "device": "mrc0", "ev": 1, "to": "bad"}, {"event": "ev"}, 5,
  {"event": "\u001b[2J", "device": "mrc0"}]}
END
is 'an agent that speaks for the NICs of another is answered' "$(report "$node2")" 200
contains '  its claim and its events are refused and counted' "$("$mrc" ctl agents | grep ^node2)" \
    'devices 0 events 0 refused 4 lost 0 claims refused 1 reports refused 0 rounds refused 0'
exits 0 '  and the log says so' until_true sh -c "\"$mrc\" ctl audit | grep -q 'mrcd refuse node2: noted'"
is '  the other agent speaks for its NICs as before' "$("$mrc" ctl nics | grep -c 'of node1 ')" 4
contains '  and no path is lost' "$("$mrc" ctl status)" 'capacity    87.5 %'

echo '{"version": 0, "devices": []}' >"$SCRATCH/report"
report "$node2" --parallel "$agents_url/v1/report?x=[1-400]" >"$SCRATCH/statuses"
is_more 'an agent that reports all the time is cut off' "$(grep -c '^429' "$SCRATCH/statuses")" 0
is_more '  which is counted' "$("$mrc" ctl agents -j | sed -n 's/.*"reports_refused": \([0-9]*\).*/\1/p' | sort -n | tail -n 1)" 0
exits 0 '  while the other agent gets its orders' "$mrc" restore p1.t1.1
exits 0 '  at once' until_true sh -c "[ \"\$(\"$mrc\" ev deny dev mrc2)\" = '' ]"

# ---- revocation ------------------------------------------------------------------------------------------------------
is_served() # FOLDER: not at once, after many reports in a second
{
    [ "$(report "$1")" = 200 ]
}

exits 2 'revoke without a name is refused' "$mrcd" revoke
exits 1 'an agent that does not exist cannot be revoked' "$mrcd" revoke node9
contains '  and the message says what is missing' "$output" 'agents/node9/agent.pem: there is no such file'
exits 1 'a path is not the name of an agent' "$mrcd" revoke ../node2
cp -r "$node2" "$SCRATCH/stolen"
exits 0 'the certificate of an agent is revoked' "$mrcd" revoke node2
exits 0 '  and soon it gets nothing' until_true is_nothing "$SCRATCH/stolen"
exits 0 '  and is counted' until_true were_refused revoked 1
is '  and others are served' "$(report "$MRCD_STATE/agents/node3")" 200
exits 0 '  another certificate of that name' "$mrcd" init --agent node2
exits 0 '  is valid' until_true is_served "$node2"
exits 0 'the agent that is connected is revoked' "$mrcd" revoke node1
exits 0 '  its connections end, and it says so' until_true grep -q 'https://' "$SCRATCH/agent.log"
exits 0 'what is drained then' "$mrc" drain p2.t1.1
"$mrcd" init --agent node1 >/dev/null
is '  it does not learn' "$("$mrc" ev deny dev mrc2)" ''
cp "$MRCD_STATE"/agents/node1/agent*.pem "$SCRATCH/node1/"
exits 0 '  until it has a new certificate' until_true sh -c "[ \"\$(\"$mrc\" ev deny dev mrc2)\" = '0x201 plane 2 denied' ]"

# A folder in its place: no mode keeps root from reading a file.
mv "$MRCD_STATE/revoked" "$SCRATCH/revoked"
mkdir "$MRCD_STATE/revoked"
exits 0 'a list that cannot be read any more is complained of' until_true grep -q "$MRCD_STATE/revoked: " "$SCRATCH/mrcd.log"
is '  and stays in force' "$(report "$SCRATCH/stolen")" "$nothing"
end_controller
exits 1 'a controller does not start with a list that it cannot read' \
    "$mrcd" controller --fabric "$SCRATCH/four.yaml" --listen 127.0.0.1:0 --agents 127.0.0.1:0
contains '  and names the file' "$output" "$MRCD_STATE/revoked: Is a directory"
is '  and complained once while it ran' "$(grep -c "$MRCD_STATE/revoked: " "$SCRATCH/mrcd.log")" 1
rmdir "$MRCD_STATE/revoked"
mv "$SCRATCH/revoked" "$MRCD_STATE/revoked"
rm -f "$MRCD_STATE/url"
begin_remote_controller
is 'a controller that starts again still refuses what was revoked' "$(report "$SCRATCH/stolen")" "$nothing"

done_testing
