#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Where mrc decode reads from: captures of every kind, pipes, and what is none of these.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
vectors=$ROOT/tests/vectors/mrc-vectors.txt
lines=$ROOT/tests/golden/decode/vectors-lines.txt

# A pcap with the vectors, a microsecond and a nanosecond apart. LINK is the hex digits in front of each packet, with
# TYPE where the Ethernet type belongs.
to_pcap() # LINK-TYPE MAGIC LINK SNAPLEN
{
    grep '^[^#]' "$vectors" | perl -e '
        my ($link_type, $magic, $link, $snaplen) = @ARGV;
        binmode STDOUT;
        print pack("LSSlLLL", hex $magic, 2, 4, 0, 0, $snaplen, $link_type);
        while (<STDIN>) {
            my ($name, $length, $hex) = split;
            my $type = $hex =~ /^4/ ? "0800" : "86dd";
            my $packet = pack("H*", ($link =~ s/TYPE/$type/r) . $hex);
            my $kept = substr($packet, 0, $snaplen);
            print pack("LLLL", 1700000000, $. * 1001, length $kept, length $packet), $kept;
        }' "$@"
}

# The lines without what only hex lines have, names, and without what they lack, numbers and times.
without_labels()
{
    sed 's/^ *[^ ]*  *\([0-9.]*  \)\{0,1\}\(2001:\|192\.\)/\2/'
}

shows_vectors() # SENTENCE CAPTURE
{
    is "$1" "$("$mrc" decode "$2" 2>&1 | without_labels)" "$(without_labels <"$lines")"
}

