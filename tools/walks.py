"""Count the files that a piece of data passes: a sentence, a row, a folder and a request.

`python tools/walks.py` prints for each walk the files of the package that its calls enter, the
functions, and the moves from one file to another. A warm walk is the second of its kind.
"""

import contextlib
import io
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType

from starlette.testclient import TestClient

import regard
from regard.checkpoints import shipped
from regard.cli.main import main as command
from regard.engine.native.loading import open_native
from regard.http.guard import Access
from regard.serving.app import create_app
from regard.serving.limits import Limits
from regard.serving.metrics import Metrics
from regard.serving.served import Served

PACKAGE = str(Path(regard.__file__).parent)
FUNCTION = 1  # CO_OPTIMIZED, which the bodies of modules and classes do not have
TEXT = "I would like to drink a cup of tea with my friends."
ROWS = "".join(f"a fine film {i},good\na dull film {i},bad\n" for i in range(80))


@dataclass
class Walk:
    """The package's functions that are called while it is recorded, in all threads."""

    functions: set[CodeType] = field(default_factory=set)
    moves: int = 0
    last: str = ""
    recorded: bool = False

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        code = frame.f_code
        if not self.recorded or event != "call" or not code.co_flags & FUNCTION:
            return
        if code.co_filename.startswith(PACKAGE):
            self.functions.add(code)
            self.moves += code.co_filename != self.last
            self.last = code.co_filename

    def of(self, name: str, call: Callable[[], object], *, warm: bool) -> None:
        """Print what a call passes; if warm, what its second call does."""
        if warm:
            call()
        self.functions, self.moves, self.last, self.recorded = set(), 0, "", True
        call()
        self.recorded = False
        files = {code.co_filename for code in self.functions}
        print(f"{len(files):5} {len(self.functions):9} {self.moves:5}  {name}")


def translate() -> None:
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):
        command(["translate", TEXT])


def main() -> None:
    walk = Walk()
    threading.setprofile(walk)
    sys.setprofile(walk)
    folder = shipped.FOLDER / "en-de"
    model = regard.load("en-de")
    print("files functions moves")
    walk.of("a sentence, by a model that is loaded", lambda: model([TEXT]), warm=True)
    walk.of("a sentence, by the command, second time", translate, warm=True)
    walk.of("a folder to the running engine, second time", lambda: open_native(folder), warm=True)
    metrics = Metrics()
    served = Served(["en-de"], Limits(), metrics)
    body = {"text": TEXT}
    with TestClient(create_app(served, metrics, Access()), "http://127.0.0.1") as client:
        ask = lambda: client.post("/run/translate", json=body).raise_for_status()  # noqa: E731
        walk.of("POST /run/translate, second time", ask, warm=True)
    with tempfile.TemporaryDirectory() as name:
        rows = Path(name, "rows.csv")
        rows.write_text("text,label\n" + ROWS, encoding="utf-8")

        def train() -> None:
            run = Path(name, f"run{len(list(Path(name).iterdir()))}")
            with warnings.catch_warnings(action="ignore"):  # of two steps nothing is learned
                regard.train("classification", rows, run, preset="tiny", max_steps=2)

        walk.of("rows of a CSV to a classifier", train, warm=True)


if __name__ == "__main__":
    main()
