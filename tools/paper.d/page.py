# SPDX-License-Identifier: Apache-2.0
"""The page with the figures of the paper. It needs no network and no other file."""

import json
import os
import re

import arithmetic
import experiments
import figures
import planner

TEMPLATE = "tools/paper.d/page.html"
PARTS = ("tools/paper.d", "src/web/report", "third_party/uplot")


def rows(figure, measured):
    found = []
    for row in figure["rows"]:
        values = measured[figures.experiment_of(figure, row)]["values"][row["value"]]
        kept = {key: row[key] for key in ("name", "published", "at", "range") if key in row}
        found.append({**kept, "as": row.get("as", "share"), "values": [value for value in values if value is not None]})
    return found


def differences(figure, measured):
    return [each["because"] for each in figure.get("differs", []) if each["experiment"] in measured]


# ---- charts ----


def run_of(name, label, seed):
    with open(experiments.result_path(name, seed), encoding="utf-8") as file:
        runs = json.load(file)["runs"]
    return next((each for each in runs if each["label"] == label), runs[0])


def merged(all_spans):
    """Spans that overlap become one."""
    found = []
    for begin, end in sorted(all_spans):
        if found and begin <= found[-1][1]:
            found[-1][1] = max(found[-1][1], end)
        else:
            found.append([begin, end])
    return found


def spans(run):
    """When there was a fault: [[from, until]...] in us."""
    found = []
    since = {}
    for event in run["events"]:
        key = event.get("fault", event.get("what"))
        if event["kind"] == "fault_began":
            since.setdefault(key, event["time_us"])
        elif event["kind"] == "fault_ended":
            found.append([since.pop(key, 0), event["time_us"]])
    return merged(found + [[begin, run["simulated_us"]] for begin in since.values()])


def shares(run, bps, workload):
    ideal = run["summary"]["workloads"][workload]
    line_bps = ideal["goodput_bps"] / ideal["goodput_fraction"] if ideal["goodput_fraction"] else 0
    return [round(value / line_bps, 5) if line_bps else 0 for value in bps]


def line_of(run, line):
    series = run["series"]
    key = line["series"]
    values = series[key] if key in series else shares(run, series["goodput_bps"][key], key)
    return {"name": line["name"], "values": values}


def each_flow(run):
    """A line for every flow, relative to the rate of its link."""
    (workload,) = run["summary"]["workloads"]
    flows = run["series"]["qp_bps"]
    return [
        {"name": re.search(r"h\d+ to h\d+", name)[0], "values": [round(value * len(flows), 5) for value in shares(run, bps, workload)]}
        for name, bps in flows.items()
    ]


def chart(figure, seeds):
    wanted = figure["chart"]
    seed = min(wanted.get("seed", 1), seeds)
    if "each" in wanted:
        run = run_of(wanted["from"], wanted["each"], seed)
        lines = each_flow(run)
    else:
        runs = [run_of(figures.experiment_of(figure, line), line.get("run", ""), seed) for line in wanted["lines"]]
        lines = [line_of(run, line) for run, line in zip(runs, wanted["lines"])]
        run = runs[0]
    return {"y": wanted["y"], "seed": seed, "times": run["series"]["time_us"], "faults": spans(run), "lines": lines}


# ---- the page ----


def shown(figure, measured, seeds):
    word, held, total = figures.verdict(figure, measured)
    return {
        "heading": figures.heading(figure),
        "published": figure["published"],
        "remark": figure.get("remark"),
        "experiments": [f"{experiments.id_of(name)}, {experiments.FOLDER}/{name}.yaml" for name in figure["experiments"]],
        "verdict": word,
        "held": held,
        "total": total,
        "rows": rows(figure, measured),
        "differs": differences(figure, measured),
        "chart": chart(figure, seeds) if "chart" in figure else None,
    }


def part(name, data):
    if name == "data":
        return json.dumps(data).replace("<", "\\u003c")
    path = next(f"{folder}/{name}" for folder in PARTS if os.path.exists(f"{folder}/{name}"))
    with open(path, encoding="utf-8") as file:
        return file.read()


def write(measured):
    """Shows the figures all of whose experiments were run. Returns the name of the page."""
    seeds = max(len(each["values"]) for one in measured.values() for each in one["criteria"])
    data = {
        "figures": [shown(each, measured, seeds) for each in figures.read() if set(each["experiments"]) <= set(measured)],
        "counts": arithmetic.rows(),
        "counts_hold": arithmetic.holds(),
        "planner": [["B12", *each] for each in planner.counts()] + [["B20", *each] for each in planner.buffers()],
        "seeds": seeds,
    }
    path = f"{experiments.BUILD}/paper.html"
    with open(TEMPLATE, encoding="utf-8") as file:
        text = re.sub(r"\{\{([^}]+)\}\}", lambda match: part(match[1], data), file.read())
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path
