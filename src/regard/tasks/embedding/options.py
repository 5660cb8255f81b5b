"""The options of its use."""

from regard.options import Options, option


class EncodingOptions(Options):
    """Options of turning texts into vectors."""

    pooling: str | None = option(
        None,
        "How the tokens' states become one vector.",
        shown="model's",
        choices=("mean", "cls", "max"),
    )
    normalize: bool | None = option(
        None,
        "Scale each vector to length one, or not.",
        shown="model's",
        flag="--normalize/--no-normalize",
    )
