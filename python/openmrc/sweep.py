# SPDX-License-Identifier: Apache-2.0
"""Folders of mrc sweep."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterator, List, Union

from .result import Run, read_result
from .table import Table

SWEEP_VERSION = 1


class Sweep:
    """The runs of the last mrc sweep on a folder. Runs are read when they are used."""

    def __init__(self, folder: Union[str, "os.PathLike[str]"]) -> None:
        self.folder = os.fspath(folder)
        path = os.path.join(self.folder, "sweep.json")
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        if data.get("openmrc_sweep") != SWEEP_VERSION:
            raise ValueError(f"{path}: openmrc_sweep is {data.get('openmrc_sweep')!r}, not {SWEEP_VERSION}")
        self.entries: List[Dict[str, Any]] = data["runs"]

    def __len__(self) -> int:
        return len(self.entries)

    def __repr__(self) -> str:
        return f"<openmrc.Sweep: {self.folder}, {len(self)} runs, {len(self.missing())} missing>"

    def missing(self) -> List[Dict[str, Any]]:
        """Returns the entries of runs that failed or were interrupted."""
        return [entry for entry in self.entries if entry["status"] is None]

    def __iter__(self) -> Iterator[Run]:
        """Yields the runs, one at a time, with series and events."""
        for entry in self.entries:
            if entry["status"] is not None:
                run = read_result(os.path.join(self.folder, entry["file"])).runs[0]
                run.label = entry["label"]
                yield run

    def table(self) -> Table:
        """Returns a row for each run and workload, with the settings of the run."""
        return Table(row for run in self for row in run.rows())

    def settings(self) -> List[str]:
        """Returns the keys that distinguish the sets of values."""
        return list({key: None for entry in self.entries for key in entry["settings"]})

    def sets(self, *figures: str) -> Table:
        """Returns a row for each set of values and workload: mean, deviation, min and max of the
        figures over the seeds. Default: goodput and the 99th percentile of completion times."""
        figures = figures or ("goodput_bps", "goodput_fraction", "capacity_fraction", "completion_us.p99")
        return self.table().group(["experiment", *self.settings(), "workload"], *figures)


def read_sweep(folder: Union[str, "os.PathLike[str]"]) -> Sweep:
    """Opens a folder that mrc sweep has written."""
    return Sweep(folder)
