"""Places of the parts of a heatmap: the size of a cell, and the tokens that have room."""

from __future__ import annotations

import math
from dataclasses import dataclass

from regard.figures.sheet import Type
from regard.figures.style import LINE_MM, TALLEST_MM, TYPE_PT, ruler

LABEL_MM = 2.6  # that a label of small type needs across its direction
WIDEST_CELL, TALLEST_CELL = 12.0, 6.0


@dataclass(frozen=True)
class Layout:
    """Places and sizes, in millimeters."""

    sheet_width: float
    height: float  # of the sheet
    left: float  # of the map
    top: float
    cell: tuple[float, float]  # width, height
    map_width: float
    map_height: float
    title: list[str]
    row_labels: tuple[list[int], list[str]]
    column_labels: tuple[list[int], list[str]]
    upright: bool  # names of columns run upwards

    @classmethod
    def of(
        cls,
        shape: tuple[int, ...],
        names: list[list[str] | None],
        title: str,
        origin: tuple[int, int],
        sheet_width: float,
        type_: Type,
    ) -> Layout:
        (height, width), (rows, columns) = shape, names
        room = sheet_width * 0.26
        rows = None if rows is None else [type_.fit(label, room) for label in rows]
        widest = type_.widest(rows if rows is not None else [str(origin[0] + height)])
        left = 3.6 + widest + 2.2
        cell_width = min((sheet_width - left - 2.0) / width, WIDEST_CELL)
        cell_height = min(cell_width, TALLEST_CELL)
        if height * LABEL_MM <= max(cell_width * width, 40.0):
            cell_height = max(cell_height, LABEL_MM)  # every row can have its name
        cell_height = min(cell_height, (TALLEST_MM - 60) / height)

        columns = None if columns is None else [type_.fit(label, 24.0) for label in columns]
        longest = type_.widest(columns if columns is not None else [str(origin[1] + width)])
        upright = columns is not None and longest > cell_width - 0.8
        need = LABEL_MM if upright else longest + 1.5
        if columns is not None and upright and math.ceil(LABEL_MM / cell_width) > 4:
            upright, need = False, type_.width(str(origin[1] + width)) + 1.5
        lines = type_.wrap(title, sheet_width - left - 2.0, TYPE_PT)
        column_labels = ruler(columns, width, cell_width, need, origin[1])
        above = type_.widest(column_labels[1]) if upright else LINE_MM
        top = 1.5 + len(lines) * (LINE_MM + 0.4) + (1.0 if lines else 0.0) + LINE_MM + above + 2.0
        return cls(
            sheet_width=sheet_width,
            height=top + cell_height * height + 10.5,
            left=left,
            top=top,
            cell=(cell_width, cell_height),
            map_width=cell_width * width,
            map_height=cell_height * height,
            title=lines,
            row_labels=ruler(rows, height, cell_height, LABEL_MM, origin[0]),
            column_labels=column_labels,
            upright=upright,
        )
