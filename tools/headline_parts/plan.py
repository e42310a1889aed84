# SPDX-License-Identifier: Apache-2.0
"""The runs of tools/headline: which protocols, sizes, losses, faults and seeds, in the order of their importance."""

PARTS = ("sizes", "groups", "recovery", "flaps")
ROCE = ["protocol=roce"]
# One job at full speed: contender -> settings.
CONTENDERS = {
    "mrc": [],
    "roce-1qp": ROCE + ["roce.qps=1"],
    "roce-8qp": ROCE + ["roce.qps=8"],
    "roce-16qp": ROCE + ["roce.qps=16"],
    "roce-tuned": ROCE + ["roce.qps=16", "roce.cc=dcqcn", "roce.dcqcn=lab", "roce.marking=scaled"],
    # Packets overtake each other; go-back-N would send nearly everything again.
    "roce-adaptive": ROCE + ["roce.qps=8", "roce.routing=adaptive", "roce.recovery=selective-repeat",
                             "roce.timeout=320us"],
    # NICs place what overtakes; one QP is enough for switches that choose ports by packet.
    "roce-any-order": ROCE + ["roce.qps=1", "roce.routing=adaptive", "roce.placement=any_order", "roce.timeout=320us"],
    "uet": ["protocol=uet"],
    "ib": ["protocol=infiniband", "infiniband.routing=adaptive"],
    "roce-default": ROCE + ["roce.qps=8", "roce.cc=dcqcn"],
    "roce-aggressive": ROCE + ["roce.qps=8", "roce.cc=dcqcn", "roce.marking=nv/4"],
    "roce-most": ROCE + ["roce.qps=8", "roce.cc=dcqcn", "roce.marking=nv/16"],
    "roce-repeat": ROCE + ["roce.qps=16", "roce.recovery=selective-repeat", "roce.timeout=320us"],
    "ib-static": ["protocol=infiniband", "infiniband.routing=static"],
}
MAIN = ("mrc", "roce-1qp", "roce-8qp", "roce-16qp", "roce-tuned", "roce-adaptive", "roce-any-order", "uet", "ib")
IN_ANY_ORDER = "roce-any-order"
PROFILES = ("roce-default", "roce-aggressive", "roce-most", "roce-repeat", "ib-static")
WORKLOADS = ("ring", "all-to-all", "permutation")
LOSSES = (0, 1e-4, 1e-3)
SIZES = (64, 256, 512, 1024, 2048, 8192, 32768)
GROUPS = (64, 128, 256, 512)
GROUPED = ("mrc", "roce-1qp", "roce-8qp", "uet", "ib")
HOSTS_PER_T0 = 64
RING = 16
BYTES_MB = 8
ROOM_BYTES = 80 << 30

# A job in which something fails: contender -> (settings, time that routing and timeouts take at most in ms, how many
# times slower links are so that this can be simulated).
RECOVERING = {
    "mrc": ([], 40, 1),
    "uet": (["protocol=uet"], 40, 1),
    "roce-frr": (ROCE + ["roce.convergence=frr", "roce.timeout=4ms"], 80, 1),
    "ib-shield": (["protocol=infiniband", "infiniband.recovery=shield", "infiniband.timeout=4ms"], 80, 1),
    "roce-fast": (ROCE + ["roce.convergence=fast"], 700, 4),
    "roce-bgp": (ROCE + ["roce.convergence=bgp"], 700, 4),
    "ib-manager": (["protocol=infiniband", "infiniband.recovery=subnet-manager"], 700, 4),
    "roce-slow": (ROCE + ["roce.convergence=slow", "roce.timeout=4295ms"], 30000, 40),
}
FAULT_MS = 20
# class -> (fault, what it leaves of the capacity of the ring: a T0 has eight uplinks in two planes)
FAULTS = {
    "link": ("kind: down, where: p0.t0.0-t1.1", 7 / 8),
    "port": ("kind: down, where: h1.p0", 1 / 2),
    "t0": ("kind: reboot, where: p0.t0.0, for: 100s", 1 / 2),
    "t1": ("kind: reboot, where: p0.t1.1, for: 100s", 7 / 8),
    "silent": ("kind: blackhole, where: p0.t0.0-t1.1", 7 / 8),
    "gray": ("kind: loss, where: p0.t0.0-t1.1, probability: 1%", 7 / 8),
    "flapping": ("kind: flap, where: p0.t0.0-t1.1, period: 4ms, duty: 25%", 7 / 8),
}
FLAPS_US = (1, 10, 100, 1000, 10000, 100000, 1000000, 10000000)
FLAPPING = ("mrc", "uet", "roce-frr", "roce-bgp", "ib-shield", "ib-manager")
WHERE = {"link": "p0.t0.0-t1.1", "port": "h1.p0"}

