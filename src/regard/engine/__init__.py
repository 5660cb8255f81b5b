"""Models at work: the native engine and torch, batching, and the base classes of tasks."""

from typing import TYPE_CHECKING

from regard.lazy import modules

if TYPE_CHECKING:
    from regard.engine import batching, engines, result
else:
    batching, engines, result = modules(__name__, "batching", "engines", "result")
