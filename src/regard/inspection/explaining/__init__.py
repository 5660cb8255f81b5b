"""From tokens to a layer's output, one step at a time."""

from regard.inspection.explaining.geometry import geometry
from regard.inspection.explaining.model import attention_taps, explain_tap, running
from regard.inspection.explaining.steps import LONGEST
from regard.inspection.explaining.vectors import explain_vectors, principal, random_projections

__all__ = [
    "LONGEST",
    "attention_taps",
    "explain_tap",
    "explain_vectors",
    "geometry",
    "principal",
    "random_projections",
    "running",
]
