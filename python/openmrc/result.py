# SPDX-License-Identifier: Apache-2.0
"""Results of mrc sim, and the runs of mrc sweep: mrc-result(5)."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterator, List, Union

from .table import Row, Table

RESULT_VERSION = 1


class Run:
    """One run of an experiment."""

    def __init__(self, data: Dict[str, Any], experiment: str) -> None:
        self.data = data
        self.experiment = experiment
        self.label: str = data["label"]
        self.seed: int = data["seed"]
        self.status: str = data["status"]
        self.hash: str = data["hash"]
        self.settings: Dict[str, Any] = data.get("settings", {})
        self.summary: Dict[str, Any] = data["summary"]

    def __repr__(self) -> str:
        return f"<openmrc.Run: {self.experiment} {self.label or 'seed %d' % self.seed}: {self.status}>"

    def figure(self, path: str) -> Any:
        """Returns a figure of the summary as criteria name it: "workloads.pairs.completion_us.p99"."""
        value: Any = self.summary
        for key in path.split("."):
            value = value[int(key)] if isinstance(value, list) else value[key]
        return value

    def rows(self) -> Iterator[Row]:
        """Yields a row for each workload. Figures within figures have names with dots."""
        for name, workload in self.summary["workloads"].items():
            row: Row = {"experiment": self.experiment, "label": self.label, "seed": self.seed}
            row.update(self.settings)
            row.update({"status": self.status, "workload": name})
            row.update(_flat(workload))
            for figure in ("trimmed", "marked", "timeouts", "plane_imbalance", "queue_peak_bytes"):
                row[figure] = self.summary.get(figure)
            yield row

    def series(self) -> Table:
        """Returns a row for each interval. A series with several parts has a column for each:
        goodput_bps.pairs, plane_bps.0."""
        columns: Dict[str, List[Any]] = {}
        for name, values in self.data.get("series", {}).items():
            if name == "ev_map":
                values = values["states"] if values else None
            _add_columns(columns, name, values)
        count = len(columns.get("time_us", []))
        return Table([{name: values[i] for name, values in columns.items()} for i in range(count)], list(columns))

    def phases(self) -> Table:
        """Returns a row for each phase and workload."""
        return Table(
            {"phase": phase, "from_us": data["from_us"], "until_us": data["until_us"], "workload": name, **_flat(workload)}
            for phase, data in self.summary["phases"].items()
            for name, workload in data["workloads"].items()
        )

    def events(self) -> Table:
        return Table(self.data.get("events", []))

    def faults(self) -> Table:
        """Returns a row for each fault, with columns such as began.recovered_us."""
        return Table(_flat(fault) for fault in self.summary["faults"])

    def criteria(self) -> Table:
        return Table(self.data.get("criteria", []))


class Result:
    """A result document: an experiment and its runs."""

    def __init__(self, data: Dict[str, Any]) -> None:
        if data.get("openmrc_result") != RESULT_VERSION:
            raise ValueError(f"not a result of mrc sim: openmrc_result is {data.get('openmrc_result')!r}, not {RESULT_VERSION}")
        self.data = data
        self.name: str = data["experiment"]["name"]
        self.title: str = data["experiment"].get("title", "")
        self.fabric: Dict[str, Any] = data["fabric"]
        self.inputs: Dict[str, Any] = data["experiment"].get("inputs", {})
        self.runs: List[Run] = [Run(run, self.name) for run in data["runs"]]

    def __repr__(self) -> str:
        return f"<openmrc.Result: {self.name}, {len(self.runs)} runs>"

    def table(self) -> Table:
        """Returns a row for each run and workload, with the settings of the run."""
        return Table(row for run in self.runs for row in run.rows())


def read_result(path: Union[str, "os.PathLike[str]"]) -> Result:
    """Reads a file that mrc sim -o or mrc sweep has written."""
    with open(path, encoding="utf-8") as file:
        try:
            return Result(json.load(file))
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from error


def _flat(values: Dict[str, Any], prefix: str = "") -> Row:
    row: Row = {}
    for name, value in values.items():
        if isinstance(value, dict):
            row.update(_flat(value, prefix + name + "."))
        else:
            row[prefix + name] = value
    return row


def _add_columns(columns: Dict[str, List[Any]], name: str, values: Any) -> None:
    if isinstance(values, dict):
        for part, its in values.items():
            _add_columns(columns, f"{name}.{part}", its)
    elif isinstance(values, list) and values and isinstance(values[0], list):
        for number, its in enumerate(values):
            _add_columns(columns, f"{name}.{number}", its)
    elif isinstance(values, list):
        columns[name] = values
