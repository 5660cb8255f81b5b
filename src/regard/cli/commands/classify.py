"""`regard classify`: a label for each text, pair of texts or image."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from regard.cli.lines import Line
from regard.cli.task_command import TaskCommand
from regard.errors import BadArgumentError
from regard.lines import one_line
from regard.options import Options, option


class LabelOptions(Options):
    """Options of what is labeled."""

    text_pair: bool = option(
        False,
        "Each text is two, separated by a tab; in JSON, text and text_pair.",
        aliases=("pairs",),
    )
    images: bool = option(False, "Each text is the name of an image file, or of a folder of them.")

    def check(self) -> None:
        if self.text_pair and self.images:
            raise BadArgumentError("give either --text-pair or --images; got both.")


class Classify(TaskCommand):
    """A call of `regard classify`."""

    own, model_default = LabelOptions, "emotions; of --images, digits"

    def __init__(self, *arguments: Any):
        super().__init__(*arguments)
        self.named: set[tuple[int, str]] = set()  # line and name of a folder's images
        labels = self.chosen.get("labels")
        if labels is not None and (self.extra.text_pair or self.extra.images):
            raise BadArgumentError(
                "--labels are of single texts. Leave out --text-pair and --images."
            )
        if labels is not None and self.common["model"] is None:
            raise BadArgumentError(
                "--labels need a classifier of entailment (NLI), and none is shipped. Give one's"
                " folder or hub:org/name with --model."
            )
        if self.extra.images:
            self.kind_name, self.what = "image-classification", "an image"  # type: ignore[misc]

    def groups(self) -> Iterable[list[Line]]:
        groups = super().groups()
        return self._with_folders(groups) if self.extra.images else groups

    def rows(self, lines: list[Line]) -> list[tuple[str, ...]]:
        from regard.tasks.batching import read_each

        return read_each(_pair, lines) if self.extra.text_pair else super().rows(lines)

    def plain(self, line: Line, result: Any) -> str | None:
        """With the name of an image that a folder stood for in front."""
        if (line.number, line.text) not in self.named:
            return super().plain(line, result)
        rows = ["\t"] if result is None else result.lines()
        return "\n".join(f"{one_line(line.text)}\t{row}" for row in rows)

    def _with_folders(self, groups: Iterable[list[Line]]) -> Iterator[list[Line]]:
        """The lines, with those of its images in a folder's place."""
        from regard.tasks.images import image_files

        for group in groups:
            lines: list[Line] = []
            for line in group:
                if not (line.text.strip() and Path(line.text).is_dir()):
                    lines.append(line)
                    continue
                files = [str(file) for file in image_files(Path(line.text))]
                self.named.update((line.number, file) for file in files)
                lines += [Line(line.number, file, line.fields | {"text": file}) for file in files]
            yield lines


def _pair(line: Line) -> tuple[str, ...]:
    second = line.fields.get("text_pair")
    if isinstance(second, str):
        return line.text, second
    parts = line.text.split("\t")
    if len(parts) != 2:
        raise BadArgumentError(
            "two texts with one tab between them were expected (or a JSON object with"
            f' "text" and "text_pair"); got {len(parts) - 1} tabs.'
        )
    return parts[0], parts[1]
