# SPDX-License-Identifier: Apache-2.0
"""R20: what two tiers of many small planes need, and what three tiers need, for as many NICs."""

import re

FABRIC = "experiments/scale/fabric-131072.yaml"
PORTS = 64  # of a switch, of 800 Gb/s; as many times 8 of 100 Gb/s


def fabric():
    with open(FABRIC, encoding="utf-8") as file:
        text = file.read()
    return {key: int(re.search(rf"^{key}: (\d+)$", text, re.MULTILINE)[1]) for key in ("planes", "t0s", "t1s", "hosts_per_t0")}


def counts():
    """Optics are counted in ends of 800 Gb/s, which may be eight ends of 100 Gb/s."""
    two = fabric()
    nics = two["t0s"] * two["hosts_per_t0"]
    links = nics * two["planes"] + two["planes"] * two["t0s"] * two["t1s"]
    tier = nics // (PORTS // 2)  # T0s, and as many T1s; a T2 has all its ports down
    return {
        "nics": nics,
        "switch ports": (two["hosts_per_t0"] + two["t1s"], two["t0s"], PORTS * two["planes"]),
        "switches": (two["planes"] * (two["t0s"] + two["t1s"]), 2 * tier + tier // 2),
        "optics": (2 * links // two["planes"], 2 * 3 * nics),
    }


def rows():
    """(what, published, two tiers, three tiers, ratio)"""
    found = counts()
    return [("NICs", "131,072", found["nics"], found["nics"], None)] + [
        (what, published, *found[what], found[what][0] / found[what][1])
        for what, published in (("switches", "3/5"), ("optics", "2/3"))
    ]


def holds():
    found = counts()
    t0_ports, t1_ports, most = found["switch ports"]
    return (
        found["nics"] == 131072
        and t0_ports <= most
        and t1_ports <= most
        and 5 * found["switches"][0] == 3 * found["switches"][1]
        and 3 * found["optics"][0] == 2 * found["optics"][1]
    )


def print_counts():
    print(f"R20       {'pass' if holds() else 'DIFFERS'}  two tiers in eight planes, and three tiers")
    for what, published, two, three, ratio in rows():
        print(f"     {what}: {two:,} and {three:,}" + (f", {ratio:.4g}" if ratio else "") + f"; paper: {published}")
