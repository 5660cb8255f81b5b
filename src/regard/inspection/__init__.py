"""Looking at what attention did, from the query, key and mask that it had."""

from typing import TYPE_CHECKING

from regard.inspection.grouping import group_words
from regard.inspection.models import trace
from regard.inspection.tap import Tap
from regard.inspection.trace import Trace
from regard.inspection.views.tiles import Tile, TileRequest, thumbnails, tile
from regard.lazy import attach, modules

if TYPE_CHECKING:
    from regard.inspection import huggingface
    from regard.inspection.alignment import STEPS, cross_attention
    from regard.inspection.attribution import logit_attribution, logit_lens, measures, spearman
    from regard.inspection.views.ablation import ablate
    from regard.inspection.views.statistics import head_statistics
else:
    (huggingface,) = modules(__name__, "huggingface")

__all__ = [
    "STEPS",
    "Tap",
    "Tile",
    "TileRequest",
    "Trace",
    "ablate",
    "cross_attention",
    "group_words",
    "head_statistics",
    "logit_attribution",
    "logit_lens",
    "measures",
    "spearman",
    "thumbnails",
    "tile",
    "trace",
]

_HOME = {
    "alignment": ("STEPS", "cross_attention"),
    "attribution": ("logit_attribution", "logit_lens", "measures", "spearman"),
    "views.ablation": ("ablate",),
    "views.statistics": ("head_statistics",),
}
__getattr__, __dir__ = attach(globals(), _HOME)
