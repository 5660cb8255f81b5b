"""Shapes in annotations, such as Float[Array, "batch heads"], which the tests check by jaxtyping.

Where nothing has imported jaxtyping yet, an annotation is its array alone: its import takes longer
than looking at a text.
"""

import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING or "jaxtyping" in sys.modules:
    from jaxtyping import Bool, Float, Int, Int64, Shaped
else:

    class Float:
        """An array and the names of its axes."""

        def __class_getitem__(cls, parts: tuple[Any, str]) -> object:
            return parts[0]

    Bool = Int = Int64 = Shaped = Float

__all__ = ["Bool", "Float", "Int", "Int64", "Shaped"]
