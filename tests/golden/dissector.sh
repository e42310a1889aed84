#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Wireshark dissector, seen through tshark. With --update, writes the golden output anew instead of testing.
. "$(dirname "$0")/../harness/tap.sh"

golden=$ROOT/tests/golden/dissector
vectors=$ROOT/tests/vectors/mrc-vectors.txt
extra=$golden-extra.txt
facts=$golden-facts.txt
fields=$golden-fields.txt
command -v tshark >/dev/null || skip_all "tshark is not installed"

# User settings must not reach tshark; as root it warns on standard error.
stock_tshark() # CAPTURE [ARGUMENT...]
{
    capture=$1
    shift
    HOME=$SCRATCH XDG_CONFIG_HOME=$SCRATCH tshark -r "$capture" -o udp.ignore_ipv6_zero_checksum:TRUE "$@" 2>"$SCRATCH/stderr"
}

mrc_tshark() # CAPTURE [ARGUMENT...]
{
    stock_tshark "$@" -X "lua_script:$ROOT/dissector/mrc.lua"
}

lines() # FILE...: their lines, comments left out
{
    grep -h '^[^#]' "$@"
}

# A raw IP pcap, a packet per line. The last column, if any, is the length that the packet had before the capture cut it.
to_pcap() # reads "name length hex [original length]" lines
{
    perl -e '
        binmode STDOUT;
        print pack("LSSlLLL", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 101);
        while (<STDIN>) {
            my ($name, $length, $hex, $original) = split;
            print pack("LLLL", $., 0, $length, $original || $length), pack("H*", $hex);
        }'
}

# "NAME: PROTOCOL INFO" a line.
columns() # CAPTURE NAMES
{
    mrc_tshark "$1" -T fields -e _ws.col.Protocol -e _ws.col.Info | tr '\t' ' ' | paste -d: "$2" - |
        sed 's/:/: /; s/ *$//'
}

# Our part of every packet's tree, each in a file of its own.
write_trees() # CAPTURE NAMES FOLDER
{
    mkdir -p "$3"
    mrc_tshark "$1" -O mrc | awk -v folder="$3" '
        NR == FNR { name[NR] = $1; next }
        /^Frame [0-9]+:/ { frame++ }
        /^[^ ]/ { ours = /^(MRC|RoCEv2), / }
        /^Lua Error/ { ours = 1 }
        ours && NF { print > (folder "/" name[frame] ".txt") }' "$2" -
}

lines "$vectors" | cut -d' ' -f1 >"$SCRATCH/names"
lines "$extra" | cut -d' ' -f1 >"$SCRATCH/extra.names"
lines "$extra" | to_pcap >"$SCRATCH/extra.pcap"
lines "$vectors" | to_pcap >"$SCRATCH/vectors.pcapng"
if [ -x "$BUILD/bin/mrc" ] && [ "${1:-}" != --update ]; then
    exits 0 "mrc decode writes the vectors as a capture" "$BUILD/bin/mrc" decode --write "$SCRATCH/vectors.pcapng" "$vectors"
fi

trees=$SCRATCH/trees
if [ "${1:-}" = --update ]; then
    trees=$golden
    rm -rf "$golden"
fi
write_trees "$SCRATCH/vectors.pcapng" "$SCRATCH/names" "$trees"
write_trees "$SCRATCH/extra.pcap" "$SCRATCH/extra.names" "$trees"
columns "$SCRATCH/vectors.pcapng" "$SCRATCH/names" >"$trees/columns"
columns "$SCRATCH/extra.pcap" "$SCRATCH/extra.names" >>"$trees/columns"
[ "${1:-}" != --update ] || exit 0

# Golden output

names=$(cat "$SCRATCH/names" "$SCRATCH/extra.names")
for name in $names; do
    [ -e "$golden/$name.txt" ] || [ -e "$trees/$name.txt" ] || continue
    difference=$(diff -u "$golden/$name.txt" "$trees/$name.txt" 2>&1)
    is "$name is shown as in the file $name.txt" "$difference" ""
