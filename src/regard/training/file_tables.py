"""Tables of files, such as sounds or images, with a text each."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from regard.data import BadCellError, Column, Role, read_examples
from regard.data.lines import check_file
from regard.data.tables import folder_of
from regard.errors import BadArgumentError, DamagedFileError, NotFoundError
from regard.training.examples import Example

TEXT = ("text", "caption", "sentence", "transcription", "transcript", "captions", "title")


def read_file_table(
    path: str,
    file: Role,
    look: Callable[[Path], object],
    *,
    text: Column | None = None,
    **reading: Any,
) -> Iterator[Example]:
    """Return the rows of a table, one at a time: an example's text is the path of a file, its pair
    what is said of that.

    Args:
        file: the column of the files, whose names are those of files beside the table, or paths.
        look: reads the head of a file; raises DamagedFileError for one of another kind.
    """

    def example(values: tuple[Any, ...], line: int) -> Example:
        name, said = (value and value.strip() for value in values)
        if not name or not said:
            problem = f"expected a {file.name} and a text; got an empty cell. Fill it."
            raise BadCellError(problem, "empty cell")
        place = Path(os.path.abspath(folder_of(Path(path)) / name))
        try:
            check_file(place, f"a {file.name}")
            look(place)
        except (BadArgumentError, DamagedFileError, NotFoundError) as error:
            reason = "missing" if isinstance(error, NotFoundError) else "broken"
            raise BadCellError(str(error), f"{reason} file") from error
        return Example(str(place), said, [], line)

    return read_examples(path, (file, Role("text", TEXT, text, text=True)), example, **reading)
