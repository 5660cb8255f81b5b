"""The options of its use."""

from regard.options import Options, option


class LabelingOptions(Options):
    """Options of labeling words."""

    aggregation: str = option(
        "first",
        "Join tokens to words, which have the label of the first, of their mean probability or of"
        " the surest, and words to spans; or join tokens (simple), or nothing.",
        choices=("first", "average", "max", "simple", "none"),
    )