done
is "the columns Protocol and Info are as in the file columns" "$(diff -u "$golden/columns" "$trees/columns" 2>&1)" ""

# What the wire reference says, independent of the golden output

# "NAME FIELD VALUE" for every field that a packet shows.
values() # CAPTURE NAMES
{
    # shellcheck disable=SC2046 # one -e per field
    mrc_tshark "$1" -T fields -E header=y -E separator=/t $(sed 's/^/-e /' "$SCRATCH/registered") |
        awk -F '\t' '
            NR == FNR { name[NR] = $1; next }
            FNR == 1 { split($0, field); next }
            { for (i = 1; i <= NF; i++) if ($i != "") print name[FNR - 1], field[i], $i }' "$2" -
}

HOME=$SCRATCH XDG_CONFIG_HOME=$SCRATCH tshark -G fields -X "lua_script:$ROOT/dissector/mrc.lua" 2>/dev/null |
    awk -F '\t' '$1 == "F" && $3 ~ /^mrc\./ { print $3 }' | sort -u >"$SCRATCH/registered"
values "$SCRATCH/vectors.pcapng" "$SCRATCH/names" | sort >"$SCRATCH/values"
values "$SCRATCH/extra.pcap" "$SCRATCH/extra.names" >"$SCRATCH/extra.values"

is "every value that the wire reference states for a vector is shown" \
    "$(lines "$facts" | sort | comm -23 - "$SCRATCH/values")" ""
is "every field appears in the vectors that have it and in no other" \
    "$(lines "$fields" | awk '
        FILENAME ~ /names$/ { name[$1]; next }
        FILENAME ~ /values$/ { shown[$1, $2]; next }
        { for (n in name) if ((n ~ $2) != ((n, $1) in shown)) print $1 (n ~ $2 ? " is missing from " : " is wrong in ") n }
    ' "$SCRATCH/names" "$SCRATCH/values" -)" ""
is "every field of the dissector is shown by some packet here" \
    "$(cat "$SCRATCH/values" "$SCRATCH/extra.values" | cut -d' ' -f2 | sort -u | comm -13 - "$SCRATCH/registered")" \
    "$(printf '%s\n' mrc.expert.capture_cut mrc.hop mrc.srh.hop)"

# Damage

# Every packet cut at every byte, the vectors before the others. With SNAP, only the capture was cut.
truncations() # [SNAP]
{
    lines "$vectors" "$extra" | awk -v snap="${1:-}" '{
        for (bytes = 1; bytes < $2; bytes++) print $1, bytes, substr($3, 1, 2 * bytes), snap ? $2 : bytes
    }'
}

truncations | to_pcap >"$SCRATCH/truncated.pcap"
truncations snap | to_pcap >"$SCRATCH/snapped.pcap"
of_vectors="frame.number <= $(lines "$vectors" | awk '{ count += $2 - 1 } END { print count }')"
for kind in truncated snapped; do
    mrc_tshark "$SCRATCH/$kind.pcap" -V >"$SCRATCH/$kind.text"
    is "packets $kind at any byte cause no Lua error" "$(grep -m 3 'Lua Error' "$SCRATCH/$kind.text")" ""
done
is "a packet truncated at any byte is called malformed" \
    "$(mrc_tshark "$SCRATCH/truncated.pcap" -Y "$of_vectors && mrc && !mrc.expert.malformed")" ""
is "a packet that the capture truncated is shown as truncated, not as malformed" \
    "$(mrc_tshark "$SCRATCH/snapped.pcap" -Y "$of_vectors && mrc && (mrc.expert.malformed || !mrc.expert.capture_cut)")" ""

