#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What MRC_PCAP writes of a real run: mrc decode, libpcap and tshark with our dissector read all of it.
. "$(dirname "$0")/../harness/tap.sh"
. "$(dirname "$0")/../harness/soft.sh"
begin_fabric 1

# A lossy link, so that there are repeated packets, NACKs and probes among them.
"$mrc" fabric fault port h3.p1 loss 5%
exits 0 'two processes write while MRC_PCAP is set' env MRC_PCAP="$SCRATCH/%d.pcapng" \
    timeout 60 "$mrc" perf write --devices mrc0,mrc3 -s 20000 -n 200 -c -w 0

# The first packet that a NIC sends or receives is from mrc0 to mrc3.
addresses=$("$mrc" decode -c 1 "$SCRATCH/mrc0.pcapng" | awk '{ print $3, $5 }')
for device in mrc0 mrc3; do
    capture=$SCRATCH/$device.pcapng
    nic=${addresses#* }
    [ $device = mrc3 ] || nic=${addresses% *}
    exits 0 "mrc decode reads the capture of $device" "$mrc" decode "$capture"
    shown=$(printf '%s\n' "$output" | wc -l)
    is '  and shows more than 1000 packets' "$([ "$shown" -gt 1000 ] && echo enough)" enough
    exits 0 '  which violate nothing' "$mrc" conform capture --patience 1s --at "$nic" "$capture"
    is '  and all of them are MRC' "$("$mrc" decode --all "$capture" | wc -l)" "$shown"
    if command -v tshark >/dev/null; then
        HOME=$SCRATCH XDG_CONFIG_HOME=$SCRATCH tshark -r "$capture" -o udp.ignore_ipv6_zero_checksum:TRUE -o udp.try_heuristic_first:TRUE \
            -X "lua_script:$ROOT/dissector/mrc.lua" -T fields -e frame.interface_name -e _ws.col.Protocol \
            -e mrc.icrc.status -e _ws.malformed -e _ws.expert.severity -e _ws.expert.message \
            >"$SCRATCH/fields" 2>"$SCRATCH/stderr"
        is '  tshark shows the same number of packets, all MRC' "$(cut -f 2 "$SCRATCH/fields" | sort | uniq -c | awk '{ print $1, $2 }')" "$shown MRC"
        is '  from four ports' "$(cut -f 1 "$SCRATCH/fields" | sort -u | xargs)" \
            "$device.p0 $device.p1 $device.p2 $device.p3"
        is '  with the right iCRC' "$(awk -F '\t' '$3 != 1' "$SCRATCH/fields" | head -n 3)" ''
        is '  and without an error' "$(awk -F '\t' '$4 != "" || $5 >= 8388608' "$SCRATCH/fields" | head -n 3; grep -i 'lua' "$SCRATCH/stderr")" ''
    else
        skip '  tshark shows the same number of packets, all MRC' 'tshark is not installed'
    fi
done
done_testing
