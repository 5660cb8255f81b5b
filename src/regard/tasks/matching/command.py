"""`regard match`: the text that fits each image, and what one text and one image have in common."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.cli.images import ImageCommand
from regard.cli.options import FIGURES, check_ending
from regard.cli.progress import progress_bar
from regard.cli.streams import say
from regard.data.inputs import IMAGE
from regard.errors import BadArgumentError
from regard.lazy import matplotlib, require
from regard.options import Options, option

if TYPE_CHECKING:
    pass


class PictureOptions(Options):
    """Options of a picture that is drawn."""

    figure: Path | None = option(
        None,
        "Draw which patches of one image one text rests on, and each of its words, as .svg, .pdf or"
        " .png: a run for each patch.",
    )


class Match(ImageCommand["task.Match"]):
    """A call of `regard match`."""

    own, what, roles = PictureOptions, "an image", (IMAGE,)

    def __init__(self, verb: str, common: dict[str, Any], arguments: dict[str, Any]):
        super().__init__(verb, common, arguments)
        check_ending("--figure", self.extra.figure, FIGURES)
        one = len(self.texts or ()) == len(self.chosen.get("labels") or ()) == 1
        if self.extra.figure and (not one or Path(self.texts[0]).is_dir()):
            raise BadArgumentError("--figure is for one image and one text.")

    def open(self) -> None:
        if not self.chosen.get("labels"):
            raise BadArgumentError(
                "there are no texts to choose among; give each of them with --labels."
            )
        super().open()

    def end(self, total: int) -> None:
        """Draw the picture."""
        if self.extra.figure is None:
            return
        require(matplotlib)  # before the long part
        [image], [label] = self.texts, self.chosen["labels"]
        text = self.call.get("template", "{}").replace("{}", label)
        rows, columns = self.task.grid
        say(f"the image is read {rows * columns + 1:,} times, with each of its patches hidden.")
        with progress_bar(rows * columns + 1, "hiding") as progress:
            size = self.common["batch_size"]
            occlusion = self.task.occlusion(image, text, batch_size=size, progress=progress)
        occlusion.figure(self.extra.figure)
