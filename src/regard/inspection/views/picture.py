"""A trace as one picture, for places where its page does not run, such as a saved notebook."""

import io
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from regard.errors import BadArgumentError, UnavailableError
from regard.inspection.trace_data import TraceData
from regard.inspection.views.lines import lines
from regard.inspection.views.part import LARGEST_SIDE, part

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = 64  # which look the same, in a third of the bytes

# As the page's firstTap (web/src/state.ts): the last layer of the first kind that there is.
FIRST = (("decoder", "cross"), ("decoder", "self"), ("encoder", "self"))


def picture(trace: TraceData) -> bytes | None:
    """A PNG of 300 dpi: the mean over heads of the layer that the page would show first.

    Lines between words where the text is short, else a map.

    Returns:
        None where there is nothing to draw: matplotlib is missing, or the layer has more than
        2,048 rows or columns.
    """
    taps = [[tap for tap in trace.values() if (tap.side, tap.kind) == kind] for kind in FIRST]
    tap = next((found[-1] for found in taps if found), None)
    if tap is None or max(tap.rows, tap.columns) > LARGEST_SIDE:
        return None
    from regard.figures.style import save  # slow to import, as matplotlib is

    try:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "picture.png"
            save(_figure(trace, tap.name, tap.kind), path)
            return _in_few_colors(path)
    except UnavailableError:
        return None


def _figure(trace: TraceData, tap: str, kind: str) -> "Figure":
    translated = kind == "cross"
    try:
        group = "word" if trace.axes[trace[tap].queries].words else "token"
        return lines(trace, tap, ["mean"], group=group, at_output=translated)  # type: ignore[arg-type]
    except BadArgumentError:  # more tokens than a page has lines
        return part(trace, tap).figure()


def _in_few_colors(path: Path) -> bytes:
    from PIL import Image  # comes with matplotlib

    file = io.BytesIO()
    with Image.open(path) as image:
        image.convert("RGB").quantize(COLORS).save(file, "PNG", optimize=True)
    return file.getvalue()
