#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrcd and the commands that ask it: options, state folders, and requests that must be refused.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
. "$(dirname "$0")/../harness/mrcd.sh"

exits 2 'mrcd without a subcommand is refused' "$mrcd"
exits 0 'mrcd --help exits with 0' "$mrcd" --help
for subcommand in init controller agent revoke; do
    exits 0 "mrcd $subcommand --help exits with 0" "$mrcd" "$subcommand" --help
done
exits 2 'an unknown subcommand is refused' "$mrcd" serve
is '  and the message names it' "$output" "mrcd: there is no subcommand 'serve'; 'mrcd --help' lists them"
exits 2 'a misspelt option is refused' "$mrcd" controller --fabrik x
is '  and the message suggests the right one' "$output" "mrcd controller: there is no option '--fabrik'; did you mean --fabric?"
exits 2 'a controller without a fabric is refused' "$mrcd" controller
exits 2 'a fabric file that does not exist is refused' "$mrcd" controller --fabric "$SCRATCH/none.yaml"
contains '  and the message names it' "$output" 'none.yaml'
exits 2 'an address without a port is refused' "$mrcd" controller --fabric "$SCRATCH/four.yaml" --listen localhost
contains '  and the message shows the form' "$output" 'write ADDRESS:PORT'
exits 2 'a capacity above 100 % is refused' "$mrcd" controller --fabric "$SCRATCH/four.yaml" --min-capacity 120%
exits 1 'operators are not served on other interfaces' "$mrcd" controller --fabric "$SCRATCH/four.yaml" --listen 0.0.0.0:0
contains '  and the message says so' "$output" 'cannot serve operators at 0.0.0.0'
exits 2 'an agent needs the address of its controller' "$mrcd" agent
exits 2 '  over TLS' "$mrcd" agent --controller http://localhost:1
exits 1 'an agent needs its certificate' "$mrcd" agent --controller https://localhost:1
contains '  and the message says how to make it' "$output" 'mrcd init --agent NAME'
printf 'fabric: four.yaml\nlisten: 127.0.0.1:0\nspeed: 3\n' >"$SCRATCH/wrong.yaml"
exits 2 'a configuration with an unknown key is refused' "$mrcd" controller --config "$SCRATCH/wrong.yaml"
contains '  and the message names file, line and key' "$output" 'wrong.yaml:3:1: speed'
exits 1 'without a controller, commands fail' "$mrc" ctl --state "$SCRATCH/nowhere"
contains '  and the message says how to start one' "$output" "start 'mrcd controller'"
exits 2 'restore without an element is refused' "$mrc" restore
exits 2 'an unknown word of ctl is refused' "$mrc" ctl weather

mkdir "$SCRATCH/file" && : >"$SCRATCH/file/state"
exits 1 'a state folder that is a file is refused' "$mrcd" init --state "$SCRATCH/file/state"
exits 1 'an agent needs an authority' "$mrcd" init --state "$SCRATCH/empty" --agent node1
contains '  and the message says how to make it' "$output" "run 'mrcd init' first"
exits 0 'init makes the state folder' "$mrcd" init --host controller.example
is '  whose files only its user reads' "$(stat -c '%a' "$MRCD_STATE" "$MRCD_STATE/token" "$MRCD_STATE/ca-key.pem" | sort -u | tr '\n' ' ')" '600 700 '
exits 0 'init makes the certificates of an agent' "$mrcd" init --agent node1
exits 1 '  once' "$mrcd" init --agent node1
exits 1 '  and not for a name that is a path' "$mrcd" init --agent ../node1

if ! command -v curl >/dev/null; then
    skip 'requests that must be refused' 'no curl'
    done_testing
fi
printf 'fabric: %s\nlisten: 127.0.0.1:0\nlocal: off\nmin_capacity: 60%%\n' "$SCRATCH/four.yaml" >"$SCRATCH/right.yaml"
"$mrcd" controller --config "$SCRATCH/right.yaml" &
others=$!
controller=$!
until_true test -s "$MRCD_STATE/url"
token="Authorization: Bearer $(cat "$MRCD_STATE/token")"
is 'a controller runs by its configuration' "$("$mrc" ctl status | sed -n 's/.*limit //p')" '60.0 %'

