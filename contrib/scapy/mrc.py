# SPDX-License-Identifier: Apache-2.0
"""Scapy layers for MRC (Multipath Reliable Connection, OCP MRC 1.0): docs/wire.md.

    from scapy.all import IPv6, UDP
    from mrc import *

    IPv6(data).show()                                   # any MRC packet, from its first IP header on
    bytes(srv6("2001:db8:1::a", 0xfc000042, [0x400, 0x801, 0x401, 0xc00]) /
          write("2001:db8:1::a", "2001:db8:2::b", ev=0x101, dqp=0x222, psn=7, payload=b"hello"))
    verdict(data)                                       # "none", or the reason for which a receiver drops it

BTH is the layer MRC, with the iCRC at the end of the packet as its field `icrc`. Behind it are METH, TSETH, RETH and
ImmDt in a WRITE, or AETH, SETH, NETH, PETH, ERTH or EETH. A trimmed packet, known by the DSCP of its first IP header,
has no iCRC; what survived behind METH and TSETH is its payload. Fields that are None are computed when a packet is
built."""

import socket
import struct
import zlib

from scapy.fields import (BitEnumField, BitField, ByteEnumField, ByteField, ConditionalField, IntField, ShortField,
                          SignedShortField, XBitField, XByteField, XIntField, XLEIntField, XLongField, XShortField,
                          X3BytesField)
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6, IPv6ExtHdrSegmentRouting
from scapy.packet import Packet, Raw, bind_layers

__all__ = ["MRC", "METH", "TSETH", "RETH", "ImmDt", "AETH", "SETH", "NETH", "PETH", "ERTH", "EETH", "OPCODES", "DSCP",
           "ports", "ev", "usids", "carrier", "srv6", "write", "control", "is_trimmed", "verdict"]

# Code points, as the operator chooses them.
DSCP = {"no_trim": 0, "trimmable": 4, "trimmable_retx": 8, "trimmed": 12, "trimmed_lasthop": 16, "control": 46}
ports = [4791, 4971]  # UDP destination ports that are MRC; the first is used for new packets

OPCODES = {
    0xC6: "WRITE First", 0xC7: "WRITE Middle", 0xC8: "WRITE Last", 0xC9: "WRITE Last Imm", 0xCA: "WRITE Only",
    0xCB: "WRITE Only Imm", 0xD1: "ACK", 0xD8: "Endpoint Request", 0xD9: "Endpoint Response", 0xDC: "SACK",
    0xDD: "NACK", 0xDE: "Probe",
}
NACK_REASONS = {
    0x01: "TRIMMED", 0x02: "TRIMMED_LASTHOP", 0x06: "NO_BITMAP", 0x07: "NO_PKT_BUFFER", 0x0A: "NO_RESOURCE",
    0x0B: "PSN_OOR_WINDOW", 0x19: "UNEXP_EVENT",
}
SYNDROMES = {0x1F: "ACK", 0x61: "NAK invalid request", 0x62: "NAK remote access error", 0x63: "NAK remote operational error"}
MARKS = {0: "NONE", 1: "SKIP_ONCE", 2: "ALWAYS_SKIP", 3: "reserved"}
ENDPOINT_OPS = {0: "PORT_STATUS_UPDATE", 1: "EV_PROBE"}

UDP_BYTES, BTH_BYTES, ICRC_BYTES = 8, 12, 4


def is_write(opcode):
    return 0xC6 <= opcode <= 0xCB


def has_immediate(opcode):
    return opcode in (0xC9, 0xCB)


# ---- IP headers around a layer


def ip_layers(layer):
    """Returns the IP headers below a layer, the innermost first."""
    found = []
    layer = layer.underlayer
    while layer is not None:
        if isinstance(layer, (IP, IPv6)):
            found.append(layer)
        layer = layer.underlayer
    return found


def dscp_of(ip):
    return (ip.tc if isinstance(ip, IPv6) else ip.tos) >> 2


def is_trimmed(layer):
    """Returns whether the DSCP of the first IP header says that a switch trimmed the packet."""
    around = ip_layers(layer)
    return bool(around) and dscp_of(around[-1]) in (DSCP["trimmed"], DSCP["trimmed_lasthop"])


def ev(packet):
    """Returns the entropy value of a packet: the low half of the inner flow label, and the UDP source port."""
    udp = packet[UDP]
    ip = ip_layers(udp)[0]
    return (ip.fl & 0xFFFF if isinstance(ip, IPv6) else 0) << 16 | udp.sport


# ---- iCRC


