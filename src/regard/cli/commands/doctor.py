"""`regard doctor`: what is wrong with a model folder, before anyone loses an hour to it."""

import json
from dataclasses import asdict
from typing import Annotated

import typer

from regard import checkpoints
from regard.cli.columns import columns
from regard.cli.options import Json, argument, option

Folder = Annotated[
    str, argument("A model folder, a shipped model's name or hub:org/name.", "FOLDER")
]
Run = Annotated[bool, option("Run a model of more than 300 million parameters too.", "--run")]


def doctor(model: Folder, run: Run = False, as_json: Json = False) -> None:
    """Check a model folder: files, weights, tokenizer, settings, and whether padding or the future
    changes its output. Exits with 1 if something is wrong."""
    from regard.engine.doctor.checks import examine

    checkpoint = checkpoints.open_checkpoint(model)
    findings = list(examine(checkpoint, run=run))
    wrong = sum(finding.level == "wrong" for finding in findings)
    if as_json:
        report = {
            "folder": str(checkpoint.folder),
            "ok": not wrong,
            "findings": [asdict(finding) for finding in findings],
        }
        print(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        print(columns([[item.level, item.check, item.message] for item in findings], left=3))
        print("nothing is wrong." if not wrong else f"{wrong} wrong.")
    if wrong:
        raise typer.Exit(1)