# Every bit of a packet flipped in turn: the packets whose iCRC still holds are those with a mutable bit.
unprotected_bytes() # VECTOR
{
    lines "$vectors" | awk -v vector="$1" '$1 == vector {
        split("0 1 2 3 4 5 6 7 8 9 a b c d e f", digit, " ")
        for (i = 1; i <= 16; i++) value[digit[i]] = i - 1
        for (nibble = 1; nibble <= 2 * $2; nibble++)
            for (bit = 8; bit >= 1; bit /= 2) {
                old = value[substr($3, nibble, 1)]
                new = int(old / bit) % 2 ? old - bit : old + bit
                print $1, $2, substr($3, 1, nibble - 1) digit[new + 1] substr($3, nibble + 1)
            }
    }' | to_pcap >"$SCRATCH/flipped.pcap"
    # No DSCP may mean "trimmed" here: one of these flips would make it.
    mrc_tshark "$SCRATCH/flipped.pcap" -o mrc.dscp_trimmed:64 -o mrc.dscp_trimmed_lasthop:64 \
        -Y 'mrc.icrc.status == 1' -T fields -e frame.number |
        awk '{ count[int(($1 - 1) / 8)]++ } END { for (byte in count) print byte ":" count[byte] }' | sort -n | xargs
}

is "iCRC over IPv6 excludes traffic class, flow label, hop limit, UDP checksum and BTH byte 4, and nothing else" \
    "$(unprotected_bytes W1)" "0:4 1:8 2:8 3:8 7:8 46:8 47:8 52:8"
is "iCRC over IPv4 excludes TOS, TTL, header checksum, UDP checksum and BTH byte 4, and nothing else" \
    "$(unprotected_bytes W7)" "1:8 8:8 10:8 11:8 26:8 27:8 32:8"
is "one flipped bit of the payload gives a bad iCRC" \
    "$(mrc_tshark "$SCRATCH/extra.pcap" -Y mrc.expert.icrc -T fields -e frame.number)" "$(grep -nx B15 "$SCRATCH/extra.names" | cut -d: -f1)"

# Ports and preferences

shown() # NAME FIELD [ARGUMENT...]: the field's value in a packet of extra.txt or of the vectors
{
    name=$1
    field=$2
    shift 2
    capture=$SCRATCH/vectors.pcapng
    frame=$(grep -nx "$name" "$SCRATCH/names" | cut -d: -f1)
    if [ -z "$frame" ]; then
        capture=$SCRATCH/extra.pcap
        frame=$(grep -nx "$name" "$SCRATCH/extra.names" | cut -d: -f1)
    fi
    mrc_tshark "$capture" "$@" -Y "frame.number == $frame" -T fields -e "$field"
}

is "packets to port 4791 are dissected" "$(shown W1 _ws.col.Protocol)" MRC
is "packets to port 4971 are dissected" "$(shown U1 _ws.col.Protocol)" MRC
is "packets to a port that the preference ports lacks are not dissected" "$(shown U1 mrc.psn -o mrc.ports:4791)" ""
is "a port removed from the preference ports returns to the stock dissector" "$(shown W1 _ws.col.Protocol -o mrc.ports:4971)" RRoCE
is "a packet with the source port of DNS is MRC" "$(shown U2 _ws.col.Protocol)" MRC
is "the stock dissector is not called before ours where heuristics come first" \
    "$(shown U2 frame.protocols -o udp.try_heuristic_first:TRUE)" raw:ipv6:udp:mrc
