"""The numbers of a map on their way to colors: checked, scaled, made coarser, written out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from regard.errors import BadArgumentError

Scale = Literal["linear", "log", "row", "difference"]
Values = NDArray[np.float64]

_DECADES = 5  # that a logarithmic scale spans at most


def checked(
    weights: ArrayLike,
    rows: Sequence[str] | None,
    columns: Sequence[str] | None,
    mask: ArrayLike | None,
) -> Values:
    """Return the weights with NaN where masked. Raises BadArgumentError, as `heatmap` does."""
    values = np.array(weights, dtype=np.float64)
    if values.ndim != 2 or 0 in values.shape:
        raise BadArgumentError(
            f"weights must be (rows, columns) with at least one of each; got shape {values.shape}."
        )
    expected = tuple(
        size if labels is None else len(labels)
        for labels, size in zip((rows, columns), values.shape, strict=True)
    )
    if expected != values.shape:
        hint = " Did you transpose it?" if expected == values.shape[::-1] else ""
        raise BadArgumentError(
            f"weights must be (rows, columns) = {expected}, as many as names; got {values.shape}."
            + hint
        )
    if np.isposinf(values).any():
        raise BadArgumentError("weights must be finite, or NaN or -inf where masked; got inf.")
    values[~np.isfinite(values)] = np.nan
    if mask is not None:
        allowed = np.asarray(mask)
        if allowed.shape != values.shape or allowed.dtype != np.bool_:
            raise BadArgumentError(
                f"mask must be boolean {values.shape}, True where a query may attend; got "
                f"{allowed.dtype} {allowed.shape}."
            )
        values[~allowed] = np.nan
    return values


def scaled(values: Values, scale: Scale) -> tuple[Values, str]:
    """Values as they are colored, and a remark on that."""
    if scale == "row":
        largest = np.max(np.where(np.isnan(values), 0, values), axis=1, keepdims=True)
        return values / np.where(largest > 0, largest, 1), " ÷ largest of its row"
    return values, " (logarithmic)" if scale == "log" else ""


def largest_of_blocks(values: Values, size: int) -> Values:
    """Return the value of the largest magnitude in each block; NaN where all of it is masked."""
    if size == 1:
        return values
    height, width = (math.ceil(length / size) * size for length in values.shape)
    padded = np.full((height, width), np.nan)
    padded[: values.shape[0], : values.shape[1]] = values
    blocks = (
        padded.reshape(height // size, size, width // size, size)
        .swapaxes(1, 2)
        .reshape(height // size, width // size, size * size)
    )
    strength = np.where(np.isnan(blocks), -1.0, np.abs(blocks))
    largest: Values = np.take_along_axis(blocks, strength.argmax(-1)[..., None], axis=-1)[..., 0]
    return largest


def limits_of(values: Values, scale: Scale) -> tuple[float, float]:
    """Return the ends of the scale that holds all of the values."""
    finite = values[~np.isnan(values)]
    high = float(finite.max(initial=0.0))
    if scale == "row":
        return 0.0, 1.0
    if scale == "difference":
        most = float(np.abs(finite).max(initial=0.0)) or 1.0
        return -most, most
    if scale == "log":
        positive = finite[finite > 0]
        if not positive.size:
            return 1e-3, 1.0
        low = max(float(positive.min()), high / 10**_DECADES)
        return (low, high) if low < high else (high / 10, high)
    low = float(finite.min(initial=0.0))
    return (low, high) if low < high else (low, low + 1.0)


def written(values: Values) -> list[str]:
    """Return the number of each cell as it is written in it; empty where masked, or rounded to
    zero."""
    finite = values[~np.isnan(values)]
    fraction = bool(((finite >= -1) & (finite <= 1.001)).all())
    largest = float(np.abs(finite).max(initial=0.0))
    places = 2 if fraction or largest < 1 else 1 if largest < 100 else 0
    numbers = []
    for value in values.ravel():
        text = "" if np.isnan(value) else f"{value:.{places}f}"
        if float(text or 0) == 0:
            text = ""
        elif fraction:
            text = text.replace("0.", ".", 1).replace("1.00", "1")
        numbers.append(text.replace("-", "−"))
    return numbers
