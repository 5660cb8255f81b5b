"""Models computed by the native engine, whose source is in `engine/` at the repository's root."""

from typing import TYPE_CHECKING

from regard.lazy import modules

if TYPE_CHECKING:
    from regard.engine.native import decodes, loading, looking
else:
    decodes, loading, looking = modules(__name__, "decodes", "loading", "looking")
