# SPDX-License-Identifier: Apache-2.0
"""Runs experiments of the paper, and keeps what they measured."""

import concurrent.futures
import glob
import hashlib
import json
import os
import re

BUILD = os.environ.get("BUILD", "build")
FOLDER = "experiments/paper"
STORE = f"{FOLDER}/measured.json"
BUDGET_S = 20  # of one core, for a run of MRC alone; a comparison may take it for each run of its sweep
DIGITS = 6


class Failure(Exception):
    """An experiment that cannot be run."""


def name_of(path):
    """experiments/paper/r04-uplinks.yaml -> r04-uplinks"""
    return os.path.basename(path)[: -len(".yaml")]


def id_of(name):
    """r14-roce-all-reduce -> R14 RoCE"""
    return f"R{int(name[1:3])}" + (" RoCE" if is_comparison(name) else "")


def is_comparison(name):
    return name[3:].startswith("-roce-")


def files():
    return sorted(glob.glob(f"{FOLDER}/r[0-9][0-9]-*.yaml"), key=lambda path: (path[: len(FOLDER) + 4], is_comparison(name_of(path))))


def chosen(only):
    """`only` are words as R14 and R14-ROCE; an empty list is all."""
    known = {id_of(name_of(path)).upper().replace(" ", "-"): path for path in files()}
    unknown = set(only) - set(known)
    if unknown:
        raise Failure(f"there is no {', '.join(sorted(unknown))} in {FOLDER}")
    return [path for word, path in known.items() if not only or word in only]


def fingerprint(path):
    """A digest of an experiment and of its fabric, without comments."""
    digest = hashlib.sha256()
    with open(path, encoding="utf-8") as file:
        text = file.read()
    fabric = re.search(r"^fabric: (\S+\.yaml)$", text, re.MULTILINE)
    for line in text.splitlines():
        if not line.lstrip().startswith("#"):
            digest.update(line.encode() + b"\n")
    if fabric:
        digest.update(fingerprint(os.path.join(os.path.dirname(path), fabric[1])).encode())
    return digest.hexdigest()[:16]


# ---- runs ----


def result_path(name, seed):
    return f"{BUILD}/paper/{name}-seed{seed}.json"


def run(path, seed):
    """Runs one experiment with one seed. Returns its result and the processor time."""
    out = result_path(name_of(path), seed)
    os.makedirs(os.path.dirname(out), exist_ok=True)
    if os.path.exists(out):
        os.remove(out)
    command = [f"{BUILD}/bin/mrc", "sim", "-q", "--threads", "1", "--seed", str(seed), "-o", out, path]
    process = os.posix_spawn(command[0], command, os.environ)
    _, ended, usage = os.wait4(process, 0)
    status = os.waitstatus_to_exitcode(ended)
    if status not in (0, 1) or not os.path.exists(out):
        raise Failure(f"mrc sim {path} ended with status {status}")
    with open(out, encoding="utf-8") as file:
        return json.load(file), usage.ru_utime + usage.ru_stime


def look_up(result, path):
    """Finds RUN.a.b.c in the summary of a run; without a label in that of the first one."""
    words = path.split(".")
    labels = {each["label"]: each for each in result["runs"]}
    at = (labels[words.pop(0)] if words[0] in labels else result["runs"][0])["summary"]
    for word in words:
        at = at[word] if word in at else at["workloads"][word]
    return at


def value_of(result, expression):
    """A path, or the difference of two."""
    parts = [look_up(result, path) for path in expression.split(" - ")]
    return parts[0] - parts[1] if len(parts) == 2 else parts[0]


def rounded(value):
    return None if value is None else float(f"{value:.{DIGITS}g}")


def criteria_of(result):
    """(run, text) -> verdict, in the order of the runs."""
    return {(each["label"], one["text"]): one for each in result["runs"] for one in each["criteria"]}


def summed_up(key, by_seed):
    verdicts = [verdicts[key] for verdicts in by_seed]
    return {
        "run": key[0],
        "criterion": key[1],
        "paper": verdicts[0]["paper"],
        "scale": verdicts[0]["scale"],
        "values": [rounded(verdict["value"]) for verdict in verdicts],
        "failed_seeds": [seed + 1 for seed, verdict in enumerate(verdicts) if not verdict["pass"]],
        "problem": verdicts[0].get("problem"),
    }


