"""What a run left behind: each attention layer's query, key and mask, and whose they are."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from torch import Tensor

from regard.attention import Call
from regard.errors import unknown
from regard.files import whole_file
from regard.inspection.answers import AxisInfo, GenerationInfo, Receipt
from regard.inspection.tap import Tap

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regard.inspection.tiles import Head

Edit = Callable[[str, Call], Tensor | None]
"""Hears each attention of a run, by tap name; a tensor that it returns replaces the output."""


@dataclass(eq=False, repr=False)
class Trace(Mapping[str, Tap]):
    """The attention layers of one run by tap name, in the order in which they ran.

    >>> trace = regard.load("en-de").trace("Where is the station?")
    >>> trace["decoder.layers.2.cross"].weights(head=0).shape
    torch.Size([8, 6])
    """

    taps: dict[str, Tap]
    axes: dict[str, AxisInfo]  # the sequences that taps name as their queries and keys
    model_name: str
    task: str  # "translation", "generation", "encoding" or "vision"
    text: str = ""
    output: Any = None  # what the model returned
    generation: GenerationInfo | None = None
    # Runs the same inputs again under an edit and gives the logits, (batch, positions, vocab);
    # None where the model is not at hand, as for a trace that was loaded, or has no logits.
    rerun: Callable[[Edit], Tensor] | None = None
    output_ids: list[int] | None = None  # of the tokens that generation's steps gave
    # The names of the vocabulary's entries, to speak of logits.
    token_of: Callable[[int], str] | None = None
    notes: list[str] = field(default_factory=list)  # what a reader should know of this trace

    def __repr__(self) -> str:
        sizes = ", ".join(f"{len(axis.tokens):,} of {name}" for name, axis in self.axes.items())
        return f"<Trace of {self.model_name}: {len(self)} attention layers, {sizes}>"

    def __getitem__(self, name: str) -> Tap:
        if name not in self.taps:
            raise unknown("tap", name, self.taps)
        return self.taps[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.taps)

    def __len__(self) -> int:
        return len(self.taps)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes everything but the model into one .safetensors file; `Trace.load` reads it."""
        from regard.inspection.storage import save_trace

        save_trace(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Trace":
        """The trace that `save` wrote. Raises DamagedFileError for any other or incomplete file."""
        from regard.inspection.storage import load_trace

        return load_trace(path)

    def to_npz(
        self, path: str | os.PathLike[str], tap: str, head: "Head" = "mean", **part: Any
    ) -> None:
        """Writes a part of a map for NumPy, with the tokens of its rows and columns.

        Args:
            tap, head: which map; `head` may be "mean".
            part: queries, keys, quantity and group, as `inspection.part.part` takes them.
        """
        from regard.inspection.part import part as part_of

        contents = part_of(self, tap, head, **part).npz()
        with whole_file(path) as file:
            file.write_bytes(contents)

    def figure(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        tap: str,
        head: "Head" = "mean",
        scale: str = "linear",
        **part: Any,
    ) -> "Figure":
        """A map as a figure for paper, written to `path` (.svg, .pdf or .png) if one is given.

        Args:
            tap, head: which map; `head` may be "mean".
            scale: "linear", "log", "row" (each row by its largest) or "sink" (up to the largest
                outside the sink's column).
            part: queries, keys, quantity and group, as `inspection.part.part` takes them.
        """
        from regard.figures.style import save
        from regard.inspection.part import part as part_of

        figure = part_of(self, tap, head, **part).figure(scale)  # type: ignore[arg-type]
        if path is not None:
            save(figure, path)
        return figure

    def to_html(self, path: str | os.PathLike[str], **kept: Any) -> list[str]:
        """Writes the page with this trace as one file, which opens without a network.

        Args:
            kept: taps, heads, limit_mb and query, as `inspection.html.to_html` takes them.

        Returns:
            What was left out, a sentence each; nothing of a short text is.
        """
        from regard.inspection.html import to_html

        return to_html(self, path, **kept)

    def show(self, query: str = "", *, height: int = 640) -> Any:
        """The page in a notebook: a widget. `regard look` opens it in a browser.

        Args:
            query: what to show first, as the page's address has it ("view=flow&head=3").
            height: in pixels.

        Raises:
            UnavailableError: the package for widgets is missing.
        """
        from regard.studio.widget import TraceWidget

        return TraceWidget(self, query=query, height=height)

    @cached_property
    def receipt(self) -> Receipt:
        """How exact the maps are: the worst of all taps' receipts."""
        receipts = [tap.receipt for tap in self.taps.values()]
        return Receipt(
            row_sum_error=max(receipt.row_sum_error for receipt in receipts),
            difference=max(receipt.difference for receipt in receipts),
            rows=sum(receipt.rows for receipt in receipts),
            dtype=receipts[0].dtype,
        )
