"""A step of generation as a figure: what was written, what the step looked at, its candidates."""

from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError, UnsupportedError
from regard.inspection.answers import Quantity
from regard.inspection.tap import Tap
from regard.inspection.trace_data import TraceData
from regard.inspection.views.labels import readable
from regard.inspection.views.part import SIGNS
from regard.inspection.views.tiles import Head, TileRequest, tile

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regard.figures.passages import Passage

NAMED = 4  # words whose number is written, as on the page


def step_figure(
    trace: TraceData, tap: str, head: Head, step: int, quantity: Quantity = "weight"
) -> "Figure":
    """One step of the output, in the layer of a tap, as the page's view of the generation has it.

    Args:
        step: of the output, from 0.

    Raises:
        UnsupportedError: a trace in which nothing was written.
        BadArgumentError: a step, tap or head that there is not.
    """
    from regard.figures.passages import Bar, Passage, passages, percent

    generation = trace.generation
    if generation is None:
        raise UnsupportedError("nothing was written in this trace; draw its map or its flow.")
    if not 0 <= step < len(generation.steps):
        raise BadArgumentError(f"step must be from 0 to {len(generation.steps) - 1}; got {step}.")
    layer, written = trace[tap].layer, generation.steps[step]
    tokens = readable([each.token for each in generation.steps], trace.axes[generation.axis].tokens)
    percents = [percent(each.probability) for each in generation.steps]
    texts = [
        Passage(
            f"{generation.axis}: the output, and how likely each step was",
            tokens,
            [0.0] * len(tokens),
            percents,
            marked=step,
        )
    ]
    row = trace.axes[generation.axis].prompt + step - 1
    looked = [each for each in trace.values() if each.queries == generation.axis]
    for each in sorted(looked, key=lambda each: each.kind != "cross"):
        if each.layer == layer and row >= 0:
            texts.append(_looked(trace, each, head, row, quantity))
    candidates = [
        Bar(name, each.probability, each.id == written.id)
        for name, each in zip(
            readable(
                [each.token for each in written.candidates], trace.axes[generation.axis].tokens
            ),
            written.candidates,
            strict=True,
        )
    ]
    return passages(
        texts,
        candidates,
        bars_title=f"candidates of step {step + 1}",
        notes=[f"{_score(each.score)}  {each.text}" for each in generation.hypotheses],
        title=f"{PurePath(trace.model_name).name}: step {step + 1} writes “{tokens[step]}”",
    )


def _looked(trace: TraceData, layer: Tap, head: Head, row: int, quantity: Quantity) -> "Passage":
    """What a row looks at in one layer; of its own axis, nothing that comes later."""
    from regard.figures.passages import Passage

    count = row + 1 if layer.keys == layer.queries else layer.columns
    quantity = quantity if quantity == "weight" or layer.value_norms is not None else "weight"
    request = TileRequest(layer.name, head, 0, row, 0, 1, count, quantity)
    values: NDArray[np.float32] = np.nan_to_num(tile(layer, request).values[0])
    largest = float(values.max(initial=0.0))
    named = {int(key) for key in np.argsort(values)[-NAMED:] if values[key] > 0.01 * largest}
    which = "mean over heads" if head == "mean" else f"head {head}"
    return Passage(
        f"{layer.keys}: {SIGNS[quantity]} of {layer.name}, {which}",
        readable(trace.axes[layer.keys].tokens)[:count],
        [float(value) / largest if largest > 0 else 0.0 for value in values],
        [_number(values[key], quantity) if key in named else "" for key in range(count)],
    )


def _number(value: float, quantity: Quantity) -> str:
    from regard.figures.passages import percent

    return percent(value) if quantity == "weight" else f"{value:.2f}"


def _score(score: float | None) -> str:
    return "given" if score is None else f"{score:.2f}".replace("-", "−")
