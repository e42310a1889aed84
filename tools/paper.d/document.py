# SPDX-License-Identifier: Apache-2.0
"""The part of docs/results.md that shows the figures of the paper."""

import textwrap

import arithmetic
import experiments
import figures
import planner

PATH = "docs/results.md"
BEGIN = "<!-- tools/paper --write makes what follows from experiments/paper. -->"
END = "<!-- Written by hand from here on. -->"
COLUMNS = 100

FORMATS = {
    "share": lambda value: f"{100 * value:.1f} %",
    "number": lambda value: f"{value:.4f}",
    "us": lambda value: f"{value:.4g} us",
    "count": lambda value: f"{value:,.0f}",
    "bytes": lambda value: f"{value / 1000:,.0f} kB",
    "rate": lambda value: f"{value / 1e9:.0f} Gb/s",
}


def ours(row, stored, figure):
    show = FORMATS[row.get("as", "share")]
    return experiments.spread(stored[figures.experiment_of(figure, row)]["values"][row["value"]], show)


def wrapped(text, first="", rest=""):
    return textwrap.wrap(
        text, COLUMNS, initial_indent=first, subsequent_indent=rest, break_long_words=False, break_on_hyphens=False
    )


def held(figure, stored):
    word, good, total = figures.verdict(figure, stored)
    return f"{word}, all {total} criteria hold" if good == total else f"{word}, {good} of {total} criteria hold"


def section(figure, stored):
    lines = ["", f"### {figures.heading(figure)}", ""]
    lines += wrapped(f"Published: {figure['published']} **Ours: {held(figure, stored)}.**")
    lines += ["", "| | published | ours |", "|---|---|---|"]
    for row in figure["rows"]:
        lines.append(f"| {row['name']} | {row.get('published', '')} | {ours(row, stored, figure)} |")
    for each in figure.get("differs", []):
        lines += ["", *wrapped(f"Differs: {each['because']}", "- ", "  ")]
    if "remark" in figure:
        lines += ["", *wrapped(figure["remark"])]
    return lines


def overview(all_figures, stored):
    lines = ["| figure | what | experiments | verdict |", "|---|---|---|---|"]
    for figure in all_figures:
        ids = ", ".join(experiments.id_of(name) for name in figure["experiments"])
        word, good, total = figures.verdict(figure, stored)
        number = figure["id"] if figure["id"][0].isdigit() else ""
        lines.append(f"| {number} | {figure['title']} | {ids} | {word}" + ("" if good == total else f" ({good} of {total})") + " |")
    return lines


def counts():
    lines = ["", "### Switches and optics (R20)", "", "| | published | two tiers, eight planes | three tiers | ratio |", "|---|---|---|---|---|"]
    for what, published, two, three, ratio in arithmetic.rows():
        lines.append(f"| {what} | {published} | {two:,} | {three:,} | {ratio:.4g} |" if ratio else f"| {what} | {published} | {two:,} | {three:,} | |")
    return lines


def generated():
    stored = experiments.stored()
    all_figures = figures.read()
    lines = [BEGIN, "", *overview(all_figures, stored)]
    for figure in all_figures:
        lines += section(figure, stored)
    return "\n".join([*lines, *counts(), *planner.lines(), "", END])


def replaced(text):
    before, rest = text.split(BEGIN)
    return before + generated() + rest.split(END)[1]


def read():
    with open(PATH, encoding="utf-8") as file:
        return file.read()


def write():
    text = replaced(read())
    with open(PATH, "w", encoding="utf-8") as file:
        file.write(text)


def stale():
    text = read()
    try:
        return [] if replaced(text) == text else [f"{PATH}: differs from what tools/paper --write makes"]
    except (KeyError, ValueError) as error:
        return [f"{PATH}: cannot be made: {error!r}"]