is "the stock dissector is not called before ours in a second pass" "$(shown U2 frame.protocols -2)" raw:ipv6:udp:mrc
is "without any_source_port, a packet with the source port of DNS is DNS" "$(shown U2 _ws.col.Protocol -o mrc.any_source_port:FALSE)" DNS
is "DNS packets of the same capture remain DNS" "$(shown U4 _ws.col.Protocol)" DNS
is "a packet with port 4791 as source port is not dissected" "$(shown U5 _ws.col.Protocol)" DNS
is "other RoCEv2 packets are dissected by the stock dissector" "$(shown R9 _ws.col.Info)" "RC RDMA Read Request QP=0x000222 "
is "ev_order swaps the halves of the EV" "$(shown W8 mrc.ev -o mrc.ev_order:source-port-high)" 0x2400554f
is "uplink_bits moves the boundary between plane and uplink" "$(shown W1 mrc.plane -o mrc.uplink_bits:9)" 1
is "byte1_order selects the bit of SE" "$(shown R4 mrc.se)$(shown B2 mrc.se)$(shown B2 mrc.se -o mrc.byte1_order:M-SE)" 101
is "dscp_trimmed sets the DSCP of a trimmed packet" "$(shown W4 mrc.trimmed -o mrc.dscp_trimmed:8)" 1
is "dscp_trimmed_lasthop sets the DSCP of a packet trimmed at the last hop" "$(shown W4 mrc.trimmed.lasthop -o mrc.dscp_trimmed_lasthop:8)" 1
is "writeimm_nak sets the syndrome of its NAK" "$(shown B10 mrc.aeth.meaning -o mrc.writeimm_nak:127)" "NAK in-flight WriteImm limit exceeded"
is "without srv6, ECN is taken from the inner header" "$(shown X3 mrc.ecn -o mrc.srv6:FALSE)" 2
is "block_bytes sets the position of the first uSID" "$(shown X3 mrc.path -o mrc.block_bytes:6)" "a89c a412 ac07"
is "without check_icrc the iCRC is unverified" "$(shown B15 mrc.icrc.status -o mrc.check_icrc:FALSE)" 2

# A plan that names the hops of X3.
printf '%s\n' '# a comment' 'plan fc000042 9 10' 'switch fc000042 a405 leaf' 'switch fc000042 a412 far' \
    'port fc000042 a412 ac07 nic' >"$SCRATCH/plan"
is "a plan names the hops that it knows" "$(shown X3 mrc.hop "-omrc.plan:$SCRATCH/plan")" "leaf,far,nic"
is "a plan sets the width of EVs" "$(shown X3 _ws.col.Info "-omrc.plan:$SCRATCH/plan" | cut -d' ' -f 7-8)" "EV p2/u412"
is "a plan of another block changes nothing" "$(sed -i s/fc000042/fc000043/ "$SCRATCH/plan" && shown X3 mrc.plane "-omrc.plan:$SCRATCH/plan")" 5
echo 'switch fc000044 a405 leaf' >>"$SCRATCH/plan"
is "packets are shown when the plan is wrong" "$(shown X3 mrc.plane "-omrc.plan:$SCRATCH/plan")" 5
contains "  and a message names its line" "$(cat "$SCRATCH/stderr")" "plan:6: not a line of 'mrc plan config -f wireshark'"
shown X3 mrc.plane "-omrc.plan:$SCRATCH/none" >/dev/null
contains "a plan that is not there is reported" "$(cat "$SCRATCH/stderr")" "none: No such file or directory"

# Without the dissector. Trimmed packets have a UDP length that stock tshark finds too long.

not_trimmed=$(grep -n '^[^T]' "$SCRATCH/names" | cut -d: -f1 | paste -sd, -)
is "stock tshark reports no error in a vector" \
    "$(stock_tshark "$SCRATCH/vectors.pcapng" -Y "frame.number in {$not_trimmed} && (_ws.malformed || _ws.expert.severity >= 0x600000)")" ""
is "stock tshark decodes IP, UDP and BTH of every vector" \
    "$(stock_tshark "$SCRATCH/vectors.pcapng" -Y "frame.number in {$not_trimmed} && (ip || ipv6) && udp.dstport == 4791 && infiniband.bth.psn" | wc -l)" \
    "$(grep -c '^[^T]' "$SCRATCH/names")"
is "stock tshark shows the SRv6 header" "$(stock_tshark "$SCRATCH/vectors.pcapng" -Y 'ipv6.dst == fc00:42::/32' -T fields -e frame.number | xargs)" \
    "$(grep -nE '^(X|T2)' "$SCRATCH/names" | cut -d: -f1 | xargs)"

done_testing
