"""The README.md of an exported folder: files, inputs and outputs, and how the graphs are run."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from regard import catalog
from regard.checkpoints import Checkpoint
from regard.exporting.usage import usage
from regard.runtime.graph import Graph, Value
from regard.version import __version__

FILES = {
    "weights.bin": "the arrays of the graphs, which name this file; keep it beside them",
    "config.json": "the model's settings, its special ids and labels among them",
    "generation_config.json": "the settings of decoding",
    "preprocessor_config.json": "how images are prepared",
    "sentence_bert_config.json": "how many tokens are read, and whether text is lowercased",
    "tokenizer.json": "the tokenizer, in the format of Hugging Face's `tokenizers`",
    "target_tokenizer.json": "the target's tokenizer",
    "tokenizer_config.json": "the names of the special tokens",
    "special_tokens_map.json": "the same for older programs",
}


def readme(
    checkpoint: Checkpoint,
    kind: str,
    graphs: Mapping[str, Graph],
    operators: Sequence[str],
    *,
    precision: str,
    files: Sequence[str],
    pooling: Mapping[str, Any] | None,
) -> str:
    """The text.

    Args:
        kind: a name in `catalog.KINDS`.
        graphs: by the names of their files, without the ending.
        operators: those that ONNX Runtime alone has.
        files: the names of the other files.
        pooling: of an encoder of texts: the arguments of an `Embedder`.
    """
    parts = [
        f"# {checkpoint.name} as ONNX graphs",
        f"This folder holds {catalog.KINDS[kind].what} as plain ONNX, written by regard"
        f" {__version__}; its matrix products are in {precision}.",
        "\n".join(f"- `{name}`: {FILES[name]}" for name in sorted(files) if name in FILES),
        *(_described(name, graph) for name, graph in graphs.items()),
        "## How to run it",
        *usage(checkpoint, kind, graphs, pooling),
        "## Where it runs",
        _where(operators),
        *([_OVERFLOW] if precision == "int8" else []),
    ]
    return "\n\n".join(parts) + "\n"


def _described(name: str, graph: Graph) -> str:
    rows = [_row("input", each) for each in graph.inputs]
    rows += [_row("output", each) for each in graph.outputs]
    head = ["| | name | type | shape |", "|---|---|---|---|"]
    return "\n".join([f"## {name}.onnx", "", *head, *rows])


def _row(side: str, value: Value) -> str:
    shape = ", ".join(map(str, value.shape))
    return f"| {side} | `{value.name}` | {np.dtype(value.dtype).name} | ({shape}) |"


_OVERFLOW = """\
int8 needs a processor that adds products of 8-bit integers without overflow: x86 with VNNI, or
Arm. On another one the results can be wrong; take fp32 there."""


_TELEMETRY = (
    "ONNX Runtime's own builds send what they run to Microsoft unless the environment variable"
    " `ORT_DISABLE_TELEMETRY` is 1 when they are loaded."
)


def _where(operators: Sequence[str]) -> str:
    if not operators:
        return f"All operators are in the ONNX standard. {_TELEMETRY}"
    listed = ", ".join(f"`{each}`" for each in operators)
    return (
        "These operators are not in the ONNX standard. They are ONNX Runtime's own, so the graphs"
        f" run in ONNX Runtime only (Python, C, C++, C#, Java, JavaScript): {listed}.\n\n"
        "In a browser, `onnxruntime-web` needs the content of `weights.bin` in its option"
        " `externalData`.\n\n"
        f"{_TELEMETRY}"
    )
