"""`regard match`: the text that fits each image."""

from regard.cli.images import ImageCommand
from regard.errors import BadArgumentError


class Match(ImageCommand):
    """A call of `regard match`."""

    def open(self) -> None:
        if not self.chosen.get("labels"):
            raise BadArgumentError(
                "there are no texts to choose among; give each of them with --labels."
            )
        super().open()