KIB = 1 << 10
MIB = 1 << 20


def fabric_of(size):
    """The settings of a fabric with this many NICs: T0s with 64 NICs, or with an eighth of them if there are fewer."""
    hosts = min(HOSTS_PER_T0, size // 8)
    return [f"fabric.t0s={size // hosts}", f"fabric.t1s={hosts}", f"fabric.hosts_per_t0={hosts}"]


def qps_of(contender):
    settings = [each for each in CONTENDERS[contender] if each.startswith("roce.qps=")]
    return int(settings[0].split("=")[1]) if settings else 1


def flows_of(workload, size, group):
    return size * (group - 1) if workload == "all-to-all" else size


def bytes_of(workload, contender, size, group):
    """The memory of a run: a part for each NIC and one for each flow, from runs with 2,048 and 8,192 NICs."""
    uet = 3 * KIB if workload == "all-to-all" else 18 * KIB  # its messages are short
    each = {"mrc": 4 * KIB, "uet": uet}.get(contender, 256 + 460 * qps_of(contender))
    return 40 * MIB + size * 40 * KIB + flows_of(workload, size, group) * each


def hop_ns_of(contender, size, loss):
    """On a processor whose neighbours run other large fabrics, which take turns in the caches."""
    alone = {"mrc": 240 if loss else 150, "uet": 210, "ib": 240, "roce-adaptive": 380}.get(contender, 250)
    largest = 2 if contender == "mrc" else 2.8
    return alone * (largest if size > 8192 else 2 if size > 2048 else 1.5 if size > 512 else 1)


def processor_seconds_of(workload, contender, size, group, loss):
    """The time of a run on one thread: packet-hops, and the set-up of its flows."""
    hops = size * (20000 if workload == "ring" else 10500)
    set_up_us = 35 if contender in ("mrc", "uet") else 15
    return 1 + hops * hop_ns_of(contender, size, loss) * 1e-9 + flows_of(workload, size, group) * set_up_us * 1e-6


def threads_of(processor_seconds):
    """Runs of more than six minutes get threads."""
    return 8 if processor_seconds > 600 else 4 if processor_seconds > 360 else 1


def scale_job(part, workload, contender, size, loss, seed, group=64, peers=8):
    settings = fabric_of(size) + CONTENDERS[contender]
    settings.append("faults=[]" if loss == 0 else f"faults.0.probability={loss:.6f}")
    key = f"{part}/{workload}/{contender}/{size}/{loss:g}/{seed}"
    job = {"part": part, "workload": workload, "contender": contender, "size": size, "loss": loss, "seed": seed}
    if workload == "ring":
        rings = size // RING
        settings += [f"workloads.0.group={rings}", f"workloads.0.message_bytes={rings * BYTES_MB}MB"]
    if workload == "all-to-all":
        settings += [f"workloads.0.group={group}", f"workloads.0.peers_at_once={peers}"]
        if contender == "mrc":  # a flow has fewer packets than this; less is less memory
            settings.append(f"parameters.max_cwnd={BYTES_MB * 1000000 // group + 8192}")
        job.update(group=group, peers=peers)
        key += f"/{group}/{peers}"
    processor_s = processor_seconds_of(workload, contender, size, group, loss)
    threads = threads_of(processor_s)
    job.update(key=key, settings=settings, file=f"experiments/headline/{workload}.yaml",
               bytes=bytes_of(workload, contender, size, group), threads=threads,
               seconds=processor_s * (1 if threads == 1 else 2.5 / threads))  # threads wait for each other
    return job


def names_of(key):
    """What a key says of its job."""
    words = key.split("/")
    part = words[0]
    if part == "recovery":
        return {"key": key, "part": part, "contender": words[1], "fault": words[2], "seed": int(words[3])}
    if part == "flaps":
        return {"key": key, "part": part, "contender": words[1], "fault": words[2], "down_us": int(words[3]),
                "seed": int(words[4])}
    names = {"key": key, "part": part, "workload": words[1], "contender": words[2], "size": int(words[3]),
             "loss": float(words[4]), "seed": int(words[5])}
    if len(words) > 6:
        names.update(group=int(words[6]), peers=int(words[7]))
    return names


def time_text(us):
    return f"{round(us * 1000)}ns"


def slower_fabric(slower):
    rate = f"{50000 // slower}Mb/s"
    return [f"fabric.host_link.rate={rate}", f"fabric.uplink.rate={rate}"]


def failing_job(part, contender, fault, what, after_us, slower, seed):
    """`what`: as in FAULTS."""
    text, left = what
    duration_us = FAULT_MS * 1000 + after_us
    settings = RECOVERING[contender][0] + slower_fabric(slower) + [
        f"duration={time_text(duration_us)}",
        # Fine enough to see microseconds in short runs, and not too many samples in long ones.
        f"sample={time_text(max(20 * slower, duration_us / 4000))}",
        "faults=[{ at: %dms, %s }]" % (FAULT_MS, text),
    ]
    return {"part": part, "contender": contender, "fault": fault, "seed": seed, "slower": slower,
            "settings": settings, "fault_us": FAULT_MS * 1000, "left": left, "threads": 1, "bytes": 100 * MIB,
            "seconds": 2 + duration_us / 1000 * 107000 / slower * 250e-9}


def recovery_job(contender, fault, seed):
    _, after_ms, slower = RECOVERING[contender]
    job = failing_job("recovery", contender, fault, FAULTS[fault], after_ms * 1000, slower, seed)
    job.update(key=f"recovery/{contender}/{fault}/{seed}", file="experiments/headline/recovery.yaml")
    return job


def flap_job(contender, fault, down_us, seed):
    _, after_ms, slower = RECOVERING[contender]
    if down_us >= 1000000:
        slower = max(slower, 20)
    elif down_us >= 100000:
        slower = max(slower, 4)
    what = f"kind: down, where: {WHERE[fault]}, for: {time_text(down_us)}", 1
    job = failing_job("flaps", contender, fault, what, after_ms * 1000 + 2 * down_us, slower, seed)
    job.update(key=f"flaps/{contender}/{fault}/{down_us}/{seed}", file="experiments/headline/flap.yaml", down_us=down_us)
    return job


def seeds_for(size, seeds):
    """Three give an interval. Small fabrics have few flows and cost little."""
    return range(1, min(seeds, 5 if size <= 512 else 3) + 1)


def contenders_of(size, loss, smallest):
    if size > 8192:
        return MAIN + ("roce-default",) if loss == 0 else (
            "mrc", "roce-repeat", "uet", "ib", "roce-16qp", IN_ANY_ORDER)
    return MAIN if smallest else MAIN + PROFILES


def has_room(job):
    """Leaves out what takes too much memory, with all contenders where MRC would."""
    mrc_bytes = bytes_of(job["workload"], "mrc", job["size"], job.get("group", 0))
    return max(job["bytes"], mrc_bytes) < ROOM_BYTES


def size_jobs(sizes, seeds, smallest):
    jobs = [scale_job("sizes", workload, contender, size, loss, seed)
            for size in sizes for seed in seeds_for(size, seeds) for loss in LOSSES
            for workload in WORKLOADS for contender in contenders_of(size, loss, smallest)]
    return [job for job in jobs if has_room(job)]


def group_jobs(sizes, seeds):
    """Groups of all sizes, each rank with 8 peers at a time; some groups also with all peers at once. Groups of 64 ranks
    with 8 peers are those of the other part, in small fabrics the only ones."""
    jobs = [scale_job("sizes" if (group, peers) == (64, 8) else "groups", "all-to-all", contender, size, 0, seed, group, peers)
            for size in sizes for seed in seeds_for(size, seeds)
            for group in GROUPS if group == 64 or size >= 2048
            for peers in (8, group - 1) if peers == 8 or size >= 2048 and (group == 64 or group == 256 and size <= 8192)
            for contender in GROUPED]
    return [job for job in jobs if has_room(job)]


def recovery_jobs(seeds):
    return [recovery_job(contender, fault, seed) for seed in range(1, min(seeds, 3) + 1)
            for contender in RECOVERING for fault in FAULTS]


def flap_jobs(seeds, longest_us):
    return [flap_job(contender, fault, down_us, seed) for seed in range(1, min(seeds, 3) + 1)
            for down_us in FLAPS_US if down_us <= longest_us for contender in FLAPPING for fault in WHERE]


def is_like_another(job):
    """The tuned DCQCN marks so late that it equals 16 QPs without congestion control; the other profiles are worse. Of
    those, selective repeat is the best where the loss of packets decides."""
    is_repeat = job["contender"] == "roce-repeat" and job["loss"] > 0 and job["size"] > 8192
    return job["contender"] in PROFILES + ("roce-tuned",) and not is_repeat


def largest_step(job):
    """With more than 8,192 NICs: what has no figure at all comes before further seeds."""
    if job["seed"] > 1:
        return 7 if job["loss"] == 0 and job["part"] == "sizes" and job["contender"] != "roce-adaptive" else 14
    if job["part"] == "groups":
        return 9 if job["contender"] == "uet" else 4 if job["contender"] in ("ib", "roce-8qp") else 0
    if job["loss"] == 0 or job["contender"] == "roce-16qp":
        return 0 if job["loss"] == 0 else 8
    return 4 if job["loss"] != LOSSES[1] else 0 if job["contender"] in ("mrc", "roce-repeat") else 3


def step_of(job):
    """Small means early: the largest fabrics, whose runs are the longest, then failures, then others by size."""
    if "size" not in job:
        return 1 if job["part"] == "recovery" else 2 if job["down_us"] <= 100000 else 6 if job["seed"] == 1 else 10
    if is_like_another(job):
        return 12 if job["seed"] == 1 else 14
    if job["size"] > 8192:
        return largest_step(job)
    if job["part"] == "groups":
        return 9 if job["seed"] == 1 else 13
    if job["seed"] > 3:
        return 11
    if job["size"] <= 2048:
        return 2
    return 3 if job["loss"] == 0 else 5 if job["seed"] == 1 else 10


def rank_of(job):
    """Of one step the longest runs come first, so that no processor waits for one of them at the end."""
    return step_of(job), -job["seconds"] * job["threads"]


def jobs(options):
    smallest = options["smallest"]
    sizes = options["sizes"] or ((64, 256) if smallest else SIZES)
    seeds = 1 if smallest else options["seeds"]
    chosen = options["part"] or PARTS
    every = {
        "sizes": lambda: size_jobs(sizes, seeds, smallest),
        "groups": lambda: group_jobs(sizes, seeds),
        "recovery": lambda: recovery_jobs(seeds),
        "flaps": lambda: flap_jobs(seeds, 1000 if smallest else FLAPS_US[-1]),
    }
    by_key = {job["key"]: job for part in PARTS if part in chosen for job in every[part]()}
    return sorted(by_key.values(), key=rank_of)
