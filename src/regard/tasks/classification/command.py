"""`regard classify`: a label for each text, pair of texts or image."""

from typing import TYPE_CHECKING, Any

from regard.cli.images import ImageCommand
from regard.cli.lines import Line
from regard.data.inputs import TEXT, TEXT_PAIR
from regard.data.roles import Role
from regard.engine import batching
from regard.errors import BadArgumentError
from regard.options import Options, option

if TYPE_CHECKING:
    pass


class LabelOptions(Options):
    """Options of what is labeled."""

    text_pair: bool = option(
        False,
        "Each text is two, separated by a tab; in JSON, text and text_pair.",
    )
    images: bool = option(
        False,
        "Each text is the name of an image file, or of a folder of them. digits reads light on"
        " dark, and dark on light.",
    )


class Classify(ImageCommand["Classification"]):
    """A call of `regard classify`."""

    own, model_default = LabelOptions, "emotions; of --images, digits"
    what, roles = "a text", (TEXT, TEXT_PAIR)

    def __init__(self, verb: str, common: dict[str, Any], arguments: dict[str, Any]):
        super().__init__(verb, common, arguments)
        labels = self.chosen.get("labels")
        self.pairs = self.extra.text_pair or self.files.text_pair_column is not None
        if self.pairs and self.extra.images:
            raise BadArgumentError("give either --text-pair or --images; got both.")
        if labels is not None and (self.pairs or self.extra.images):
            raise BadArgumentError(
                "--labels are of single texts. Leave out --text-pair and --images; which text fits"
                " an image is what regard match says."
            )
        if labels is not None and self.common["model"] is None:
            raise BadArgumentError(
                "--labels need a classifier of entailment (NLI), and none is shipped. Give one's"
                " folder or hub:org/name with --model."
            )
        if self.extra.images:
            self.kind_name, self.what = "image-classification", "an image"  # type: ignore[misc]

    @property
    def reads_images(self) -> bool:
        return bool(self.extra.images)

    @property
    def columns(self) -> tuple[Role, ...]:
        return super().columns[: 1 + self.pairs]

    def rows(self, lines: list[Line]) -> list[tuple[str, ...]]:
        return batching.read_each(_pair, lines) if self.pairs else super().rows(lines)


def _pair(line: Line) -> tuple[str, ...]:
    [second] = line.others or [None]
    if isinstance(second, str):
        return line.text, second
    parts = line.text.split("\t")
    if len(parts) != 2:
        raise BadArgumentError(
            "two texts with one tab between them were expected (or a JSON object with"
            f' "text" and "text_pair"); got {len(parts) - 1} tabs.'
        )
    return parts[0], parts[1]
