"""Attribution of an output to layers, heads and input tokens."""

from regard.inspection.attribution.contributions import logit_attribution
from regard.inspection.attribution.measures import measures, spearman
from regard.inspection.attribution.stream import logit_lens

__all__ = ["logit_attribution", "logit_lens", "measures", "spearman"]
