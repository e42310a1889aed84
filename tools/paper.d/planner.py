# SPDX-License-Identifier: Apache-2.0
"""B12 and B20: what mrc plan counts, and what papers and closed forms say."""

import functools
import json
import os
import subprocess

BUILD = os.environ.get("BUILD", "build")

CLOS_131072 = "--gpus 131072 --nic 800G --planes 8 --switch 51.2T"
FAT_TREE_64 = "--gpus 65536 --nic 800G --planes 1 --tiers 3"
SIDE_BY_SIDE = "--gpus 16384 --nic 400G"  # and switches of 51.2 Tb/s

# (what, options of mrc plan, row, published)
B12 = [
    ("two tiers, 131,072 NICs of 8 x 100 Gb/s", CLOS_131072, "switches", 6144),
    ("", CLOS_131072, "T0: switches", 512),
    ("", CLOS_131072, "T1: switches", 256),
    ("", CLOS_131072, "modules", 524288),
    ("", CLOS_131072, "links", 2097152),
    ("", CLOS_131072, "paths of a far pair", 2048),
    ("two tiers, 16,384 NICs of 8 x 100 Gb/s", "--gpus 16384", "switches", 768),
    ("", "--gpus 16384", "T1: parallel links to each switch below", 8),
    ("two tiers, 32,768 NICs of 4 x 200 Gb/s", "--gpus 32768 --planes 4", "switches", 1536),
    ("two tiers, 524,288 NICs, 102.4 Tb/s", "--gpus 524288 --switch 102.4T", "switches", 12288),
    ("fat tree of 4 ports", "--gpus 16 --planes 1 --tiers 3 --switch 3.2T", "switches", 20),
    ("", "--gpus 16 --planes 1 --tiers 3 --switch 3.2T", "paths of a far pair", 4),
    ("fat tree of 64 ports, 65,536 NICs", FAT_TREE_64, "switches", 5120),
    ("", FAT_TREE_64, "paths of a far pair", 1024),
    ("", FAT_TREE_64, "modules", 393216),
    ("fat tree of 128 ports, 524,288 NICs", "--gpus 524288 --nic 400G --planes 1 --tiers 3", "switches", 20480),
    ("rail-optimised, 8,192 NICs of 400 Gb/s", "--shape rail-optimised --gpus 8192 --nic 400G", "switches", 192),
    ("ZCube(128, 2)", "--shape zcube " + SIDE_BY_SIDE, "switches", 256),
    ("", "--shape zcube " + SIDE_BY_SIDE, "links", 49152),
    ("ZCube(84, 3)", "--shape zcube --tiers 3 --gpus 592704 --nic 600G", "switches", 21168),
    ("dual ToR, dual plane, 15,360 GPUs", "--gpus 15360 --nic 400G --planes 2 --uplink 400G --hosts-per-leaf 128 --oversubscription 1.067", "switches", 360),
    ("16,384 GPUs of 400 Gb/s: three tiers", "--planes 1 --tiers 3 " + SIDE_BY_SIDE, "switches", 640),
    ("", "--planes 1 --tiers 3 " + SIDE_BY_SIDE, "paths of a far pair", 4096),
    ("16,384 GPUs of 400 Gb/s: rail-only", "--shape rail-only " + SIDE_BY_SIDE, "switches", 384),
    ("", "--shape rail-only " + SIDE_BY_SIDE, "paths of a far pair", 64),
    ("16,384 GPUs of 400 Gb/s: dual plane", "--planes 2 --uplink 400G " + SIDE_BY_SIDE, "switches", 384),
    ("", "--planes 2 --uplink 400G " + SIDE_BY_SIDE, "paths of a far pair", 128),
    ("16,384 GPUs of 400 Gb/s: four planes", "--planes 4 " + SIDE_BY_SIDE, "switches", 384),
    ("", "--planes 4 " + SIDE_BY_SIDE, "paths of a far pair", 1024),
    ("16,384 GPUs of 400 Gb/s: ZCube", "--shape zcube " + SIDE_BY_SIDE, "paths of a far pair", 258),
]

