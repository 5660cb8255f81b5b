"""The route of texts to be translated."""

from typing import Literal

from pydantic import Field

from regard.serving.hooks import TRACE, TRACED, Hook, rewrite

ROUTE: Hook = Hook(
    rewrite,
    {
        "alignment": (
            Literal["input", "output"] | None,
            Field(None, description="The decoder's step that word alignments are read from."),
        ),
        "glossary": (
            dict[str, str] | None,
            Field(None, description="Terms, each with its translation: Haus|Hauses."),
        ),
        **TRACE,
    },
    TRACED,
)
