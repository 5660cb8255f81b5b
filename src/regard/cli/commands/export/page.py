"""`regard export page`: a translator as one HTML file, which translates and shows its weights."""

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from regard.cli.options import Json, argument, option
from regard.cli.progress import waiting


def page(
    model: Annotated[str, argument("A translator: a shipped model, a folder or hub:org/name.")],
    output: Annotated[Path, option("The .html file to write.", "--output", "-o")],
    as_json: Json = False,
) -> None:
    """Write a translator and the page as one HTML file: it runs in the browser, without a server or
    a network."""
    with waiting(f"reading {model}"):
        from regard.studio.translator_page import translator_page

        written = translator_page(model, output)
    if as_json:
        print(json.dumps({**asdict(written), "path": str(written.path)}, ensure_ascii=False))
    else:
        print(f"{written.path}, {written.megabytes} MB", file=sys.stderr)
