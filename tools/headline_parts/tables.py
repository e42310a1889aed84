# SPDX-License-Identifier: Apache-2.0
"""Sums up the results of tools/headline: figures and tables of the four parts."""

import math

from headline_parts import plan

LINK_BPS = 400e9
ENOUGH = 0.9  # of the efficiency of MRC
# The figures of a result that tables are made of.
NEEDED = ("efficiency", "status", "simulated_us", "qp_errors", "low_us", "is_low", "end_share", "lost_us", "after_us")
# Quantiles of Student's t distribution for two-sided intervals of 95 %, with two and more degrees of freedom.
STUDENT = (4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


def spread(values):
    """(mean, low, high): a confidence interval of 95 %, or the smallest and the largest of fewer than three values."""
    if not values:
        return None, None, None
    mean = sum(values) / len(values)
    if len(values) < 3:
        return mean, min(values), max(values)
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1))
    half = STUDENT[min(len(values) - 3, len(STUDENT) - 1)] * deviation / math.sqrt(len(values))
    return mean, mean - half, mean + half


def sent_bytes(result):
    """What a rank sends."""
    share = {"ring": 2 * (plan.RING - 1) / plan.RING, "permutation": 1}.get(result["workload"])
    if share is None:
        share = (result["group"] - 1) / result["group"]
    return share * plan.BYTES_MB * 1e6


def local_us(result):
    """What the local stages of the hierarchical all-reduce take: 1000 Tb/s, before and after the rings."""
    rings = result["size"] // plan.RING
    return 2 * (rings - 1) * plan.BYTES_MB * 1e6 * 8 / 1e9 if result["workload"] == "ring" else 0


def efficiency(result):
    """Payload of a NIC until the last of all has finished, as a share of its line rate. 0: a QP failed. Some stored
    results have nothing else."""
    figures = result["figures"]
    if "efficiency" in figures:
        return figures["efficiency"]
    if figures["qp_errors"] > 0 or figures["status"] != "finished":
        return 0
    return 8 * sent_bytes(result) / ((figures["simulated_us"] - local_us(result)) * 1e-6 * LINK_BPS)


def pick(results, **wanted):
    return [result for result in results if all(result.get(name) == value for name, value in wanted.items())]


def names_in(results, order):
    there = {result["contender"] for result in results}
    return [name for name in order if name in there]


def with_interval(values, digits=1):
    """In percent."""
    mean, low, high = spread(values)
    if mean is None:
        return ""
    text = f"{100 * mean:.{digits}f}"
    return text if low == high else f"{text} +-{100 * (high - low) / 2:.{digits}f}"


def time_text(us):
    for least, unit in ((1e6, "s"), (1e3, "ms"), (1, "us")):
        if us >= 0.9995 * least:
            return f"{us / least:.3g} {unit}"
    return "0" if us < 0.05 else f"{us:.2g} us"


def line(name, order, points):
    """points: lists of values."""
    means = [spread(values) for values in points]
    return {"name": name, "color": order.index(name), "mean": [each[0] for each in means],
            "low": [each[1] for each in means], "high": [each[2] for each in means]}


def markdown(table):
    rows = [table["head"], ["---"] * len(table["head"])] + table["rows"]
    return "".join("| " + " | ".join(str(cell) for cell in row) + " |\n" for row in rows)


# ---- sizes ----------------------------------------------------------------------------------------------------------

ORDER = plan.MAIN + plan.PROFILES
IN_ORDER = tuple(name for name in ORDER if name.startswith("roce") and name != plan.IN_ANY_ORDER)


def best_of(results, size, names):
    """The contender with the best mean of these names."""
    by_name = {name: [efficiency(result) for result in pick(results, size=size, contender=name)]
               for name in names_in(pick(results, size=size), names)}
    return max(by_name, key=lambda name: spread(by_name[name])[0]) if by_name else None


def seed_shares(results, size, name):
    """The efficiency of a contender as a share of that of MRC, one for each seed that both have."""
    shares = []
    for result in pick(results, size=size, contender=name):
        mrc = pick(results, size=size, contender="mrc", seed=result["seed"])
        if mrc and efficiency(mrc[0]) > 0:
            shares.append(efficiency(result) / efficiency(mrc[0]))
    return shares


def crossing_row(here, sizes, names):
    """Of one workload and loss: the share of the best of these at each size, the first size at which it is not enough,
    and which is the best at the largest size."""
    cells = []
    best = None
    crossing = "none"
    for size in sizes:
        name = best_of(here, size, names)
        shares = seed_shares(here, size, name) if name else []
        mean = spread(shares)[0]
        if mean is None:
            cells.append("")
            continue
        cells.append(with_interval(shares, 0))
        best = name
        if mean < ENOUGH and crossing == "none":
            crossing = f"{size:,}"
    return cells + [crossing, best] if best else None


