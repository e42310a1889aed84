#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What mrc decode shows of every vector and every sample, in its three forms, against golden files. With --update,
# writes the golden files anew instead of testing.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
golden=$ROOT/tests/golden/decode
vectors=$ROOT/tests/vectors/mrc-vectors.txt
samples=$golden/samples.txt

# Standard input, so that no path gets into the output. The exit status is tested elsewhere.
show() # FORM INPUT
{
    case $1 in
    lines) "$mrc" decode - <"$2" 2>/dev/null ;;
    tree) "$mrc" decode -v - <"$2" 2>/dev/null ;;
    json) "$mrc" decode -j - <"$2" 2>/dev/null ;;
    esac
}

if [ "${1:-}" = --update ]; then
    for form in lines tree json; do
        show "$form" "$vectors" >"$golden/vectors-$form.txt"
        show "$form" "$samples" >"$golden/samples-$form.txt"
    done
    exit 0
fi

same_as() # SENTENCE GOLDEN FORM INPUT
{
    show "$3" "$4" >"$SCRATCH/shown" || true
    if difference=$(diff -u "$golden/$2" "$SCRATCH/shown"); then
        ok "$1"
    else
        not_ok "$1" "$difference" "if this is right: sh tests/cli/decode.sh --update"
    fi
}

same_as 'every vector is shown as the recorded line' vectors-lines.txt lines "$vectors"
same_as 'every vector is shown as the recorded tree' vectors-tree.txt tree "$vectors"
same_as 'every vector is shown as the recorded JSON' vectors-json.txt json "$vectors"
same_as 'RoCEv2, unusual and malformed packets are shown as the recorded lines' samples-lines.txt lines "$samples"
same_as 'RoCEv2, unusual and malformed packets are shown as the recorded trees' samples-tree.txt tree "$samples"
same_as 'RoCEv2, unusual and malformed packets are shown as the recorded JSON' samples-json.txt json "$samples"

is 'each vector is shown as one line' "$(show lines "$vectors" | wc -l)" "$(grep -c '^[^#]' "$vectors")"
exits 0 'a file of well-formed packets exits with 0' "$mrc" decode "$vectors"
is 'a file of well-formed packets prints nothing to standard error' "$("$mrc" decode "$vectors" 2>&1 >/dev/null)" ''
exits 1 'a file with malformed packets exits with 1' "$mrc" decode "$samples"
malformed=$(grep -c MALFORMED "$golden/samples-lines.txt")
is 'the number of malformed packets is printed to standard error' "$("$mrc" decode "$samples" 2>&1 >/dev/null)" \
    "mrc decode: $malformed of $(grep -c '^[^#]' "$samples") packets are malformed"
is 'each malformed packet is shown with reason, place and help' "$(grep MALFORMED "$golden/samples-lines.txt" |
    grep -cE ' MALFORMED [a-z0-9_]+ at byte [0-9]+ in [A-Za-z0-9 ]+ - [A-Za-z]')" "$malformed"
is 'every reason to refuse bytes has a sample' "$(
    sed -n '/^DROP(TRUNCATED/,/^DROP(ICRC/s/^DROP([A-Z0-9_]*, \([a-z0-9_]*\),.*/\1/p' "$ROOT/src/wire/drop.def" |
    while read -r reason; do
        grep -q "MALFORMED $reason at" "$golden/samples-lines.txt" || echo "$reason"
    done)" ''

is 'the dissector has every NACK reason' "$(
    sed -n 's/^NACK_REASON(\([A-Z_]*\), \(0x[0-9a-f]*\),.*/[\2] = "\1"/p' "$ROOT/src/wire/nack.def" |
    while read -r reason; do
        grep -qF "$reason" "$ROOT/dissector/mrc.lua" || echo "$reason"
    done)" ''

# The verdict of a negative vector is behind its bytes.
negative=$ROOT/tests/vectors/mrc-negative.txt
is 'negative vectors are shown with their verdict' \
    "$("$mrc" decode -j "$negative" 2>/dev/null | sed 's/.*"name":"\([^"]*\)".*"malformed":{"reason":"\([^"]*\)".*/\1 \2/; s/.*"name":"\([^"]*\)".*/\1 none/')" \
    "$(sed -n 's/^\([^ #]*\) .*# \([^:]*\):.*/\1 \2/p' "$negative")"

# jansson wrote it: another reader must agree.
if command -v python3 >/dev/null; then
    exits 0 'each line of --json is a JSON object' python3 -c '
import json, sys
for name in sys.argv[1:]:
    for line in open(name):
        packet = json.loads(line)
        assert isinstance(packet["number"], int) and isinstance(packet["length"], int), packet
' "$golden/vectors-json.txt" "$golden/samples-json.txt"
    is 'the manual describes every key of the JSON' "$(cat "$golden"/*-json.txt | python3 -c '
import json, re, sys
words = set(re.findall(r"[a-z0-9_]+", open(sys.argv[1]).read().replace("\\_", "_")))
keys = set()
for packet in map(json.loads, sys.stdin):
    for key, value in packet.items():
        keys |= {key} | (set(value) if isinstance(value, dict) else set())
# Reserved fields have the names of the specification.
reserved = {"var_res", "inv_res", "r", "nxt", "vendor_info", "cc_type", "cc_fl", "ftype"}
print(*sorted(key for key in keys - words - reserved if not key.startswith("reserved_")))
' "$ROOT/docs/man/mrc-decode.1.scd")" ''
    is '64-bit numbers are strings in JSON, others are numbers' "$("$mrc" decode -j -c 1 "$vectors" | python3 -c '
import json, sys
packet = json.load(sys.stdin)
print(packet["reth"]["va"], packet["reth"]["rkey"], packet["path"]["plane"], packet["path"]["uplink"])
')" '0x00007f0012345000 3735928559 3 5'
else
    skip 'each line of --json is a JSON object' 'python3 is not installed'
fi
done_testing