def masked_ip(ip, udp_length):
    """Returns an IP header as the iCRC covers it: what changes on the way is all ones."""
    if isinstance(ip, IPv6):
        plen = udp_length if ip.plen is None else ip.plen
        return (b"\x6f\xff\xff\xff" + struct.pack(">HBB", plen, 17, 0xFF) + socket.inet_pton(socket.AF_INET6, ip.src) +
                socket.inet_pton(socket.AF_INET6, ip.dst))
    length = 20 + udp_length if ip.len is None else ip.len
    return (struct.pack(">BBHHHBBH", 0x45, 0xFF, length, ip.id, int(ip.flags) << 13 | ip.frag, 0xFF, 17, 0xFFFF) +
            socket.inet_aton(ip.src) + socket.inet_aton(ip.dst))


def icrc(udp, transport):
    """Returns the iCRC of a packet: `transport` is all from BTH on, without the iCRC."""
    length = UDP_BYTES + len(transport) + ICRC_BYTES
    header = struct.pack(">HHHH", udp.sport, udp.dport, length if udp.len is None else udp.len, 0xFFFF)
    covered = transport[:4] + b"\xff" + transport[5:]
    return zlib.crc32(b"\xff" * 8 + masked_ip(ip_layers(udp)[0], length) + header + covered)


# ---- layers


class Header(Packet):
    """A header behind BTH. It finds the BTH of its packet."""

    def bth(self):
        layer = self.underlayer
        while layer is not None and not isinstance(layer, MRC):
            layer = layer.underlayer
        return layer


class MRC(Packet):
    name = "MRC BTH"
    fields_desc = [
        ByteEnumField("opcode", 0xCA, OPCODES),
        BitField("se", 0, 1),
        BitField("m", 0, 1),
        BitField("pad", 0, 2),
        BitField("tver", 0, 4),
        XShortField("pkey", 0xFFFF),
        XByteField("var_res", 0),
        X3BytesField("dqp", 0),
        BitField("a", 0, 1),
        BitField("r", 0, 1),
        BitField("rtx", 0, 1),
        BitField("ts", 0, 1),
        XBitField("inv_res", 0, 4),
        X3BytesField("psn", 0),
        ConditionalField(XLEIntField("icrc", None), lambda packet: not is_trimmed(packet)),
    ]

    @classmethod
    def dispatch_hook(cls, data=None, *arguments, **keywords):
        if data is not None and (len(data) < BTH_BYTES or data[0] & 0xE0 != 0xC0):
            return Raw  # RoCEv2, or too short
        return cls

    # The iCRC is the last field of the packet: it is moved behind BTH to be dissected, and back to be built.
    def pre_dissect(self, data):
        if is_trimmed(self) or len(data) < BTH_BYTES + ICRC_BYTES:
            return data
        return data[:BTH_BYTES] + data[-ICRC_BYTES:] + data[BTH_BYTES:-ICRC_BYTES]

    def post_dissect(self, data):
        self.raw_packet_cache = None
        return data

    def post_build(self, header, payload):
        whole = header[:BTH_BYTES] + payload
        if is_trimmed(self):
            return whole
        if self.icrc is not None:
            return whole + header[BTH_BYTES:]
        if not isinstance(self.underlayer, UDP):
            return whole + b"\0" * ICRC_BYTES
        return whole + struct.pack("<I", icrc(self.underlayer, whole))

    def guess_payload_class(self, payload):
        if is_write(self.opcode):
            return METH
        return {0xD1: AETH, 0xD8: ERTH, 0xD9: EETH, 0xDC: SETH, 0xDD: NETH, 0xDE: PETH}.get(self.opcode, Raw)

    def answers(self, other):
        return isinstance(other, MRC) and self.opcode >= 0xD0 and other.opcode != self.opcode

    def mysummary(self):
        return self.sprintf("MRC %MRC.opcode% qp %MRC.dqp% psn %MRC.psn%")


class METH(Header):
    name = "MRC METH"
    fields_desc = [ShortField("rqmsn", 0), ShortField("msn", 0)]

    def guess_payload_class(self, payload):
        bth = self.bth()
        if bth is not None and bth.ts:
            return TSETH
        return RETH if bth is not None and not is_trimmed(self) else Raw


class TSETH(Header):
    name = "MRC TSETH"
    fields_desc = [XShortField("tx_timestamp", 0), BitField("tsr", 0, 1), XBitField("reserved", 0, 11),
                   BitField("ftype", 1, 4)]

    def guess_payload_class(self, payload):
        return Raw if is_trimmed(self) else RETH