# (what, options of mrc plan failures, failure, published share, of a plane or of a NIC, in percent)
SHARES = [
    ("one link of a leaf, one plane", "--gpus 2048 --planes 1", "T0: uplink fails", 3.125, "plane_share"),
    ("one link of a leaf, eight planes", "--gpus 131072", "T0: uplink fails", 0.390625, "plane_share"),
    ("a T0, eight planes", "--gpus 131072", "T0: switch reboots", 12.5, "nic_share"),
]

# (what, options of mrc plan chips, row, published), at 100 m; bytes, and MB of a whole switch
B20 = [
    ("PFC headroom of a port of 100 Gb/s, bytes", "", "PFC headroom of a port and priority", 46242),
    ("of 200 Gb/s", "--planes 4", "PFC headroom of a port and priority", 62644),
    ("of 400 Gb/s", "--planes 2", "PFC headroom of a port and priority", 116825),
    ("of 800 Gb/s", "--planes 1", "PFC headroom of a port and priority", 167330),
    ("of a switch of 51.2 Tb/s with 512 ports, MB", "", "PFC headroom of a switch", 23.7),
    ("with 128 ports", "--planes 2", "PFC headroom of a switch", 15.0),
    ("with 64 ports", "--planes 1", "PFC headroom of a switch", 10.7),
    ("queues of trimmed packets, if all are full, MB", "", "queues of trimmed packets, all full", 128),
    ("buffer, MB", "", "buffer", 165.7),
]
# What B20 asks for and no source has: our figures, in MB.
LEFT = [("left for data with PFC, one priority", "left for data with PFC", 142.0), ("left for data with trimming", "left for data with trimming", 164.0)]


@functools.lru_cache(maxsize=None)
def plan(words):
    answer = subprocess.run([f"{BUILD}/bin/mrc", "plan", *words.split(), "-j"], check=True, capture_output=True, text=True)
    return json.loads(answer.stdout)


def row(words, name):
    return next(entry["value"] for entry in plan(words)["rows"] if entry["name"] == name)


def chip(words, name, pick=min):
    value = row(f"chips {words}", name)
    value = pick(value) if isinstance(value, list) else value
    return int(value) if value > 1000 else round(value, 1)


def share(words, name, key):
    return 100 * next(entry[key] for entry in plan(f"failures {words}")["failures"] if entry["failure"] == name)


def named(checks):
    """Gives a check without a name that of the one before it."""
    title = ""
    for check in checks:
        title = check[0] or title
        yield (title, *check[1:])


def counts():
    """(what, published, ours)"""
    for title, words, name, published in named(B12):
        yield f"{title}: {name}", published, row(f"size {words}", name)
    for title, words, name, published, key in SHARES:
        yield f"{title}: % of a {key.split('_', maxsplit=1)[0]}", published, share(words, name, key)


def buffers():
    """(what, published, ours)"""
    for title, words, name, published in B20:
        yield title, published, chip(words, name)
    for title, name, expected in LEFT:
        yield title, expected, chip("", name, max)


def holds():
    return all(published == ours for _, published, ours in [*counts(), *buffers()])


def print_checks():
    for name, checks in (("B12", list(counts())), ("B20", list(buffers()))):
        wrong = [check for check in checks if check[1] != check[2]]
        print(f"{name}       {'DIFFERS' if wrong else 'pass'}  mrc plan: {len(checks) - len(wrong)} of {len(checks)} figures are as published")
        for what, published, ours in wrong:
            print(f"     {what}: {ours}; published: {published}")


def lines():
    """The part of docs/results.md, which needs no run: holds() says that ours are equal."""
    text = ["", "### Counts of the planner (B12)", "", "`mrc plan` gives exactly these figures.", "", "| fabric | figure | published |", "|---|---|---|"]
    text += [f"| {title} | {name} | {published:,} |" for title, _, name, published in named(B12)]
    text += [f"| {title} | share of a {key.split('_', maxsplit=1)[0]} | {published} % |" for title, _, _, published, key in SHARES]
    text += ["", "### Buffers of a switch (B20)", "", "`mrc plan chips` gives these figures, at 100 m.", "", "| | published |", "|---|---|"]
    text += [f"| {title} | {published:,} |" for title, _, _, published in B20]
    text += [f"| {title}, MB | {expected} (ours; not published) |" for title, _, expected in LEFT]
    return text
