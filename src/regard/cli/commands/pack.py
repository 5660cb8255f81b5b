"""`regard pack`: a model packed for ONNX Runtime ahead of time, and what a precision costs."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from regard.cli import options
from regard.cli.options import argument, option
from regard.cli.progress import progress_bar
from regard.cli.streams import say
from regard.cli.task_command import use_threads
from regard.options import decoding_of

if TYPE_CHECKING:
    from regard.tasks.task import Task

Check = Annotated[
    Path | None,
    option(
        "Data, as regard evaluate takes it: what the model scores by torch and packed, and how"
        " often the two give the same."
    ),
]

Measured = tuple[dict[str, float], Sequence[Any]]  # the figures, and what the model gave


def pack(
    model: Annotated[str, argument("A shipped model's name, a model folder or hub:org/name.")],
    precision: options.OnnxPrecision = "int8",
    check: Check = None,
    threads: options.Threads = None,
    as_json: options.Json = False,
) -> None:
    """Pack a model for ONNX Runtime, where --engine onnx finds it.

    Without this, a model is packed when a command first computes by ONNX Runtime, in fp32 unless
    --precision says otherwise.
    """
    use_threads(threads)
    from regard.api.loading import load
    from regard.recipes.evaluation import check_exists
    from regard.runtime.packing import cache_size, size_of

    if check is not None:
        check_exists(check)
    task: Any = load(model).run_by("torch")
    packed = task.run_by("onnx", precision=precision, threads=threads)
    facts: dict[str, Any] = {
        "precision": precision,
        "folder": str(packed.packed.folder),
        "bytes": size_of(packed.packed.folder.iterdir()),
        "parameters": sum(each.numel() for each in task.model.parameters()),
    }
    if check is not None:
        facts["check"] = _compared(model, task, packed, check)
    if as_json:
        print(json.dumps(facts))
    else:
        print("\n".join([*_lines(facts), f"cache       {cache_size()}"]))


def _compared(model: str, task: "Task", packed: "Task", data: Path) -> dict[str, Any]:
    """Scores of the two, and the share of the examples on which they give the same."""
    import numpy as np

    (figures, expected), (others, got) = _measured(model, (task, packed), data)
    same = np.asarray(got) == np.asarray(expected)
    return {
        "figures": {name: [figures[name], others[name]] for name in figures},
        "examples": len(same),
        "same": float(same.reshape(len(same), -1).all(1).mean()),
    }


def _measured(model: str, tasks: "Sequence[Task]", data: Path) -> list[Measured]:

    from regard.api.evaluation import RECIPES, evaluator_of, kind_of_model

    kind = kind_of_model(model)
    settings = RECIPES[kind].options_class().evaluation.settings()
    own_decoding = dict.fromkeys(decoding_of(settings))
    evaluator = evaluator_of(kind, model, own_decoding, say=say)
    examples = evaluator.read(str(data))
    size = evaluator.size(examples)
    measured = []
    with progress_bar(size and size * len(tasks), evaluator.doing) as bar:
        for task in tasks:
            result = evaluator.score(task, examples, progress=bar)
            names = ("bleu", "chrf") if kind == "translation" else (evaluator.compared(result),)
            measured.append(
                ({name: result.figures[name] for name in names}, evaluator.outputs(result))
            )
    return measured


def _lines(facts: dict[str, Any]) -> list[str]:
    lines = [
        f"folder      {facts['folder']}",
        f"size        {facts['bytes'] / 1e6:.1f} MB, of {facts['parameters']:,} parameters",
    ]
    if "check" in facts:
        check, precision = facts["check"], facts["precision"]
        lines += [
            f"{name.replace('_', ' '):<11} {exact:.4f} by torch, {coarse:.4f} in {precision};"
            f" difference {coarse - exact:+.4f}"
            for name, (exact, coarse) in check["figures"].items()
        ]
        lines.append(f"the same    {check['same']:.2%} of {check['examples']:,} results")
    return lines
