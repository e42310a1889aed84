# SPDX-License-Identifier: Apache-2.0
"""Traces of mrc sim --trace: a JSON object per line, mrc-sim(1)."""

from __future__ import annotations

import json
import os
from typing import Any, Iterator, Union

from .table import Row, Table


def iter_trace(path: Union[str, "os.PathLike[str]"], **values: Any) -> Iterator[Row]:
    """Yields the events with these values, one at a time: iter_trace("t.jsonl", nic=2, event="loss").
    A list of values matches each of them."""
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            try:
                event = json.loads(line)
            except ValueError as error:
                raise ValueError(f"{os.fspath(path)}:{number}: {error}") from error
            if all(_is_one_of(event.get(name), value) for name, value in values.items()):
                yield event


def read_trace(path: Union[str, "os.PathLike[str]"], **values: Any) -> Table:
    """Returns the events with these values as a table."""
    return Table(iter_trace(path, **values))


def _is_one_of(value: Any, wanted: Any) -> bool:
    return value in wanted if isinstance(wanted, (list, tuple, set)) else value == wanted
