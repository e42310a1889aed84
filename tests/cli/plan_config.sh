#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mrc plan config, check and diff: folders, single switches, messages, and what they refuse.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
file=$SCRATCH/fabric.yaml
other=$SCRATCH/other.yaml
out=$SCRATCH/out
printf '%s\n' 'planes: 2' 't0s: 2' 't1s: 2' 'hosts_per_t0: 2' >"$file"
{ cat "$file" && echo 'exceptions: [{ link: p1.t0.0-t1.1, missing: yes }]'; } >"$other"

config() # [OPTION...]
{
    "$mrc" plan config "$file" "$@" 2>&1
}

for format in linux frr sonic eos nvue mrc-switch containerlab wireshark nic; do
    exits 0 "$format: a folder is written" "$mrc" plan config -f $format -o "$out" "$file"
    contains '  after its size was announced' "$output" ', about '
    exits 0 '  and it agrees with the plan' "$mrc" plan check "$out" "$file"
    contains '  and the check names the format' "$output" "of the format $format read, 0 differences"
    case $format in
    containerlab | wireshark) ;;
    *) exits 1 '  and with a link less it does not' "$mrc" plan check "$out" "$other" ;;
    esac
    rm -r "$out"
done

contains 'a single switch goes to standard output' "$(config -f linux -s p1.t1.1)" 'route 2401 d1'
contains 'several files of a switch have their names before them' "$(config -f sonic -s p0.t0.0)" '==> config_db.json <=='
contains 'a NIC has the address and ports of the plan' "$(config -f nic -s h3)" 'raw:p1?peer=06:00:00:05:00:01'
contains 'a file for the whole fabric goes to standard output' "$(config -f containerlab)" '"p1-t0-1:u1", "p1-t1-1:d1"'
contains 'the dissector gets the name of a NIC by the uSIDs of its switch and downlink' "$(config -f wireshark)" 'port fc000042 2401 2c01 h3'
is 'two runs write the same' "$(config -f sonic -s p0.t0.1 | cksum)" "$(config -f sonic -s p0.t0.1 | cksum)"

exits 0 'a folder can have a single switch' "$mrc" plan config -f linux -o "$out" -s p0.t0.1 "$file"
is '  and has nothing else' "$(ls "$out")" p0.t0.1
exits 0 '  and is checked alone' "$mrc" plan check -s p0.t0.1 "$out" "$file"
sed -i 's/^route 801 u1/route 801 u0/' "$out/p0.t0.1/switch.sh"
exits 1 '  a changed route is found' "$mrc" plan check -s p0.t0.1 "$out" "$file"
contains '    and told with its line and both ports' "$output" "'route 801 u0' is there, the plan says 'route 801 u1'"
exits 1 'a folder that is not empty is not touched' "$mrc" plan config -f linux -o "$out" "$file"
contains '  and the message says so' "$output" 'is there and not empty'
is '  and nothing is left beside it' "$(cd "$SCRATCH" && echo out*)" out
rm -r "$out"

"$mrc" plan config -f mrc-switch -o "$out" "$file" 2>/dev/null
sed -i 's/trimmed: 128/trimmed: 256/' "$out/p0.t1.0/switch.yaml"
exits 1 'a changed value in a file for mrc switch is found' "$mrc" plan check "$out" "$file"
contains '  and told' "$output" 'p0.t1.0/switch.yaml: the plan differs at 1 places: trimmed: 256 becomes 128'
mkdir "$out/p9.t0.0"
contains 'a folder that is not in the plan is told' "$("$mrc" plan check "$out" "$file")" 'p9.t0.0: not in the plan'
rm -r "$out"

exits 1 'diff exits with 1 if there is a difference' "$mrc" plan diff "$file" "$other"
contains '  and names the link' "$output" 'links that go: p1.t0.0-t1.1'
contains '  and the switches' "$output" '2 of 8 switches change'
exits 0 'diff exits with 0 if there is none' "$mrc" plan diff "$file" "$file"

printf '%s\n' 'shape: zcube' 'n: 2' 'k: 2' >"$other"
contains 'a fabric with a shape has scripts, too' "$("$mrc" plan config "$other" -f linux -s p0.t0.1)" 'own 401'
contains '  and for mrc switch its own text' "$("$mrc" plan config "$other" -f mrc-switch -s p0.t0.1)" 'shape: zcube'
exits 2 '  but no files for NICs' "$mrc" plan config "$other" -f nic -s h0
contains '    and the message says where they come from' "$output" "'mrc fabric' writes the files of their NICs"

exits 2 'an unknown format is refused' "$mrc" plan config -f ios -s p0.t0.0 "$file"
contains '  and the message says where to look' "$output" "there is no 'ios'"
exits 2 'an unknown switch is refused' "$mrc" plan config -f frr -s p0.t0.7 "$file"
contains '  by its name' "$output" "'p0.t0.7' is not a switch of this fabric"
exits 2 'a NIC is not a switch' "$mrc" plan config -f frr -s h0 "$file"
exits 2 'a format is required' "$mrc" plan config -o "$out" "$file"
exits 2 'a folder or a switch is required' "$mrc" plan config -f frr "$file"
exits 2 'a folder without configurations cannot be checked' "$mrc" plan check "$SCRATCH" "$file"
exits 2 'diff needs two files' "$mrc" plan diff "$file"
exits 1 'a folder that cannot be created is told' "$mrc" plan config -f frr -o /proc/none/out "$file"
done_testing