is 'GET needs no token' "$(ask GET /v1/state)" 200
is 'POST without a token is refused' "$(ask POST /v1/drain '{"element": "p0.t1.0"}')" 401
is 'POST with a wrong token is refused' "$(ask POST /v1/drain '{"element": "p0.t1.0"}' 'Authorization: Bearer 0123')" 403
is 'POST with the token is answered' "$(ask POST /v1/drain '{"element": "p0.t1.0"}' "$token")" 200
for body in '' '{' '[]' '{"element": 5}' '{"element": "p0.t1.1", "force": true}' '{"element": "p0.t1.1", "dry_run": 1}' \
    '{"element": "p0.t1.1", "element": "p0.t1.0"}' '"p0.t1.1"' '{"element": "p0.t1.\u0000"}'; do
    is "the body $body is refused" "$(ask POST /v1/drain "${body:- }" "$token")" 400
done
is 'an unknown element is not found' "$(ask POST /v1/drain '{"element": "../../etc"}' "$token")" 404
awk 'BEGIN { printf "{\"element\": \""; for (i = 0; i < 100000; i++) printf "x"; print "\"}" }' >"$SCRATCH/long"
is 'a body over the limit is refused' "$(ask POST /v1/drain "@$SCRATCH/long" "$token")" 413
awk 'BEGIN { for (i = 0; i < 30000; i++) printf "[" }' >"$SCRATCH/deep"
is 'a deep body is refused' "$(ask POST /v1/drain "@$SCRATCH/deep" "$token")" 400
is 'an unknown path is not found' "$(ask GET /v1/secrets)" 404
is 'a path with dots is refused' "$(curl -s -m 10 -o /dev/null -w '%{http_code}' --path-as-is "$(cat "$MRCD_STATE/url")/v1/../token")" 400
is 'an id that is no number is refused' "$(ask GET '/v1/events?after=x')" 400
is 'another host is refused' "$(ask GET /v1/state '' 'Host: evil.example')" 421
is 'other methods are refused' "$(ask DELETE /v1/drain '' "$token")" 405
is 'nothing of this changed anything' "$("$mrc" drain -j | grep -c '"element"')" 1
contains 'all of it was counted' "$("$mrc" ctl server)" 'operators  token_wrong        1'
exits 0 'a verdict is kept' test "$(ask POST /v1/verdicts '{"element": "p0.t0.0-t1.1", "text": "2 % loss", "confidence_ppm": 990000}' "$token")" = 200
contains '  and shown' "$("$mrc" ctl verdicts)" 'p0.t0.0-t1.1: 2 % loss, confidence 99.0 %'

# A thousand connections that say nothing: the server stays within its limits and answers as soon as there is room.
if command -v python3 >/dev/null; then
    exits 0 'a thousand idle connections' python3 - "$(sed 's/.*://' "$MRCD_STATE/url")" <<'PYTHON'
import socket, sys
sockets = []
for i in range(1000):
    s = socket.socket()
    s.settimeout(10)
    s.connect(("127.0.0.1", int(sys.argv[1])))
    sockets.append(s)
PYTHON
    is '  leave the server answering' "$(ask GET /v1/state)" 200
    is_more '  and are counted' "$("$mrc" ctl server | awk '$1 == "operators" && $2 == "peer_connections" { print $3 }')" 500
fi

end_controller
is 'the controller ends well' "$?" 0

# A disk without room, by a limit on the size of files: changes are refused, and what was in force stays.
rm -f "$MRCD_STATE/url"
(
    ulimit -f 300
    exec "$mrcd" controller --config "$SCRATCH/right.yaml"
) &
others=$!
controller=$!
until_true test -s "$MRCD_STATE/url"
is_full=
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
    [ "$(ask POST /v1/restore '{"element": "p0.t1.0"}' "$token")" != 507 ] || { is_full=restore; break; }
    [ "$(ask POST /v1/drain '{"element": "p0.t1.0"}' "$token")" != 507 ] || { is_full=drain; break; }
done
is_more 'a full disk refuses a change' "${#is_full}" 0
contains '  with a reason' "$(cat "$SCRATCH/answer")" 'nothing was changed'
contains '  and the state says so' "$("$mrc" ctl status)" 'store       '
[ "$is_full" = drain ] && wanted=0 || wanted=1 # a refused restore leaves it drained
is '  and the list is as before' "$("$mrc" drain -j | grep -c '"element"')" "$wanted"
listed=$("$mrc" drain -j)
end_controller KILL
begin_controller
is 'with room again, the list is the same' "$("$mrc" drain -j)" "$listed"
is '  and changes are taken again' "$(ask POST /v1/drain '{"element": "p1.t1.0"}' "$token")" 200

done_testing
