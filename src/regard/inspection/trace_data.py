"""Data of a run: each attention layer's query, key and mask, and whose they are."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from regard.arrays import Array, without_gradients
from regard.attention import Call
from regard.errors import NotFoundError, unknown
from regard.inspection.answers import AxisInfo, Candidate, GenerationInfo, Near, Receipt
from regard.inspection.routes import Routes
from regard.inspection.tap import Tap

Edit = Callable[[str, Call], Array | None]
"""Called with each attention of a run and its tap's name; a tensor that it returns replaces the
output."""


@without_gradients
def run_without_gradients(rerun: Callable[[Edit], Array], edit: Edit) -> Array:
    """Return a function of this module, so that a trace can be pickled."""
    return rerun(edit)


def name_of(model: object) -> str:
    """Name of a model's class in `regard.models`, or of its own."""
    name: str = getattr(model, "architecture", type(model).__name__)
    return name


@dataclass(eq=False, repr=False)
class TraceData(Mapping[str, Tap]):
    """The attention layers of one run by tap name, in the order in which they ran.

    `Trace` is this with what it can be turned into; whatever reads a trace takes either.

    >>> trace = regard.load("en-de").trace("Where is the station?")
    >>> list(trace)[:2], len(trace)
    (['encoder.layers.0.self', 'encoder.layers.1.self'], 10)
    >>> trace.axes["source"].tokens
    ['▁Where', '▁is', '▁the', '▁station', '?', '</s>']
    >>> trace.receipt.difference < 1e-5
    True
    """

    taps: dict[str, Tap]
    axes: dict[str, AxisInfo]  # the sequences that taps name as their queries and keys
    model_name: str
    task: str  # a ModelTask
    text: str = ""
    output: Any = None  # what the model returned
    generation: GenerationInfo | None = None
    # Runs the same inputs again under an edit and gives the logits, (batch, steps, entries); None
    # for a trace that was loaded, or whose model returns no logits. The second has gradients where
    # its caller's context has them.
    rerun: Callable[[Edit], Array] | None = None
    rerun_with_gradients: Callable[[Edit], Array] | None = None
    # The one that ran, a module or the native engine's; None for a trace that was loaded.
    model: Any = None
    # Gives the same trace of the same model as a module, where the native engine ran it.
    by_torch: Callable[[], "TraceData"] | None = None
    read: dict[str, Array] = field(default_factory=dict)  # (batch, length) token ids, by axis
    output_ids: list[int] | None = None  # of the tokens that generation's steps gave
    # The names of the logits' entries: tokens, labels or positions.
    token_of: Callable[[int], str] | None = None
    notes: list[str] = field(default_factory=list)  # what a reader should know of this trace
    can_rewrite: bool = False  # its model writes another output where something is switched off
    labels: list[Candidate] = field(default_factory=list)  # of a classifier, the likeliest first
    nearest: list[Near] = field(default_factory=list)  # of an embedder, the nearest first
    several: bool = False  # more than one of the labels may hold
    routes: dict[str, Routes] = field(default_factory=dict)  # of layers with experts, by name

    def __repr__(self) -> str:
        sizes = ", ".join(f"{len(axis.tokens):,} of {name}" for name, axis in self.axes.items())
        return f"<Trace of {self.model_name}: {len(self)} attention layers, {sizes}>"

    def __getitem__(self, name: str) -> Tap:
        if name not in self.taps:
            raise unknown("tap", name, self.taps)
        return self.taps[name]

    def axes_of(self, name: str) -> tuple[str, str]:
        """Return the axes of a tap's queries and keys; of no tap, two empty names."""
        tap = self.taps.get(name)
        return ("", "") if tap is None else (tap.queries, tap.keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self.taps)

    def __len__(self) -> int:
        return len(self.taps)

    @cached_property
    def receipt(self) -> Receipt:
        """Exactness of the maps: the worst of all taps' receipts."""
        receipts = [tap.receipt for tap in self.taps.values()]
        if not receipts:
            raise NotFoundError("this trace has no attention layer; trace another model.")
        return Receipt(
            row_sum_error=max(receipt.row_sum_error for receipt in receipts),
            difference=max(receipt.difference for receipt in receipts),
            rows=sum(receipt.rows for receipt in receipts),
            dtype=receipts[0].dtype,
        )
