"""A trace, and what it can be turned into: a file, a page, a figure, numbers."""

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from regard import figures
from regard.arrays import Array
from regard.errors import UnavailableError
from regard.files import whole_file
from regard.inspection.answers import Attribution, HeadInfo, Lens, Measures
from regard.inspection.trace_data import Edit, TraceData, run_without_gradients
from regard.inspection.views.between import Look, between_words
from regard.inspection.views.needed import Needed, Way, needed
from regard.inspection.views.part import part as part_of
from regard.inspection.views.statistics import summary_of
from regard.inspection.views.tiles import Head
from regard.inspection.writing import Written, generation_info
from regard.lazy import modules

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from regard.inspection import attribution, storage
else:
    attribution, storage = modules("regard.inspection", "attribution", "storage")

# The page is built on this package, so it is found by name, as a plug-in: [project.entry-points]
# in pyproject.toml. These are the same names, for a copy of the source that was not installed.
PAGES = "regard.pages"
OWN_PAGES = {"html": "regard.studio.export:to_html", "widget": "regard.studio.widget:TraceWidget"}


class Trace(TraceData):
    """The attention layers of one run by tap name, in the order in which they ran.

    >>> trace = regard.load("en-de").trace("Where is the station?")
    >>> trace["decoder.layers.1.cross"].weights(head=0).shape
    torch.Size([6, 6])
    >>> trace.axes["source"].tokens
    ['▁Where', '▁is', '▁the', '▁station', '?', '</s>']
    >>> trace.receipt.row_sum_error < 1e-5
    True
    """

    @classmethod
    def of_run(
        cls,
        model: object,
        *,
        logits: Array | None,
        run: Callable[[Edit], Array] | None,
        written: Written | None,
        token_of: Callable[[int], str],
        notes: Sequence[str],
        **fields: Any,
    ) -> "Trace":
        """Return the trace of a run that gave these logits, (batch, steps, entries) or None; `run`
        gives those of the same inputs under an edit, if it can, and `fields` are more of
        TraceData's."""
        of_run = [] if written is None else written.notes
        if logits is None:
            of_run.append(
                "the model gives vectors, no scores of words or labels (logits), so nothing can"
                " be switched off"
            )
        elif written is not None:
            fields["generation"] = generation_info(written, logits[0], token_of)
        if run is None:
            of_run.append("nothing can be ablated in weights that the model itself gives")
        elif logits is not None:
            fields |= {"rerun": partial(run_without_gradients, run), "rerun_with_gradients": run}
        return cls(
            model=model,
            token_of=token_of,
            output_ids=None if written is None else written.ids,
            notes=[*of_run, *notes],
            **fields,
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything but the model into one .safetensors file; `Trace.load` reads it.

        >>> trace = regard.load("en-de").trace("Where is the station?")
        >>> trace.save("station.safetensors")
        >>> Trace.load("station.safetensors")["decoder.layers.1.cross"]
        <Tap decoder.layers.1.cross: 4 heads, target x source = 6 x 6>
        """
        storage.save_trace(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Trace":
        """Return the trace that `save` wrote. Raises DamagedFileError for any other or incomplete
        file."""
        return cls(**storage.load_trace(path))

    def lens(self, step: int) -> Lens:
        """See `attribution.logit_lens`."""
        return attribution.logit_lens(self, step)

    def attribution(self, step: int, against: int | None = None) -> Attribution:
        """See `attribution.logit_attribution`."""
        return attribution.logit_attribution(self, step, against)

    def measures(
        self, steps: Sequence[int] | None = None, axis: str | None = None
    ) -> list[Measures]:
        """See `attribution.measures`."""
        return attribution.measures(self, steps, axis)

    def patterns(self, tap: str) -> list[HeadInfo]:
        """Statistics of each head of a layer from all rows of its map: entropy and mean distance,
        its share of each pattern beside chance, and the pattern that names it, if one does.

        The patterns and the rule are those of `inspection.views.patterns`: previous, next, same,
        first, separator, punctuation, induction and alignment.

        >>> trace = regard.load("en-de").trace("The dog sees the cat.")
        >>> trace.patterns("encoder.layers.2.self")[2].pattern
        'previous'

        Raises:
            BadArgumentError: no such tap, or one without weights.
        """
        return summary_of(self, tap, rows=self[tap].rows).heads

    def top(
        self,
        query: int | str,
        key: int | str,
        *,
        axes: tuple[str, str] | None = None,
        count: int = 10,
        sink: bool = True,
    ) -> list[Look]:
        """Return the heads, of all layers, that look most from one word at another.

        >>> trace = regard.load("minilm").trace("The animal slept because it was tired.")
        >>> [head] = trace.top("it", "animal", count=1)
        >>> head.name, round(head.weight, 2)
        ('encoder.layers.0.self:6', 0.25)

        Args:
            query, key, axes, count, sink: as `inspection.views.between.between_words` takes them.
        """
        return between_words(self, query, key, axes=axes, count=count, sink=sink)

    def needed(self, way: Way = "anywhere") -> Needed:
        """Return what each word that was written looked at, and what it loses without each word
        that was read; see `inspection.views.needed.needed`.

        >>> trace = regard.load("en-de").trace("My sister wants to buy a new car next week.")
        >>> trace.needed().line(0)
        'Meine: looked at My (82%); needed My (-97 points) and sister (-91 points)'
        """
        return needed(self, way)

    def to_npz(
        self, path: str | os.PathLike[str], tap: str, head: Head = "mean", **part: Any
    ) -> None:
        """Write a part of a map for NumPy, with the tokens of its rows and columns.

        >>> trace = regard.load("en-de").trace("Where is the station?")
        >>> trace.to_npz("cross.npz", "decoder.layers.1.cross", head=1)
        >>> sorted(numpy.load("cross.npz"))
        ['columns', 'group', 'head', 'model', 'origin', 'quantity', 'rows', 'tap', 'values']

        Args:
            tap, head: which map; `head` may be "mean".
            part: queries, keys, quantity and group, as `inspection.views.part.part` takes them.
        """
        contents = part_of(self, tap, head, **part).npz()
        with whole_file(path) as file:
            file.write_bytes(contents)

    def figure(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        tap: str,
        head: Head = "mean",
        scale: str = "linear",
        **part: object,
    ) -> "Figure":
        """Return a map as a figure for paper, written to `path` (.svg, .pdf or .png) if one is
        given.

        >>> trace = regard.load("en-de").trace("Where is the station?")
        >>> figure = trace.figure("cross.svg", tap="decoder.layers.1.cross", head=1)

        Args:
            tap, head: which map; `head` may be "mean".
            scale: "linear", "log", "row" (each row by its largest) or "sink" (up to the largest
                outside the sink's column).
            part: queries, keys, quantity and group, as `inspection.views.part.part` takes them.
        """
        figure = part_of(self, tap, head, **part).figure(scale)  # type: ignore[arg-type]
        if path is not None:
            figures.style.save(figure, path)
        return figure

    def to_html(self, path: str | os.PathLike[str], **kept: object) -> list[str]:
        """Write the page with this trace as one file, which opens without a network.

        >>> trace = regard.load("en-de").trace("Where is the station?")
        >>> trace.to_html("station.html")
        []

        Args:
            kept: taps, heads, limit_mb and query, as `studio.export.to_html` takes them.

        Returns:
            What was left out, a sentence each; nothing of a short text is.
        """
        left_out: list[str] = page("html")(self, path, **kept)
        return left_out

    def show(self, query: str = "", *, height: int = 640) -> Any:
        """Return the page in a notebook: a widget. `regard look` opens it in a browser.

        Args:
            query: what to show first, as the page's address has it ("view=sentence&head=3").
            height: in pixels.

        Raises:
            UnavailableError: the package for widgets is missing.
        """
        return page("widget")(self, query=query, height=height)

    def _repr_mimebundle_(self, **kwargs: object) -> object:
        """Return a notebook shows the page of a trace that ends a cell; other terminals print
        it."""
        shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
        if getattr(shell, "kernel", None) is None:
            return None
        try:
            return self.show()._repr_mimebundle_(**kwargs)
        except UnavailableError as missing:
            return {"text/plain": f"{self!r}\n{missing}"}


def page(kind: str) -> Callable[..., Any]:
    """Find the maker of a trace's page, a name in OWN_PAGES."""
    from importlib.metadata import entry_points  # takes longer than a translation

    for point in entry_points(group=PAGES, name=kind):
        return point.load()
    return resolve_name(OWN_PAGES[kind])