def crossing_table(results, names, title):
    rows = []
    for workload in plan.WORKLOADS:
        for loss in plan.LOSSES:
            row = crossing_row(pick(results, workload=workload, loss=loss), sizes_in(results), names)
            rows += [[workload, f"{loss:g}"] + row] if row else []
    return {"title": f"{title} in % of MRC, and the first size below {100 * ENOUGH:.0f} %",
            "head": ["", "loss"] + [f"{size:,}" for size in sizes_in(results)] + ["below", "best at last"], "rows": rows}


def sizes_in(results):
    return sorted({result["size"] for result in results})


def size_table(results, workload, loss):
    here = pick(results, workload=workload, loss=loss)
    sizes = sizes_in(here)
    return {"title": f"{workload}, loss {loss:g}: efficiency in %", "head": [""] + [f"{size:,}" for size in sizes],
            "rows": [[name] + [with_interval([efficiency(result) for result in pick(here, size=size, contender=name)])
                               for size in sizes] for name in names_in(here, ORDER)]}


def drawn(loss):
    """The eight of a figure. The tuned DCQCN equals 16 QPs without it; with loss, selective repeat shows more than 8."""
    return tuple("roce-repeat" if name == "roce-8qp" and loss > 0 else name for name in plan.MAIN if name != "roce-tuned")


def size_figure(results, workload, loss):
    here = pick(results, workload=workload, loss=loss)
    sizes = sizes_in(here)
    return {"title": f"{workload}, loss {loss:g}", "x": sizes, "x_unit": "count", "unit": "share",
            "lines": [line(name, drawn(loss), [[efficiency(result) for result in pick(here, size=size, contender=name)]
                                               for size in sizes]) for name in names_in(here, drawn(loss))]}


def sizes_section(results):
    here = [result for result in pick(results, part="sizes") if result["workload"] != "all-to-all" or
            (result["group"], result["peers"]) == (64, 8)]
    cases = [(workload, loss) for workload in plan.WORKLOADS for loss in plan.LOSSES
             if pick(here, workload=workload, loss=loss)]
    return {"id": "sizes", "title": "Efficiency by size",
            "note": "Payload until the last NIC has finished, as a share of the line rate of a NIC.",
            "figures": [size_figure(here, *case) for case in cases],
            "tables": [crossing_table(here, IN_ORDER, "The best RoCEv2"),
                       crossing_table(here, (plan.IN_ANY_ORDER,), "RoCEv2 with placement in any order")] +
                      [size_table(here, *case) for case in cases]}


# ---- groups ---------------------------------------------------------------------------------------------------------

RIVALS = ("roce-1qp", "roce-8qp", "uet", "ib")


def gains(here, size, rival):
    """The gain of MRC over a rival, one for each seed."""
    found = []
    for result in pick(here, size=size, contender="mrc"):
        others = pick(here, size=size, contender=rival, seed=result["seed"])
        if others and efficiency(others[0]) > 0:
            found.append(efficiency(result) / efficiency(others[0]) - 1)
    return found


def groups_section(results):
    here = pick(results, workload="all-to-all", loss=0)
    figures = []
    rows = []
    for peers in ("8", "all"):
        for group in plan.GROUPS:
            case = [result for result in pick(here, group=group) if (result["peers"] == 8) == (peers == "8")]
            sizes = sizes_in(case)
            if not sizes:
                continue
            title = f"groups of {group}, {peers} peers at once"
            figures.append({"title": title, "x": sizes, "x_unit": "count", "unit": "share",
                            "lines": [line(name, ORDER, [[efficiency(result) for result in
                                                          pick(case, size=size, contender=name)] for size in sizes])
                                      for name in ("mrc",) + RIVALS]})
            for size in sizes:
                rows.append([f"{group}, {peers}", f"{size:,}"] +
                            [with_interval([efficiency(result) for result in pick(case, size=size, contender=name)])
                             for name in ("mrc",) + RIVALS] +
                            [with_interval(gains(case, size, name), 0) for name in ("roce-1qp", "roce-8qp")])
    return {"id": "groups", "title": "All-to-all in groups", "note": "8 MB for each rank; every NIC is in a group.",
            "figures": figures, "tables": [{
                "title": "Efficiency, and the gain of MRC over RoCEv2, in %",
                "head": ["group, peers", "NICs", "mrc"] + list(RIVALS) + ["over 1qp", "over 8qp"],
                "rows": rows}]}


# ---- failures -------------------------------------------------------------------------------------------------------

