"""Small files to learn from, and what is learned from them."""

from fixtures.recipes import (  # noqa: F401
    bar_images,
    classify,
    labeled,
    see,
    seen,
    summarize,
    summarized,
    summarizing,
    tagged,
    trained,
)
