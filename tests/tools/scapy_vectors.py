# SPDX-License-Identifier: Apache-2.0
"""Compares contrib/scapy/mrc.py with the vectors and with mrc decode. Prints TAP.

usage: scapy_vectors.py MRC VECTORS-FOLDER"""

import json
import random
import subprocess
import sys

from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6, IPv6ExtHdrSegmentRouting
from scapy.packet import NoPayload

import mrc

# Header of mrc decode -j, layer of scapy, and fields that have different names.
HEADERS = [
    ("udp", UDP, {"source_port": "sport", "dest_port": "dport", "length": "len", "checksum": "chksum"}),
    ("bth", mrc.MRC, {"ackreq": "a"}),
    ("meth", mrc.METH, {}),
    ("tseth", mrc.TSETH, {}),
    ("reth", mrc.RETH, {}),
    ("immdt", mrc.ImmDt, {"imm": "immediate"}),
    ("aeth", mrc.AETH, {}),
    ("seth", mrc.SETH, {"bitmap": "sack_bitmap"}),
    ("cc_state", mrc.SETH, {}),
    ("neth", mrc.NETH, {"reason": "nack_reason", "psn": "nack_psn"}),
    ("peth", mrc.PETH, {}),
    ("erth", mrc.ERTH, {}),
    ("eeth", mrc.EETH, {}),
    ("srh", IPv6ExtHdrSegmentRouting, {"segments_left": "segleft", "next_header": "nh", "segment": None, "usids": None,
                                       "flags": None}),
]
DERIVED = {"ack_psn", "missing", "entropy_plane", "entropy_uplink", "request_id"}  # not fields of the header


class Tap:
    def __init__(self):
        self.number, self.has_failed = 0, False

    def same(self, sentence, got, wanted):
        self.number += 1
        self.has_failed |= got != wanted
        print("%sok %d - %s" % ("" if got == wanted else "not ", self.number, sentence))
        if got != wanted:
            print("#   got    %s\n#   wanted %s" % (got, wanted))


def lines(path):
    for line in open(path):
        if line.strip() and not line.startswith("#"):
            name, _, digits = line.split()[:3]
            yield name, bytes.fromhex(digits), line.partition("# ")[2].partition(":")[0]


def dissect(data):
    return (IPv6 if data[0] >> 4 == 6 else IP)(data)


def rebuilt(packet, **changes):
    """Returns the bytes that scapy builds from the fields alone."""
    packet = packet.copy()
    for name, value in changes.items():
        setattr(packet[mrc.MRC], name, value)
    layer = packet
    while not isinstance(layer, NoPayload):
        layer.raw_packet_cache = None
        layer = layer.payload
    return bytes(packet)


def number(value):
    return int(value, 16) if isinstance(value, str) and value.startswith("0x") else value


def fields_of_decode(decoded):
    """Returns (header, field) -> value, for the fields that scapy shows as well."""
    found = {}
    for header, _, names in HEADERS:
        for key, value in decoded.get(header, {}).items():
            if not key.endswith("_name") and key not in DERIVED and names.get(key, key):
                found[header, key] = number(value)
    found["", "ev"] = decoded["path"]["ev"]
    if decoded["icrc"]["status"] == "ok":
        found["", "icrc"] = decoded["icrc"]["stored"]
    if "outer" in decoded:
        found["", "usids"] = decoded["outer"]["usids"]
        found["", "hop_limit"] = decoded["outer"]["hop_limit"]
    return found


def fields_of_scapy(packet, wanted):
    found = {}
    for header, layer, names in HEADERS:
        for key in [key for of, key in wanted if of == header and header]:
            name = names.get(key, key)
            value = getattr(packet[layer], name)
            found[header, key] = value() if callable(value) else value
    found["", "ev"] = mrc.ev(packet)
    if ("", "icrc") in wanted:
        found["", "icrc"] = packet[mrc.MRC].icrc
    if ("", "usids") in wanted:
        found["", "usids"] = mrc.usids(packet.dst)[1]
        found["", "hop_limit"] = packet.hlim
    return found


def damaged(data, generator):
    """Returns a golden vector with a few random changes."""
    data = bytearray(data)
    for _ in range(generator.randrange(4)):
        data[generator.randrange(len(data))] = generator.randrange(256)
    if generator.randrange(4) == 0:
        del data[generator.randrange(len(data)):]
    return bytes(data)


def verdicts_of_decode(program, packets):
    text = "".join("v%d %d %s\n" % (index, len(data), data.hex()) for index, data in enumerate(packets))
    run = subprocess.run([program, "decode", "-j", "-a"], input=text, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                         text=True)
    return [json.loads(line).get("malformed", {}).get("reason", "none") for line in run.stdout.splitlines()]


def main(program, folder):
    tap = Tap()
    golden = list(lines(folder + "/mrc-vectors.txt"))
    run = subprocess.run([program, "decode", "-j", folder + "/mrc-vectors.txt"], stdout=subprocess.PIPE, text=True)
    decoded = {packet["name"]: packet for packet in map(json.loads, run.stdout.splitlines())}
    for name, data, _ in golden:
        packet = dissect(data)
        wanted = fields_of_decode(decoded[name])
        tap.same("%s: its %d fields are those of mrc decode" % (name, len(wanted)), fields_of_scapy(packet, wanted), wanted)
        tap.same("  it is built again from its fields", rebuilt(packet).hex(), data.hex())
        if not mrc.is_trimmed(packet[mrc.MRC]):
            tap.same("  and with a computed iCRC", rebuilt(packet, icrc=None).hex(), data.hex())
        tap.same("  a receiver accepts it", mrc.verdict(data), "none")
    for name, data, wanted in lines(folder + "/mrc-negative.txt"):
        tap.same("%s: the verdict is %s" % (name, wanted), mrc.verdict(data), wanted)
    generator = random.Random(7)
    packets = [damaged(generator.choice(golden)[1], generator) for _ in range(4000)]
    # Empty lines are no packets, and mrc decode knows RoCEv2 as well.
    packets = [data for data in packets if data]
    pairs = [(mrc.verdict(data), verdict, data.hex()) for data, verdict in zip(packets, verdicts_of_decode(program, packets))]
    different = [pair for pair in pairs if pair[0] != pair[1] and pair[0] != "opcode"]
    tap.same("%d damaged packets have the verdict of mrc decode" % len(pairs), different[:3], [])
    print("1..%d" % tap.number)
    return 1 if tap.has_failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
