"""Which of regard's modules run while a model is loaded and translates, and what is opened.

    python benchmarks/touched.py [MODEL]

Imports are done beforehand, so that only calls count. `--list` names the modules.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import regard

T = TypeVar("T")
SOURCE = Path(regard.__file__).parent
TEXT = "A man is playing the guitar in the park."


def watched(run: Callable[[], T]) -> tuple[T, set[str], Counter[str]]:
    """What `run` returns, the modules whose functions it called, how often it opened each file."""
    modules: set[str] = set()
    opened: Counter[str] = Counter()
    watching = True

    def profile(frame: FrameType, event: str, argument: object) -> None:
        file = Path(frame.f_code.co_filename)
        if event == "call" and frame.f_code.co_name != "<module>" and SOURCE in file.parents:
            modules.add(str(file.relative_to(SOURCE)))

    def audit(event: str, arguments: tuple[Any, ...]) -> None:  # cannot be removed again
        if watching and event == "open" and isinstance(arguments[0], str):
            opened[Path(arguments[0]).name] += 1

    sys.addaudithook(audit)
    sys.setprofile(profile)
    try:
        result = run()
    finally:
        sys.setprofile(None)
        watching = False
    return result, modules, opened


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", nargs="?", default="en-de")
    parser.add_argument("--list", action="store_true", help="name the modules")
    arguments = parser.parse_args()
    import safetensors

    opens = 0
    original = safetensors.safe_open

    def counted(*given: Any, **named: Any) -> Any:  # it opens the file where Python cannot see it
        nonlocal opens
        opens += 1
        return original(*given, **named)

    regard.load(arguments.model)(TEXT)  # imports everything
    from regard.checkpoints import weights

    weights.safe_open = counted  # type: ignore[assignment]
    model, loading, opened = watched(lambda: regard.load(arguments.model))
    _, translating, _ = watched(lambda: model(TEXT))
    print(f"load {arguments.model}: {len(loading)} modules")
    print(f"  weights opened {opens} times by safetensors")
    for name, count in sorted(opened.items()):
        print(f"  {name} opened {count} times")
    print(f"translate one sentence: {len(translating)} modules")
    if arguments.list:
        for title, modules in (("load", loading), ("translate", translating)):
            print(f"\n{title}:", *sorted(modules), sep="\n  ")


if __name__ == "__main__":
    main()