def low_text(values):
    """The mean, or from the least to the most if they are far apart."""
    if max(values) == 0:
        return "no dip"
    mean = sum(values) / len(values)
    far = max(values) > 1.2 * mean
    return f"{time_text(min(values))} to {time_text(max(values))}" if far else time_text(mean)


def recovery_cell(found):
    """How long the job was slow, and how fast it was at the end."""
    if not found:
        return ""
    figures = [result["figures"] for result in found]
    failed = sum(each["qp_errors"] > 0 for each in figures)
    if failed:
        return f"fails in {failed} of {len(figures)}" if failed < len(figures) else "fails"
    end = f", {100 * sum(each['end_share'] for each in figures) / len(figures):.0f} %"
    stuck = sum(each["is_low"] for each in figures)
    if stuck:
        return ("not in " if stuck == len(figures) else f"{stuck} of {len(figures)} not in ") + time_text(
            max(each["after_us"] for each in figures)) + end
    return low_text([each["low_us"] for each in figures]) + end


def recovery_bar(name, found):
    figures = [result["figures"] for result in found]
    is_over = all(each["qp_errors"] == 0 and not each["is_low"] for each in figures)
    return {"name": name, "text": recovery_cell(found),
            "us": sum(each["low_us"] for each in figures) / len(figures) if is_over else None}


def recovery_section(results):
    here = pick(results, part="recovery")
    names = names_in(here, tuple(plan.RECOVERING))
    faults = [fault for fault in plan.FAULTS if pick(here, fault=fault)]
    figures = [{"title": fault, "bars": [recovery_bar(name, pick(here, contender=name, fault=fault)) for name in names
                                         if pick(here, contender=name, fault=fault)]} for fault in faults]
    return {"id": "recovery", "title": "Recovery by class of failure",
            "note": "How long the ring was below half of what the failure leaves (10 us to 10 s, logarithmic; a full bar: "
                    "it did not end), and goodput at the end as a share of that before.",
            "figures": figures,
            "tables": [{"title": f"Time until no longer slow, and goodput at the end: {some[0]} to {some[-1]}",
                        "head": [""] + some, "is_full": True,
                        "rows": [[fault] + [recovery_cell(pick(here, contender=name, fault=fault)) for name in some]
                                 for fault in faults]} for some in (names[:4], names[4:]) if some]}


def lost_values(found):
    """Time lost; at least a tenth of a microsecond, so that a logarithm exists. Nothing if QPs failed."""
    return [max(result["figures"]["lost_us"], 0.1) for result in found if result["figures"]["qp_errors"] == 0]


def lost_cell(found):
    """The mean, with the share of seeds whose QPs failed."""
    if not found:
        return ""
    failed = sum(result["figures"]["qp_errors"] > 0 for result in found)
    if failed == len(found):
        return "fails"
    values = [result["figures"]["lost_us"] for result in found if result["figures"]["qp_errors"] == 0]
    return time_text(max(sum(values) / len(values), 0)) + (f" ({failed}/{len(found)})" if failed else "")


def flaps_section(results):
    here = pick(results, part="flaps")
    names = names_in(here, plan.FLAPPING)
    downs = sorted({result["down_us"] for result in here})
    titles = {"link": "a link between T0 and T1", "port": "a port of a NIC"}
    figures = []
    tables = []
    for fault in plan.WHERE:
        case = pick(here, fault=fault)
        if not case:
            continue
        figures.append({"title": f"time lost if {titles[fault]} is down once", "x": downs, "x_unit": "time",
                        "unit": "time", "is_log": True,
                        "lines": [line(name, plan.FLAPPING, [lost_values(pick(case, contender=name, down_us=down))
                                                             for down in downs]) for name in names]})
        tables.append({"title": f"Time lost if {titles[fault]} is down once, for",
                       "head": [""] + [time_text(down) for down in downs],
                       "rows": [[name] + [lost_cell(pick(case, contender=name, down_us=down)) for down in downs]
                                for name in names]})
    return {"id": "flaps", "title": "What a flap costs",
            "note": "How long the ring would have had to stand still to lose as much.", "figures": figures,
            "tables": tables}


def faults_of(table, document_lines):
    """What is wrong with a table of the document: it is not there, or a cell is empty that must not be."""
    if table["title"] not in document_lines:
        return [f"has no table '{table['title']}'"]
    if not table.get("is_full"):
        return []
    return [f"'{table['title']}': {row[0]} has no figure of {name}" for row in table["rows"]
            for name, cell in zip(table["head"], row) if name and not cell]


def sections(results):
    made = (sizes_section(results), groups_section(results), recovery_section(results), flaps_section(results))
    return [section for section in made if any(table["rows"] for table in section["tables"])]
