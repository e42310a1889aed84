# SPDX-License-Identifier: Apache-2.0
"""The figures of the paper: texts, rows and charts from experiments/paper/figures.json, and their verdicts."""

import json

import experiments

PATH = f"{experiments.FOLDER}/figures.json"


def read():
    with open(PATH, encoding="utf-8") as file:
        return json.load(file)


def heading(figure):
    known = figure["id"][0].isdigit()
    plural = " and " in figure["id"]
    return f"Figure{'s' if plural else ''} {figure['id']}: {figure['title']}" if known else figure["title"]


def experiment_of(figure, part):
    """The experiment of a row or a line: its own, or the only one of the figure."""
    return part.get("from", figure["experiments"][0])


def values_wanted(name):
    return sorted(
        {row["value"] for figure in read() for row in figure["rows"] if experiment_of(figure, row) == name}
    )


def concerns(figure, criterion):
    """A figure may show some runs of an experiment only."""
    runs = figure.get("runs")
    if not runs:
        return True
    words = criterion["criterion"].replace(".", " ").split()
    return criterion["run"] in runs or any(run in words for run in runs)


def criteria(figure, measured):
    return [
        (name, each)
        for name in figure["experiments"]
        if name in measured
        for each in measured[name]["criteria"]
        if concerns(figure, each)
    ]


def verdict(figure, measured):
    """Returns a word and how many criteria hold."""
    found = criteria(figure, measured)
    held = sum(not each["failed_seeds"] for _, each in found)
    if not found:
        return "not run", 0, 0
    return ("as published" if held == len(found) else "differs"), held, len(found)


# ---- differences ----


def all_reasons():
    """(experiment, run, criterion) -> why it differs."""
    return {
        (each["experiment"], run, text): each["because"]
        for figure in read()
        for each in figure.get("differs", [])
        for run, text in each["criteria"]
    }


def reasons(name):
    return {(run, text): because for (owner, run, text), because in all_reasons().items() if owner == name}


def unexplained(name, one):
    known = reasons(name)
    return [f"{name}: {problem}" for problem in one.get("problems", [])] + [
        f"{name}, {each['run']}: {each['criterion']}"
        for each in one["criteria"]
        if each["failed_seeds"] and (each["run"], each["criterion"]) not in known
    ]


# ---- staleness ----


def stale_experiment(path, stored):
    name = experiments.name_of(path)
    if name not in stored:
        return [f"{path}: nothing is stored"]
    if stored[name]["fingerprint"] != experiments.fingerprint(path):
        return [f"{path}: changed since its figures were stored"]
    missing = [each for each in values_wanted(name) if each not in stored[name]["values"]]
    return [f"{PATH}: {name} has no stored figure {each}" for each in missing] + unexplained(name, stored[name])


def stale_reasons(stored):
    """Reasons for differences that do not exist."""
    differ = {
        (name, each["run"], each["criterion"])
        for name, one in stored.items()
        for each in one["criteria"]
        if each["failed_seeds"]
    }
    return [f"{PATH}: explains {' '.join(key)}, which holds" for key in all_reasons() if key not in differ]


def stale(stored):
    shown = {name for figure in read() for name in figure["experiments"]}
    known = {experiments.name_of(path) for path in experiments.files()}
    problems = [f"{PATH}: {name} is not an experiment" for name in sorted(shown - known)]
    problems += [f"{PATH}: does not show {name}" for name in sorted(known - shown)]
    problems += [f"{experiments.STORE}: {name} is not an experiment" for name in sorted(set(stored) - known)]
    for path in experiments.files():
        problems += stale_experiment(path, stored)
    return problems + stale_reasons(stored)
