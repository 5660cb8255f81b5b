"""The options of its use."""

from regard.errors import BadArgumentError
from regard.options import Options, option


class MatchingOptions(Options):
    """Options of comparing images with texts."""

    labels: list[str] | None = option(
        None, "Text to choose among, such as 'a cat'; may be given several times."
    )
    template: str | None = option(
        None,
        "What is read for a label, which takes the place of {}: 'a photo of {}'.",
        shown="the label itself",
    )
    top_k: int | None = option(
        1, "Texts for each image; if more than one, as line number, text and score.", min=1
    )
    patches: bool = option(
        False, "Also give how well each patch of the image fits each text, in JSON."
    )

    def check(self) -> None:
        if self.template is not None and "{}" not in self.template:
            raise BadArgumentError(f"template must have {{}} for the label; got {self.template!r}.")
