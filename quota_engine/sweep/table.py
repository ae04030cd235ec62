"""The results of a sweep as a table, one row for each run and for each share of it, as CSV, JSON or Parquet bytes.

Columns: run, seed, one for each thing that varied, share (empty for the whole run), then the measures, units in their
names. The bytes depend on the results alone.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from ..model.trouble import Trouble
from .grid import Scalar, typed
from .plan import Swept
from .record import COLUMNS, RUN_COLUMNS, SHARE, UTILISATION

ENDINGS: Final = (".parquet", ".csv", ".json")
VERSION: Final = 1


@dataclass(frozen=True, slots=True)
class Table:
    """Column names, and rows of as many values."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Scalar, ...], ...]

    def values(self, column: str) -> list[Scalar]:
        index = self.columns.index(column)
        return [row[index] for row in self.rows]


def table_of(swept: Swept) -> Table:
    """Return all records of a sweep as rows, in the order of its runs."""
    varied = {axis.name: dict(zip(axis.values, typed(axis), strict=True)) for axis in swept.plan.axes}
    measures = [SHARE, *(column.name for column in COLUMNS), UTILISATION, *_units(swept), *RUN_COLUMNS]
    rows: list[tuple[Scalar, ...]] = []
    for result in swept.results:
        chosen = [varied[choice.axis.name][choice.value] for choice in result.combination]
        first = (result.number, result.seed, *chosen)
        rows += [(*first, *(record.get(name) for name in measures)) for record in result.records]
    return Table(("run", "seed", *varied, *measures), tuple(rows))


def _units(swept: Swept) -> list[str]:
    """Return the columns of single units, by name: every combination has its own."""
    known = {SHARE, UTILISATION, *RUN_COLUMNS, *(column.name for column in COLUMNS)}
    return sorted({name for result in swept.results for record in result.records for name in record} - known)


def check_ending(path: Path) -> None:
    """Raise Trouble where a file's ending says no format, ModuleNotFoundError where its library is missing."""
    if path.suffix.lower() not in ENDINGS:
        raise Trouble(
            f"{path} does not say how to write the results",
            why="its ending does",
            fix=f"end it in {', '.join(ENDINGS)}",
        )
    if path.suffix.lower() == ".parquet":
        import pyarrow.parquet  # noqa: F401 - found missing before the work, not after


def written(table: Table, ending: str) -> bytes:
    """Return the table as bytes of a file with this ending, one of ENDINGS."""
    match ending.lower():
        case ".csv":
            return as_csv(table).encode("utf-8")
        case ".json":
            return (json.dumps(as_data(table), indent=1, ensure_ascii=False) + "\n").encode("utf-8")
        case ".parquet":
            return _as_parquet(table)
        case _:
            raise ValueError(ending)


def as_csv(table: Table) -> str:
    """Return CSV by RFC 4180 with LF line ends; a missing value is empty, truth is true or false."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.columns)
    writer.writerows([_cell(value) for value in row] for row in table.rows)
    return text.getvalue()


def _cell(value: Scalar) -> Scalar:
    return str(value).lower() if isinstance(value, bool) else value


def as_data(table: Table) -> Mapping[str, Any]:
    """Return the table as JSON data: one map for each row."""
    rows = [dict(zip(table.columns, row, strict=True)) for row in table.rows]
    return {"sweep": VERSION, "columns": list(table.columns), "rows": rows}


def _as_parquet(table: Table) -> bytes:
    import pyarrow
    import pyarrow.parquet

    columns = {name: pyarrow.array(table.values(name), _arrow_type(table.values(name))) for name in table.columns}
    sink = pyarrow.BufferOutputStream()
    pyarrow.parquet.write_table(pyarrow.table(columns), sink)
    found: bytes = sink.getvalue().to_pybytes()
    return found


def _arrow_type(values: Sequence[Scalar]) -> Any:
    """Return a column's type by its values; a column without any is one of whole numbers."""
    import pyarrow

    kinds = {type(value) for value in values if value is not None}
    if str in kinds:
        return pyarrow.string()
    if bool in kinds:
        return pyarrow.bool_()
    return pyarrow.float64() if float in kinds else pyarrow.int64()