macs=020000000001020000000002
for kind in "1 ${macs}TYPE Ethernet" "1 ${macs}81000005TYPE VLANs" "101  raw_IP" \
    "113 0000000100060200000000010000TYPE Linux_cooked" "276 TYPE000000000001000100060200000000010000 Linux_cooked_2" \
    "0 0a000000 loopback" "108 00000018 OpenBSD_loopback"; do
    title=${kind##* }
    link=${kind#* }
    to_pcap "${kind%% *}" a1b2c3d4 "${link% *}" 65535 >"$SCRATCH/$title.pcap"
    shows_vectors "pcap: $(echo "$title" | tr _ ' ')" "$SCRATCH/$title.pcap"
done
to_pcap 101 a1b23c4d '' 65535 >"$SCRATCH/nano.pcap"
contains 'times in microseconds count from the first packet' "$("$mrc" decode "$SCRATCH/raw_IP.pcap" | sed -n 2p)" \
    '   2   0.001001000  2001:'
contains 'times in nanoseconds count from the first packet' "$("$mrc" decode "$SCRATCH/nano.pcap" | sed -n 2p)" '   2   0.000001001  2001:'
contains 'JSON has the time of day' "$("$mrc" decode -j "$SCRATCH/nano.pcap" | sed -n 2p)" \
    '"time":"1700000000.000002002"'

exits 0 '--write converts hex lines to a pcapng file' "$mrc" decode --write "$SCRATCH/written.pcapng" "$vectors"
shows_vectors '  that decode reads back with the same packets' "$SCRATCH/written.pcapng"
# shellcheck disable=SC2016
exits 0 'a capture is read from a pipe' sh -c 'cat "$2" | "$1" decode' sh "$mrc" "$SCRATCH/written.pcapng"
is '  and all its packets are shown' "$(echo "$output" | without_labels)" "$(without_labels <"$lines")"
# shellcheck disable=SC2016
exits 0 'hex lines are read from a pipe' sh -c 'cat "$2" | "$1" decode -' sh "$mrc" "$vectors"
is '  and all are shown with their names' "$output" "$(cat "$lines")"

to_pcap 101 a1b2c3d4 '' 72 >"$SCRATCH/short.pcap"
exits 0 'packets that the capture truncated do not fail' "$mrc" decode "$SCRATCH/short.pcap"
contains '  the headers that the capture kept are shown' "$(echo "$output" | sed -n 1p)" 'msn 7 CUT to 72 of 100 at byte 68 in RETH'
contains '  a packet whose headers were all kept is shown as usual' "$(echo "$output" | sed -n 9p)" 'qp 0x111 psn 0x106 msn 11'
contains '  the iCRC of a truncated packet is not checked' "$("$mrc" decode -v "$SCRATCH/short.pcap" 2>&1)" unchecked

# Two that are not ours: an ARP request, and DNS in IPv4 with the wrong checksum that hardware would have put right.
perl -e '
    my @frames = (pack("H*", "ffffffffffff" . "020000000001" . "0806" . "00" x 28),
        pack("H*", "020000000001020000000002" . "0800" . "4500001c000000004011ffffc0000201c0000202" . "c0000035" . "00080000"));
    binmode STDOUT;
    print pack("LSSlLLL", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1);
    print pack("LLLL", 1, 0, length $_, length $_), $_ for @frames;' >"$SCRATCH/foreign.pcap"
exits 0 'a capture without MRC packets exits with 0' "$mrc" decode "$SCRATCH/foreign.pcap"
is '  and the message names the ports that were searched' "$output" \
    'mrc decode: no MRC on UDP port 4791 or 4971 (--udp-port) in 2 frames; -a shows them'
exits 0 '-a shows frames that are not MRC' "$mrc" decode -a "$SCRATCH/foreign.pcap"
contains '  with the Ethernet type of an unknown protocol' "$output" 'not MRC: Ethernet type 0x0806'
contains '  and with the port of other UDP packets' "$output" 'not MRC: UDP port 53'
contains 'the number of frames that are not MRC is printed' \
    "$("$mrc" decode "$SCRATCH/foreign.pcap" "$SCRATCH/raw_IP.pcap" 2>&1)" 'mrc decode: 2 frames were not MRC; -a shows them'
contains 'each of several files has a heading' "$("$mrc" decode "$vectors" "$vectors")" "==> $vectors <=="

exits 1 'a missing file is a failure' "$mrc" decode "$SCRATCH/none"
is '  and the message names the file' "$output" "mrc decode: $SCRATCH/none: No such file or directory"
exits 1 'decode continues with the other files after a missing file' "$mrc" decode "$SCRATCH/none" "$vectors"
contains '  and shows them to their last packet' "$output" "$(tail -n 1 "$lines")"
exits 1 'a folder as input is a failure' "$mrc" decode "$SCRATCH"
is '  and the message says that it is a folder' "$output" "mrc decode: $SCRATCH: Is a directory"
: >"$SCRATCH/empty"
exits 1 'an empty file is a failure' "$mrc" decode "$SCRATCH/empty"
is '  and the message says that it is empty' "$output" "mrc decode: $SCRATCH/empty is empty: there is nothing to decode"
# shellcheck disable=SC2016
exits 1 'empty standard input is a failure' sh -c '"$1" decode </dev/null' sh "$mrc"
is '  and the message names standard input' "$output" 'mrc decode: standard input is empty: there is nothing to decode'
exits 1 'a file that is not a capture is refused' "$mrc" decode "$mrc"
contains '  and the message shows its first bytes' "$output" 'is neither pcap, pcapng nor hex lines: it begins with the bytes 7f 45 4c 46'
gzip -c "$SCRATCH/written.pcapng" >"$SCRATCH/written.gz"
exits 1 'a compressed capture is refused' "$mrc" decode "$SCRATCH/written.gz"
contains '  and the message says to unpack it' "$output" 'is compressed: unpack it'
head -c 100 "$SCRATCH/raw_IP.pcap" >"$SCRATCH/torn.pcap"
exits 1 'a capture that ends within a packet is a failure' "$mrc" decode "$SCRATCH/torn.pcap"
to_pcap 127 a1b2c3d4 '' 65535 >"$SCRATCH/radio.pcap"
exits 1 'an unknown link type is a failure' "$mrc" decode "$SCRATCH/radio.pcap"
is '  and the message has its number' "$output" \
    "mrc decode: $SCRATCH/radio.pcap: link type 127 is not supported; supported: Ethernet, raw IP, Linux cooked, loopback"
if [ "$(id -u)" -eq 0 ]; then
    skip 'an unreadable file is a failure' 'root reads everything'
else
    chmod 0 "$SCRATCH/empty"
    exits 1 'an unreadable file is a failure' "$mrc" decode "$SCRATCH/empty"
fi

printf 'W1 99 612f\n' >"$SCRATCH/wrong"
exits 1 'a wrong length in a hex line is a failure' "$mrc" decode "$SCRATCH/wrong"
is '  and the message has file, line and column' "$output" "mrc decode: $SCRATCH/wrong:1:4: the line says 99 bytes, but 2 follow"
printf '# comment\n\n61 2\n' >"$SCRATCH/wrong"
exits 1 'half a byte in a hex line is a failure' "$mrc" decode "$SCRATCH/wrong"
is '  and the message has its line and column' "$output" "mrc decode: $SCRATCH/wrong:3:4: half a byte: the digit '2' stands alone"
printf '612g\n' >"$SCRATCH/wrong"
exits 1 'a character that is not a hex digit is a failure' "$mrc" decode "$SCRATCH/wrong"
is '  and the message describes a hex line' "$output" \
    "mrc decode: $SCRATCH/wrong:1:4: 'g' is not a hex digit; a line is [NAME LENGTH] HEXDIGITS"

# More than a pipe holds.
awk '{ for (i = 0; i < 200; i++) print }' "$vectors" >"$SCRATCH/many"
# shellcheck disable=SC2016
is 'decode exits with 0 if the reader of a pipe closes it' "$(sh -c '{ "$1" decode "$2" 2>&1; echo "$?" >"$3"; } | head -n 1 >/dev/null
    cat "$3"' sh "$mrc" "$SCRATCH/many" "$SCRATCH/status")" 0
done_testing
