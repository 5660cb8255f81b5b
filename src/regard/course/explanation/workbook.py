"""An explanation as a workbook whose cells are formulas: change a number, and what follows changes.

A step is a sheet, and its heads stand one below another. What is given is a number, all else is a
formula (`workbook_formulas`), with the value that it has now for programs that do not recalculate.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from regard.course.explanation.record import Explanation, Table, shape
from regard.course.explanation.workbook_formulas import (
    LEFT,
    TOP,
    Formula,
    Formulas,
    Softmax,
    check_score,
)
from regard.figures.style import visible
from regard.packages import optional_package

if TYPE_CHECKING:
    from xlsxwriter import Workbook
    from xlsxwriter.worksheet import Worksheet

_MUTED, _BLUE, _PALE = "#595959", "#0072b2", "#eef5fb"
_FORMATS: dict[str, dict[str, Any]] = {
    "title": {"bold": True, "font_size": 14},
    "words": {"italic": True, "font_color": _MUTED},
    "wrapped": {"text_wrap": True, "valign": "top"},
    "left": {"bold": True, "font_color": _MUTED, "align": "right"},
    "top": {"bold": True, "font_color": _MUTED, "align": "right", "bottom": 1},
    "heading": {"bold": True, "font_color": _MUTED, "bottom": 1},
    "link": {"font_color": _BLUE, "underline": 1, "valign": "top"},
    "number": {"num_format": "0.0000", "align": "right"},
    "given": {"num_format": "0.0000", "font_color": _BLUE, "bg_color": _PALE},
}


def workbook(explanation: Explanation, path: str | os.PathLike[str]) -> None:
    """Write it as .xlsx."""
    check_score(explanation)
    with optional_package("xlsxwriter", "workbooks need"):
        from xlsxwriter import Workbook
    with Workbook(os.fspath(path)) as book:
        writer = _Writer(book, explanation)
        writer.about()
        for table in explanation:
            writer.sheet(table)


class _Writer:
    def __init__(self, book: Workbook, explanation: Explanation) -> None:
        self.book, self.explanation = book, explanation
        self.formulas = Formulas(explanation)
        self.formats = {name: book.add_format(look) for name, look in _FORMATS.items()}

    def about(self) -> None:
        """Return the first sheet: what is what, and where."""
        explanation = self.explanation
        page: Worksheet = self.book.add_worksheet("about")
        page.hide_gridlines(2)
        for column, width in enumerate((16, 44, 32, 90)):
            page.set_column(column, column, width)
        page.write_string(0, 0, " ".join(visible(explanation.tokens)), self.formats["title"])
        lines = [
            f"{explanation.settings.about}.",
            "Blue numbers are inputs: change one, and everything computed from it changes.",
            *explanation.notes,
        ]
        for row, line in enumerate(lines, start=1):
            page.write_string(row, 0, line, self.formats["words"])
        first = len(lines) + 2
        for column, name in enumerate(("sheet", "equation", "shape", "what happens")):
            page.write_string(first, column, name, self.formats["heading"])
        for row, table in enumerate(explanation, start=first + 1):
            page.write_url(row, 0, f"internal:'{table.name}'!A1", self.formats["link"], table.name)
            equation = getattr(table, "equation", f"{table.symbol} is given")
            for column, text in enumerate((equation, shape(table), _sentence(table)), start=1):
                page.write_string(row, column, text, self.formats["wrapped"])

    def sheet(self, table: Table) -> None:
        """Write the sheet of a step or a parameter."""
        page: Worksheet = self.book.add_worksheet(table.name)
        page.freeze_panes(TOP - 1, LEFT)
        page.set_column(0, 0, 16)
        page.write_string(0, 0, getattr(table, "title", table.symbol), self.formats["title"])
        page.write_string(1, 0, _sentence(table), self.formats["words"])
        formula = self.formulas.of(table)
        values = table.array
        for number, matrix in enumerate(values):
            self._matrix(page, table, number, LEFT, table.columns, matrix, formula)
        if table.name == "weights":
            self._softmax(page, table)

    def _softmax(self, page: Worksheet, table: Table) -> None:
        """Write what weights are made of to their right, and color them."""
        beside = Softmax(self.formulas)
        for number, scores in enumerate(self.explanation["masked"].array):
            largest = scores.max(-1, keepdims=True)
            largest = np.where(np.isfinite(largest), largest, 0)  # as MAX of no number is
            powers = np.exp(scores - largest)
            total = powers.sum(-1, keepdims=True)
            for column, name, values, formula in (
                (beside.largest, "max", largest, beside.of_largest),
                (beside.total, "Σ", total, beside.of_total),
                (beside.powers, "keys", powers, beside.of_power),
            ):
                self._matrix(page, table, number, column, name, values, formula)
        last = self.formulas.top(table.name, len(table.values) - 1) + table.shape[-2] - 1
        shades: dict[str, Any] = {
            "type": "2_color_scale",
            "min_type": "num",
            "min_value": 0,
            "min_color": "#ffffff",
            "max_type": "num",
            "max_value": 1,
            "max_color": "#4a90c2",
        }
        page.conditional_format(TOP, LEFT, last, LEFT + table.shape[-1] - 1, shades)

    def _matrix(
        self,
        page: Worksheet,
        table: Table,
        number: int,
        left: int,
        columns: str,
        values: np.ndarray,
        formula: Formula | None,
    ) -> None:
        """Write one matrix from a column on, with the names of its rows and columns."""
        top = self.formulas.top(table.name, number)
        if left == LEFT:
            corner = [f"head {number}"] if table.per_head else [table.rows, table.columns]
            page.write_string(top - 1, 0, " \\ ".join(filter(None, corner)), self.formats["top"])
            for row, name in enumerate(self._names(table.rows, len(values))):
                page.write_string(top + row, 0, name, self.formats["left"])
        for column, name in enumerate(self._names(columns, values.shape[1])):
            page.write_string(top - 1, left + column, name, self.formats["top"])
        for (row, column), value in np.ndenumerate(values):
            at = (top + row, left + column)
            if formula is None:
                page.write_number(*at, value, self.formats["given"])
            else:
                text = f"={formula(number, row, column)}"
                cached = "" if value == -np.inf else float(value)
                page.write_formula(*at, text, self.formats["number"], cached)

    def _names(self, axis: str, count: int) -> list[str]:
        labels = self.explanation.labels(axis)
        if labels is not None:
            return visible(labels)
        return [axis] if count == 1 else [str(place) for place in range(count)]


def _sentence(table: Table) -> str:
    return getattr(table, "sentence", "Given.")