def start(paths, seeds):
    """Runs all experiments with all seeds, as many runs at a time as there are processors. Returns the runs of each."""
    if not os.access(f"{BUILD}/bin/mrc", os.X_OK):
        raise Failure(f"there is no {BUILD}/bin/mrc: run make first, or set BUILD")
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count())
    started = {path: [pool.submit(run, path, seed) for seed in range(1, seeds + 1)] for path in paths}
    pool.shutdown(wait=False)
    return started


def stop(started):
    """Leaves out runs that have not begun."""
    for runs in started.values():
        for each in runs:
            each.cancel()


def measure(path, runs, wanted):
    """Sums up the runs of an experiment. `wanted` are expressions whose values are kept."""
    results, seconds = zip(*(each.result() for each in runs))
    by_seed = [criteria_of(result) for result in results]
    criteria = [summed_up(key, by_seed) for key in by_seed[0]]
    budget_s = BUDGET_S * (len(results[0]["runs"]) if is_comparison(name_of(path)) else 1)
    return {
        "id": id_of(name_of(path)),
        "title": results[0]["experiment"]["title"],
        "fingerprint": fingerprint(path),
        "values": {each: [rounded(value_of(result, each)) for result in results] for each in wanted},
        "criteria": criteria,
        "seconds": sum(seconds),
        "pass": not any(each["failed_seeds"] for each in criteria),
        "problems": [f"a run took {max(seconds):.0f} s, more than {budget_s} s"] * (max(seconds) > budget_s)
        + [
            f"run '{each['label']}' with seed {seed + 1}: {each['status']}"
            for seed, result in enumerate(results)
            for each in result["runs"]
            if each["status"] not in ("finished", "out_of_time")
        ],
    }


# ---- what is kept ----


def stored():
    if not os.path.exists(STORE):
        return {}
    with open(STORE, encoding="utf-8") as file:
        return json.load(file)


def store(measured):
    """Replaces what was measured now. Times depend on the machine and are left out."""
    known = {name_of(path) for path in files()}
    kept = {name: one for name, one in stored().items() if name in known}
    for name, one in measured.items():
        kept[name] = {key: value for key, value in one.items() if key not in ("seconds", "problems")}
    lines = [f"{json.dumps(name)}: {json.dumps(kept[name])}" for name in sorted(kept)]
    with open(STORE, "w", encoding="utf-8") as file:
        file.write("{\n" + ",\n".join(lines) + "\n}\n")


def changed(name, one, before):
    """Compares with what is stored, as far as seeds were run."""
    if name not in before:
        return [f"{name}: nothing is stored"]
    old = before[name]
    differ = [
        f"{name}, {key}: {values} instead of {old['values'].get(key)}"
        for key, values in one["values"].items()
        if (old["values"].get(key) or [])[: len(values)] != values
    ]
    olds = {(each["run"], each["criterion"]): each["values"] for each in old["criteria"]}
    return differ + [
        f"{name}, {each['criterion']}: {each['values']} instead of {olds.get((each['run'], each['criterion']))}"
        for each in one["criteria"]
        if (olds.get((each["run"], each["criterion"])) or [])[: len(each["values"])] != each["values"]
    ]


# ---- as text ----


def number(value):
    if value is None:
        return "-"
    if value == int(value) and abs(value) < 1e6:
        return str(int(value))
    return f"{value:.4g}"


def spread(values, show=number):
    known = [value for value in values if value is not None]
    if not known:
        return "-"
    mean, least, most = (show(each) for each in (sum(known) / len(known), min(known), max(known)))
    return mean if least == most else f"{mean} ({least} to {most})"


def print_one(one, reasons):
    print(f"{one['id']:9} {'pass' if one['pass'] else 'DIFFERS'}  {one['title']}  [{one['seconds']:.1f} s]")
    for each in one["criteria"]:
        failed = each["failed_seeds"]
        verdict = "differs" if failed else "pass"
        print(f"     {verdict:7}  ours {spread(each['values']):32} paper: {each['paper']}")
        prefix = f"{each['run']}: " if each["run"] and "runs." not in each["criterion"] else ""
        print(f"              {prefix}{each['criterion']}" + (f" (not with seed {', '.join(map(str, failed))})" if failed else ""))
        if each["problem"]:
            print(f"              {each['problem']}")
        if failed and (each["run"], each["criterion"]) in reasons:
            print(f"              because {reasons[each['run'], each['criterion']]}")
    for problem in one["problems"]:
        print(f"     {problem}")
