# SPDX-License-Identifier: Apache-2.0
"""Tables: rows with named columns."""

from __future__ import annotations

import csv
import statistics
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Union

Row = Dict[str, Any]


class Table:
    """Rows with named columns. A value that a row does not have is None."""

    def __init__(self, rows: Iterable[Row] = (), columns: Optional[Sequence[str]] = None) -> None:
        self.rows: List[Row] = list(rows)
        if columns is None:
            # A dictionary keeps the order of its keys.
            columns = list({name: None for row in self.rows for name in row})
        self.columns: List[str] = list(columns)

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    def __getitem__(self, key: Union[int, str]) -> Any:
        """Returns a row by its number, or the values of a column by its name."""
        if isinstance(key, int):
            return self.rows[key]
        if key not in self.columns:
            raise KeyError(f"no column {key!r}; the columns are {', '.join(self.columns)}")
        return [row.get(key) for row in self.rows]

    def where(self, test: Optional[Callable[[Row], bool]] = None, **values: Any) -> "Table":
        """Returns the rows with these values, or those for which `test` is true."""
        rows = [
            row
            for row in self.rows
            if all(row.get(name) == value for name, value in values.items())
            and (test is None or test(row))
        ]
        return Table(rows, self.columns)

    def select(self, *columns: str) -> "Table":
        """Returns only these columns."""
        return Table([{name: row.get(name) for name in columns} for row in self.rows], columns)

    def sort(self, *columns: str) -> "Table":
        """Returns the rows in the order of these columns. Missing values come first."""

        def key(row: Row) -> list:
            values = [row.get(name) for name in columns]
            return [(value is not None, isinstance(value, str), value) if value is not None else (False,) for value in values]

        return Table(sorted(self.rows, key=key), self.columns)

    def group(self, by: Sequence[str], *figures: str) -> "Table":
        """Returns a row for each combination of values of the columns `by`: the number of rows, and
        mean, deviation, min and max of each figure. Values that are None do not count."""
        groups: Dict[tuple, List[Row]] = {}
        for row in self.rows:
            groups.setdefault(tuple(_hashable(row.get(name)) for name in by), []).append(row)
        return Table([_summary(rows, by, figures) for rows in groups.values()])

    def to_csv(self, path: str) -> None:
        """Writes comma-separated values, the names of the columns first."""
        with open(path, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, self.columns, restval="", extrasaction="ignore")
            writer.writeheader()
            writer.writerows(self.rows)

    def to_pandas(self) -> Any:
        """Returns a pandas.DataFrame."""
        try:
            import pandas  # type: ignore
        except ImportError as error:
            raise ImportError("Table.to_pandas() needs pandas; .rows and .to_csv() do not") from error
        return pandas.DataFrame(self.rows, columns=self.columns)

    def __str__(self) -> str:
        cells = [[_text(row.get(name)) for name in self.columns] for row in self.rows]
        widths = [max([len(name)] + [len(line[i]) for line in cells]) for i, name in enumerate(self.columns)]
        lines = [self.columns] + cells
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)

    def __repr__(self) -> str:
        return f"<openmrc.Table: {len(self.rows)} rows, {len(self.columns)} columns>"


def _hashable(value: Any) -> Any:
    return value if value is None or isinstance(value, (str, int, float)) else repr(value)


def _text(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _summary(rows: List[Row], by: Sequence[str], figures: Sequence[str]) -> Row:
    summary: Row = {name: rows[0].get(name) for name in by}
    summary["count"] = len(rows)
    for figure in figures:
        values = [row[figure] for row in rows if row.get(figure) is not None]
        summary[figure + "_mean"] = statistics.fmean(values) if values else None
        summary[figure + "_deviation"] = statistics.stdev(values) if len(values) > 1 else 0.0 if values else None
        summary[figure + "_min"] = min(values) if values else None
        summary[figure + "_max"] = max(values) if values else None
    return summary
