#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every option of mrc decode, and what is wrong ones.
. "$(dirname "$0")/../harness/tap.sh"
mrc=$BUILD/bin/mrc
vectors=$ROOT/tests/vectors/mrc-vectors.txt
samples=$ROOT/tests/golden/decode/samples.txt

packet() # NAME [ARGUMENT...]: its decoded form
{
    name=$1
    shift
    grep -h "^$name " "$vectors" "$samples" | "$mrc" decode "$@" - 2>&1
}

refuses() # MESSAGE ARGUMENT...
{
    message=$1
    shift
    exits 2 "refused: $*" "$mrc" decode "$@" "$vectors"
    is '  and the message has the reason' "$output" "mrc decode: $message"
}

exits 0 '--help exits with 0' "$mrc" decode --help
for option in --verbose --json --all --count --write --no-icrc --udp-port --dscp --ev-order --uplink-bits --m-before-se \
    --nak-write-imm; do
    contains "the help lists $option" "$output" "$option"
    contains "the manual describes $option" "$(cat "$ROOT/docs/man/mrc-decode.1.scd")" "*$option*"
done

is '--count stops after the given number of packets' "$("$mrc" decode -c 3 "$vectors" | wc -l)" 3
is '--count counts packets over all files' "$("$mrc" decode -j --count 30 "$vectors" "$vectors" | wc -l)" 30
is 'options may follow the names of files' "$("$mrc" decode "$vectors" -c 1 | wc -l)" 1

contains '--udp-port: packets to another port are refused' "$(packet W1 --udp-port 5000)" 'MALFORMED udp_port'
contains '--udp-port: a single port replaces both default ports' "$(packet port-4971 --udp-port 4791)" 'MALFORMED udp_port'
contains '--udp-port: the second port is accepted' "$(packet port-4971 --udp-port 5000 --udp-port 4971)" 'WRITE Only  '
contains '--dscp sets the class of a code point' "$(packet W1 -v --dscp trimmable=20,no_trim=4)" \
    'class              no_trim'
contains '--dscp sets the code point of trimmed packets' "$(packet T1 --dscp trimmed=3)" 'MALFORMED'
contains '--ev-order flow-label: the high half of an EV is in the flow label' "$(packet W8 --ev-order flow-label)" '  0x554f2400  '
contains '--ev-order source-port: the high half of an EV is in the source port' "$(packet W8 --ev-order source-port)" '  0x2400554f  '
contains '--uplink-bits moves the plane within the EV' "$(packet W1 --uplink-bits 9)" '  p1/u261  '
contains '--uplink-bits also applies to echoed EVs' "$(packet S1 --uplink-bits 9)" ' for p1/u261 '
contains 'by default, SE is the first bit of its byte' "$(packet solicited)" ' ackreq se '
contains '--m-before-se makes SE the second bit' "$(packet solicited --m-before-se)" ' ackreq msn '
contains 'the default code of --nak-write-imm is 0x65' "$(packet nak-write-imm)" 'NAK too many WriteImm in flight'
contains '--nak-write-imm sets another code' "$(packet nak-unknown --nak-write-imm 0x6f)" 'NAK too many WriteImm in flight'
exits 1 'a wrong iCRC exits with 1' sh -c "grep '^icrc ' '$samples' | '$mrc' decode"
exits 0 '--no-icrc ignores a wrong iCRC' sh -c "grep '^icrc ' '$samples' | '$mrc' decode --no-icrc"
contains '--no-icrc shows that the iCRC was not checked' "$(packet icrc --no-icrc -v)" 'unchecked'
contains '-v shows the computed iCRC beside a wrong one' "$(packet icrc -v)" 'computed'

exits 0 '--write writes a capture' "$mrc" decode --write "$SCRATCH/all.pcapng" "$vectors"
exits 0 '--write with --count writes only the packets that are shown' "$mrc" decode -c 3 --write "$SCRATCH/three.pcapng" "$vectors"
is '  three packets are written with --count 3' "$("$mrc" decode "$SCRATCH/three.pcapng" | wc -l)" 3
if command -v tshark >/dev/null; then
    # User settings must not reach tshark.
    stock_tshark()
    {
        HOME=$SCRATCH XDG_CONFIG_HOME=$SCRATCH tshark -r "$SCRATCH/all.pcapng" \
            -o udp.ignore_ipv6_zero_checksum:TRUE "$@" 2>/dev/null
    }
    is 'tshark without our dissector reads every packet of a written capture' "$(stock_tshark | wc -l)" "$(grep -c '^[^#]' "$vectors")"
    is 'the names of hex lines become comments of the capture' "$(stock_tshark -T fields -e frame.comment)" \
        "$(sed -n 's/^\([^#][^ ]*\) .*/\1/p' "$vectors")"
    is 'the interface of the capture has the name of the file' "$(stock_tshark -T fields -e frame.interface_name | sort -u)" "$vectors"
    is 'the times of the capture have nanoseconds' "$(stock_tshark -c 1 -T fields -e frame.time_epoch)" 0.000000000
else
    skip 'tshark without our dissector reads every packet of a written capture' 'tshark is not installed'
fi

refuses "there is no option '--verboose'; did you mean --verbose?" --verboose
refuses "there is no option '--sing'; 'mrc decode --help' lists them" --sing
refuses "there is no option '-z'; 'mrc decode --help' lists them" -z
refuses "'--n' is ambiguous; 'mrc decode --help' lists them" --n
refuses "'--no-icrc=1' takes no value" --no-icrc=1
refuses "--count takes a number of at least 1, not '0'" -c 0
refuses "--count takes a number of at least 1, not 'many'" --count many
refuses "--count takes a number of at least 1, not '-1'" --count -1
refuses "--udp-port takes a number from 1 to 65535, not '65536'" --udp-port 65536
refuses '--udp-port may be given at most twice' --udp-port 1 --udp-port 2 --udp-port 3
refuses "--dscp has no name 'trimed'; did you mean 'trimmed'?" --dscp trimed=3
refuses "--dscp has no name 'x'; names: no_trim, trimmable, trimmable_retx, trimmed, trimmed_lasthop, control" --dscp x=3
refuses "--dscp takes NAME=NUMBER, not 'trimmed'" --dscp trimmed
refuses "--dscp takes a number from 0 to 63, not '64'" --dscp control=1,trimmed=64
refuses '--dscp: control and trimmed are both 46, so trimmed packets cannot be recognised' --dscp trimmed=46
refuses "--ev-order takes flow-label or source-port, not 'both'" --ev-order both
refuses "--uplink-bits takes a number from 1 to 31, not '32'" --uplink-bits 32
refuses "--nak-write-imm takes a number from 96 to 127, not '1'" --nak-write-imm 1
refuses '--write takes the name of a file; packets are printed to standard output' --write -
refuses "--write $vectors would overwrite what it reads" --write "$vectors"
exits 2 'an option without its value is refused' "$mrc" decode -c
is '  and the message names the option' "$output" "mrc decode: '-c' requires a value; see 'mrc decode --help'"
exits 1 'a capture that cannot be written is a failure' "$mrc" decode --write "$SCRATCH/none/x" "$vectors"
is '  and the message names the file' "$output" "mrc decode: $SCRATCH/none/x: No such file or directory"
done_testing