class RETH(Header):
    name = "MRC RETH"
    fields_desc = [XLongField("va", 0), XIntField("rkey", 0), IntField("dmalen", 0)]

    def guess_payload_class(self, payload):
        bth = self.bth()
        return ImmDt if bth is not None and has_immediate(bth.opcode) else Raw


class ImmDt(Header):
    name = "MRC ImmDt"
    fields_desc = [XIntField("immediate", 0)]


class AETH(Header):
    name = "MRC AETH"
    fields_desc = [ByteEnumField("syndrome", 0x1F, SYNDROMES), X3BytesField("msn", 0)]


class SETH(Header):
    """SETH and CC_STATE."""
    name = "MRC SETH"
    fields_desc = [
        BitField("type", 0, 4),
        BitField("nxt", 0, 5),
        BitEnumField("m", 0, 2, MARKS),
        BitField("reserved1", 0, 3),
        BitField("pr", 0, 1),
        BitField("reserved2", 0, 1),
        SignedShortField("ack_psn_offset", 0),
        XIntField("entropy", 0),
        XShortField("spdcid", 0),
        XShortField("dpdcid", 0),
        XByteField("reserved3", 0),
        X3BytesField("cack_psn", 0),
        BitField("cc_type", 0, 4),
        BitField("cc_fl", 0, 4),
        ByteField("mpr", 0),
        SignedShortField("sack_offset", 0),
        XLongField("sack_bitmap", 0),
        XShortField("tx_timestamp", 0),
        BitField("reserved4", 0, 1),
        BitField("ooo_count", 0, 15),
        BitField("r_c", 0, 1),
        BitField("rcv_cwnd_pen", 0, 7),
        X3BytesField("rcvd_bytes", 0),
    ]

    @property
    def probe_id(self):
        return self.ack_psn_offset & 0xFFFF

    def received(self):
        """Returns the PSNs above cack_psn that the bitmap reports as received."""
        base = self.cack_psn + self.sack_offset
        return [(base + bit) & 0xFFFFFF for bit in range(64) if self.sack_bitmap >> bit & 1]


class NETH(Header):
    name = "MRC NETH"
    fields_desc = [
        BitField("type", 0, 4),
        BitField("nxt", 0, 5),
        BitField("reserved1", 0, 7),
        ByteEnumField("nack_reason", 1, NACK_REASONS),
        XByteField("vendor_info", 0),
        XIntField("entropy", 0),
        XShortField("spdcid", 0),
        XShortField("dpdcid", 0),
        XByteField("reserved2", 0),
        X3BytesField("nack_psn", 0),
        BitField("cc_type", 2, 4),
        BitField("cc_fl", 0, 4),
        XByteField("reserved3", 0),
        XShortField("tx_timestamp", 0),
    ]


class PETH(Header):
    name = "MRC PETH"
    fields_desc = [
        BitField("type", 0, 4),
        BitField("nxt", 0, 5),
        BitField("reserved1", 0, 7),
        XByteField("reserved2", 0),
        XByteField("vendor_info", 0),
        XShortField("probe_id", 0),
        XShortField("reserved3", 0),
        XShortField("spdcid", 0),
        XShortField("dpdcid", 0),
        XShortField("tx_timestamp", 0),
        BitField("tsr", 0, 1),
        XBitField("reserved4", 0, 11),
        BitField("ftype", 1, 4),
    ]


class ERTH(Header):
    name = "MRC ERTH"
    fields_desc = [
        BitField("type", 0, 4),
        BitField("nxt", 0, 5),
        BitField("reserved1", 0, 5),
        BitEnumField("op", 1, 2, ENDPOINT_OPS),
        XByteField("reserved2", 0),
        XByteField("vendor_info", 0),
        XIntField("port_status_mask", 0),
        XIntField("reserved3", 0),
        XShortField("tx_timestamp", 0),
        BitField("tsr", 0, 1),
        XBitField("reserved4", 0, 11),
        BitField("ftype", 1, 4),
    ]


class EETH(Header):
    name = "MRC EETH"
    fields_desc = [
        BitField("type", 0, 4),
        BitField("nxt", 0, 5),
        BitField("reserved1", 0, 3),
        BitEnumField("op", 1, 2, ENDPOINT_OPS),
        BitField("reserved2", 0, 2),
        XBitField("reserved3", 0, 208),
        XShortField("tx_timestamp", 0),
        XBitField("reserved4", 0, 48),
    ]


for number in ports:
    bind_layers(UDP, MRC, dport=number)
