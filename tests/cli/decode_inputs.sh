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
contains 'microseconds count from the first packet' "$("$mrc" decode "$SCRATCH/raw_IP.pcap" | sed -n 2p)" \
    '   2   0.001001000  2001:'
contains 'so do nanoseconds' "$("$mrc" decode "$SCRATCH/nano.pcap" | sed -n 2p)" '   2   0.000001001  2001:'
contains 'JSON has the time of day' "$("$mrc" decode -j "$SCRATCH/nano.pcap" | sed -n 2p)" \
    '"time":"1700000000.000002002"'

exits 0 'hex lines become a pcapng' "$mrc" decode --write "$SCRATCH/written.pcapng" "$vectors"
shows_vectors 'which is read again' "$SCRATCH/written.pcapng"
# shellcheck disable=SC2016
exits 0 'a capture is read from a pipe' sh -c 'cat "$2" | "$1" decode' sh "$mrc" "$SCRATCH/written.pcapng"
is 'packet by packet' "$(echo "$output" | without_labels)" "$(without_labels <"$lines")"
# shellcheck disable=SC2016
exits 0 'so are hex lines' sh -c 'cat "$2" | "$1" decode -' sh "$mrc" "$vectors"
is 'with their names' "$output" "$(cat "$lines")"

to_pcap 101 a1b2c3d4 '' 72 >"$SCRATCH/short.pcap"
exits 0 'packets of which the capture kept the start are no failure' "$mrc" decode "$SCRATCH/short.pcap"
contains 'headers that were kept are shown' "$(echo "$output" | sed -n 1p)" 'msn 7 CUT to 72 of 100 at byte 68 in RETH'
contains 'if all were, the packet is like any other' "$(echo "$output" | sed -n 9p)" 'qp 0x111 psn 0x106 msn 11'
contains 'its iCRC is not judged' "$("$mrc" decode -v "$SCRATCH/short.pcap" 2>&1)" unchecked

# Two that are not ours: an ARP request, and DNS in IPv4 with the wrong checksum that hardware would have put right.
perl -e '
    my @frames = (pack("H*", "ffffffffffff" . "020000000001" . "0806" . "00" x 28),
        pack("H*", "020000000001020000000002" . "0800" . "4500001c000000004011ffffc0000201c0000202" . "c0000035" . "00080000"));
    binmode STDOUT;
    print pack("LSSlLLL", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1);
    print pack("LLLL", 1, 0, length $_, length $_), $_ for @frames;' >"$SCRATCH/foreign.pcap"
exits 0 'a capture without MRC is no failure' "$mrc" decode "$SCRATCH/foreign.pcap"
is 'it says where it looked' "$output" \
    'mrc decode: no MRC on UDP port 4791 or 4971 (--udp-port) in 2 frames; -a shows them'
exits 0 'all frames can be shown' "$mrc" decode -a "$SCRATCH/foreign.pcap"
contains 'each for what it is' "$output" 'not MRC: Ethernet type 0x0806'
contains 'as far as is known' "$output" 'not MRC: UDP port 53'
contains 'some that are not MRC are counted' \
    "$("$mrc" decode "$SCRATCH/foreign.pcap" "$SCRATCH/raw_IP.pcap" 2>&1)" 'mrc decode: 2 frames were not MRC; -a shows them'
contains 'several files have headings' "$("$mrc" decode "$vectors" "$vectors")" "==> $vectors <=="

exits 1 'a file that is not there is a failure' "$mrc" decode "$SCRATCH/none"
is 'with its name' "$output" "mrc decode: $SCRATCH/none: No such file or directory"
exits 1 'the other files are decoded all the same' "$mrc" decode "$SCRATCH/none" "$vectors"
contains 'to the end' "$output" "$(tail -n 1 "$lines")"
exits 1 'a folder is a failure' "$mrc" decode "$SCRATCH"
is 'with the reason' "$output" "mrc decode: $SCRATCH: Is a directory"
: >"$SCRATCH/empty"
exits 1 'an empty file is a failure' "$mrc" decode "$SCRATCH/empty"
is 'with the reason, too' "$output" "mrc decode: $SCRATCH/empty is empty: there is nothing to decode"
# shellcheck disable=SC2016
exits 1 'empty standard input is a failure' sh -c '"$1" decode </dev/null' sh "$mrc"
is 'by its name' "$output" 'mrc decode: standard input is empty: there is nothing to decode'
exits 1 'a program is no capture' "$mrc" decode "$mrc"
contains 'by its first bytes' "$output" 'is neither pcap, pcapng nor hex lines: it begins with the bytes 7f 45 4c 46'
gzip -c "$SCRATCH/written.pcapng" >"$SCRATCH/written.gz"
exits 1 'a compressed capture is refused' "$mrc" decode "$SCRATCH/written.gz"
contains 'with advice' "$output" 'is compressed: unpack it'
head -c 100 "$SCRATCH/raw_IP.pcap" >"$SCRATCH/torn.pcap"
exits 1 'a torn capture is a failure' "$mrc" decode "$SCRATCH/torn.pcap"
to_pcap 127 a1b2c3d4 '' 65535 >"$SCRATCH/radio.pcap"
exits 1 'an unknown link type is a failure' "$mrc" decode "$SCRATCH/radio.pcap"
is 'by its number' "$output" \
    "mrc decode: $SCRATCH/radio.pcap: link type 127 is not supported; supported: Ethernet, raw IP, Linux cooked, loopback"
if [ "$(id -u)" -eq 0 ]; then
    skip 'an unreadable file is a failure' 'root reads everything'
else
    chmod 0 "$SCRATCH/empty"
    exits 1 'an unreadable file is a failure' "$mrc" decode "$SCRATCH/empty"
fi

printf 'W1 99 612f\n' >"$SCRATCH/wrong"
exits 1 'a wrong length in a hex line is a failure' "$mrc" decode "$SCRATCH/wrong"
is 'with file, line and column' "$output" "mrc decode: $SCRATCH/wrong:1:4: the line says 99 bytes, but 2 follow"
printf '# comment\n\n61 2\n' >"$SCRATCH/wrong"
exits 1 'so is half a byte' "$mrc" decode "$SCRATCH/wrong"
is 'in the right line' "$output" "mrc decode: $SCRATCH/wrong:3:4: half a byte: the digit '2' stands alone"
printf '612g\n' >"$SCRATCH/wrong"
exits 1 'so is a wrong character' "$mrc" decode "$SCRATCH/wrong"
is 'with what a line should be' "$output" \
    "mrc decode: $SCRATCH/wrong:1:4: 'g' is not a hex digit; a line is [NAME LENGTH] HEXDIGITS"

# More than a pipe holds.
awk '{ for (i = 0; i < 200; i++) print }' "$vectors" >"$SCRATCH/many"
# shellcheck disable=SC2016
is 'a reader that goes away is no failure' "$(sh -c '{ "$1" decode "$2" 2>&1; echo "$?" >"$3"; } | head -n 1 >/dev/null
    cat "$3"' sh "$mrc" "$SCRATCH/many" "$SCRATCH/status")" 0
done_testing
