#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc conform capture: captures of the simulator, a changed packet, and wrong input.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
capture=$SCRATCH/incast.pcapng

"$mrc" sim -q --set duration=30us --set 'criteria=[]' --pcap "$capture" --only at=h8 "$ROOT/experiments/incast.yaml" >/dev/null
exits 0 'a capture of our own packets violates nothing' "$mrc" conform capture "$capture"
contains '  which is said with the number of packets' "$output" ' packets of 7 connections, 0 violations; spdcid names the sender of the packet'
exits 0 '  nor as seen at the NIC of the receiver' "$mrc" conform capture --at 2001:db8:1::1 "$capture"

grep '^W1 ' "$ROOT/tests/vectors/mrc-vectors.txt" >"$SCRATCH/one.txt"
exits 0 'a vector alone violates nothing' "$mrc" conform capture "$SCRATCH/one.txt"
sed 's/\(....\)$/0000/' "$SCRATCH/one.txt" >"$SCRATCH/bad.txt"
exits 1 'a wrong iCRC violates a rule' "$mrc" conform capture "$SCRATCH/bad.txt"
contains '  which is named with its section' "$output" 'packet 1: icrc (wire §12): '
exits 0 '  unless iCRCs are not checked' "$mrc" conform capture --no-icrc "$SCRATCH/bad.txt"
exits 1 'JSON contains the violations' "$mrc" conform capture -j "$SCRATCH/bad.txt"
contains '  with packet, rule and section' "$output" '"packet":1,"rule":"icrc","section":"wire §12"'

exits 0 'the rules can be listed' "$mrc" conform capture --rules
contains '  with their sections' "$output" '§7.4      rcvd_bytes is the sum'
exits 2 'a file is necessary' "$mrc" conform capture
exits 2 'an address must be one' "$mrc" conform capture --at here "$capture"
is '  and the message says so' "$output" "mrc conform capture: --at takes an IP address, not 'here'"
exits 2 'a patience has a unit' "$mrc" conform capture --patience 3 "$capture"
exits 1 'a file that does not exist is reported' "$mrc" conform capture "$SCRATCH/none.pcapng"
exits 1 'a capture without MRC is reported' "$mrc" conform capture --udp-port 99 "$capture"
contains '  with the port' "$output" 'no MRC packet on UDP port 99 (--udp-port)'
done_testing