bind_layers(IPv6ExtHdrSegmentRouting, IPv6, nh=41)


# ---- SRv6


def carrier(block, identifiers):
    """Returns the address of a list of up to six uSIDs: carrier(0xfc000042, [0x400, 0xc00])."""
    data = struct.pack(">I", block) + b"".join(struct.pack(">H", usid) for usid in identifiers)
    if len(data) > 16:
        raise ValueError("an address holds six uSIDs")
    return socket.inet_ntop(socket.AF_INET6, data.ljust(16, b"\0"))


def usids(address):
    """Returns the block and the uSIDs of an address."""
    data = socket.inet_pton(socket.AF_INET6, address)
    words = struct.unpack(">6H", data[4:])
    count = max((index + 1 for index, word in enumerate(words) if word), default=0)
    return struct.unpack(">I", data[:4])[0], list(words[:count])


def srv6(source, block, identifiers, dscp="trimmable", ecn=2, segment=None, **fields):
    """Returns an outer header, to be joined with a packet by `/`. `segment`: the uSIDs of an SRH."""
    outer = IPv6(src=source, dst=carrier(block, identifiers), tc=DSCP[dscp] << 2 | ecn, hlim=64, **fields)
    if segment is None:
        return outer
    return outer / IPv6ExtHdrSegmentRouting(addresses=[carrier(block, segment)], segleft=1, lastentry=0)


# ---- packets


def network(source, destination, number, dscp, ecn):
    """IPv6 or IPv4, and UDP with the EV."""
    udp = UDP(sport=number & 0xFFFF, dport=ports[0], chksum=0)
    if ":" in source:
        return IPv6(src=source, dst=destination, tc=DSCP[dscp] << 2 | ecn, fl=number >> 16, hlim=64) / udp
    return IP(src=source, dst=destination, tos=DSCP[dscp] << 2 | ecn, flags="DF", ttl=64, id=0) / udp


def write(source, destination, ev, dqp, psn, payload=b"", opcode=0xCA, stamp=None, immediate=0, dscp="trimmable",
          rtx=0, a=0, msn=0, rqmsn=0, va=0, rkey=0, dmalen=None):
    """Returns a WRITE. `stamp`: the timestamp of a TSETH."""
    pad = -len(payload) % 4
    packet = (network(source, destination, ev, dscp, 2) /
              MRC(opcode=opcode, dqp=dqp, psn=psn, pad=pad, a=a, rtx=rtx, ts=int(stamp is not None)) /
              METH(rqmsn=rqmsn, msn=msn))
    if stamp is not None:
        packet /= TSETH(tx_timestamp=stamp)
    packet /= RETH(va=va, rkey=rkey, dmalen=len(payload) if dmalen is None else dmalen)
    if has_immediate(opcode):
        packet /= ImmDt(immediate=immediate)
    return packet / Raw(payload + b"\0" * pad) if payload else packet


def control(source, destination, ev, header, dqp, psn=0, dscp="control", rtx=0):
    """Returns a packet with this header behind BTH: control(a, b, 0, SETH(cack_psn=7), dqp=0x111, psn=7)."""
    opcode = {AETH: 0xD1, ERTH: 0xD8, EETH: 0xD9, SETH: 0xDC, NETH: 0xDD, PETH: 0xDE}[type(header)]
    ecn = 0 if dscp == "control" else 2
    return network(source, destination, ev, dscp, ecn) / MRC(opcode=opcode, dqp=dqp, psn=psn, rtx=rtx) / header


# ---- verdict


class Dropped(Exception):
    """The reason for which a receiver drops a packet; its name is that of docs/reference.md."""


class Bytes:
    """The part of a packet that is not read yet."""

    def __init__(self, data):
        self.data, self.at, self.end = data, 0, len(data)

    def left(self):
        return self.end - self.at

    def take(self, count, reason="truncated"):
        if self.left() < count:
            raise Dropped(reason)
        self.at += count
        return self.data[self.at - count:self.at]


def read_ip(data):
    """Returns version, length of the payload, next header and DSCP."""
    if data.left() == 0:
        raise Dropped("truncated")
    version = data.data[data.at] >> 4
    if version == 6:
        header = data.take(40)
        return 6, struct.unpack(">H", header[4:6])[0], header[6], (header[0] << 4 | header[1] >> 4) >> 2 & 0x3F
    if version != 4:
        raise Dropped("ip_version")
    header = data.take(20)
    words = struct.unpack(">10H", header)
    if header[0] != 0x45 or words[3] & 0x3FFF:
        raise Dropped("ipv4_header")
    total = sum(words)
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    if total != 0xFFFF:
        raise Dropped("ipv4_checksum")
    if words[1] < 20:
        raise Dropped("ip_length")
    return 4, words[1] - 20, header[9], header[1] >> 2


def read_network(data):
    """Returns the DSCP of the first IP header, the length in the last one, and where that begins."""
    version, length, following, dscp = read_ip(data)
    if length > data.left():
        raise Dropped("truncated")
    data.end = data.at + length
    start = 0
    if version == 6 and following in (4, 41, 43):
        if following == 43:
            srh = data.take(8)
            if srh[1] != 2 or srh[2] != 4 or srh[3] > 1 or srh[4] != 0:
                raise Dropped("srh")
            data.take(16)
            following = srh[0]
            if following not in (4, 41):
                raise Dropped("next_header")
        start, expected = data.at, 4 if following == 4 else 6
        version, length, following, _ = read_ip(data)
        if version != expected:
            raise Dropped("ip_version")
    if following != 17:
        raise Dropped("next_header")
    return dscp, length, start


def read_udp(data):
    header = data.take(UDP_BYTES)
    _, port, length, _ = struct.unpack(">4H", header)
    if port not in ports:
        raise Dropped("udp_port")
    return length


def read_bth(data):
    """Returns opcode, pad and whether TSETH follows."""
    bth = data.take(BTH_BYTES)
    if bth[1] & 0x0F:
        raise Dropped("bth_version")
    if (bth[2] << 8 | bth[3]) & 0x7FFF != 0x7FFF:
        raise Dropped("partition")
    if bth[0] not in OPCODES:
        raise Dropped("opcode")
    return bth[0], bth[1] >> 4 & 3, bool(bth[8] & 0x10)


def header_bytes(opcode, has_stamp):
    """Returns the length of the headers behind BTH."""
    if is_write(opcode):
        return 4 + (4 if has_stamp else 0) + 16 + (4 if has_immediate(opcode) else 0)
    return {0xD1: 4, 0xD8: 16, 0xD9: 36, 0xDC: 36, 0xDD: 20, 0xDE: 16}[opcode]


def check_trimmed(data, opcode, pad, has_stamp, udp_length):
    if not is_write(opcode):
        raise Dropped("trimmed_not_data")
    data.take(8 if has_stamp else 4)
    if udp_length < UDP_BYTES + BTH_BYTES + header_bytes(opcode, has_stamp) + pad + ICRC_BYTES:
        raise Dropped("length")


def check_whole(data, opcode, pad, has_stamp):
    needed = header_bytes(opcode, has_stamp)
    if is_write(opcode):
        if data.left() < needed + pad + ICRC_BYTES:
            raise Dropped("length")
    elif data.left() != needed + ICRC_BYTES or pad:
        raise Dropped("length")
    if opcode == 0xD1 and data.data[data.at] >> 5 not in (0, 3):
        raise Dropped("syndrome")


def check_icrc(data, start):
    """Of the bytes of the packet, from its last IP header on."""
    packet = bytearray(data.data[start:data.end])
    stored = bytes(packet[-ICRC_BYTES:])
    if packet[0] >> 4 == 6:
        packet[0:4], packet[7], udp = b"\x6f\xff\xff\xff", 0xFF, 40
    else:
        packet[1] = packet[8] = packet[10] = packet[11] = 0xFF
        udp = 20
    packet[udp + 6] = packet[udp + 7] = packet[udp + UDP_BYTES + 4] = 0xFF
    if struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(packet[:-ICRC_BYTES]))) != stored:
        raise Dropped("icrc")


def check(frame):
    data = Bytes(frame)
    dscp, ip_length, start = read_network(data)
    trimmed = dscp in (DSCP["trimmed"], DSCP["trimmed_lasthop"])
    if not trimmed and ip_length != data.left():
        raise Dropped("ip_length")
    udp_length = read_udp(data)
    if not trimmed and udp_length != ip_length:
        raise Dropped("udp_length")
    opcode, pad, has_stamp = read_bth(data)
    has_stamp = has_stamp and is_write(opcode)
    if trimmed:
        check_trimmed(data, opcode, pad, has_stamp, udp_length)
    else:
        check_whole(data, opcode, pad, has_stamp)
        check_icrc(data, start)


def verdict(frame):
    """Returns why a receiver drops a packet, given from its first IP header on; "none": it does not."""
    try:
        check(bytes(frame))
    except Dropped as reason:
        return str(reason)
    return "none"
