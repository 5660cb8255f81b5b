"""The README.md of an exported folder: files, inputs and outputs, and how the graphs are run."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from regard import catalog
from regard.checkpoints import Checkpoint
from regard.configs.heads import HEADS
from regard.exporting.graph import Graph, Value
from regard.tasks.classification import read_problem_type
from regard.tasks.defaults import read_defaults
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

POOLED = {
    "mean": "the mean of `states` over its tokens, padding left out",
    "cls": "the state of its first token",
    "max": "the maximum of `states` over its tokens, padding left out, of each column",
}
SCORES = {
    "single_label_classification": "softmax of it gives the probabilities of the labels",
    "multi_label_classification": "the sigmoid of each number is the probability of its label",
    "regression": "its numbers are the result",
}
RESULTS = {  # of the entries of a head: see `configs.heads.HEADS`
    "position": "The question is the first text and the context the second. `output` has two logits"
    " for each token: to be the first of the answer, and to be its last.",
    "token": "`output` has the logits of every token of the vocabulary at every place; those at the"
    " place of the mask token say which words fit there.",
}


def readme(
    checkpoint: Checkpoint,
    kind: str,
    head: str,
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
        head: a name in `configs.heads.HEADS`.
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
        *_usage(checkpoint, head, graphs, pooling),
        "## Where it runs",
        _where(operators),
    ]
    return "\n\n".join(parts) + "\n"


def _described(name: str, graph: Graph) -> str:
    rows = [_row("input", value) for value in graph.inputs]
    rows += [_row("output", value) for value in graph.outputs]
    head = ["| | name | type | shape |", "|---|---|---|---|"]
    return "\n".join([f"## {name}.onnx", "", *head, *rows])


def _row(side: str, value: Value) -> str:
    shape = ", ".join(map(str, value.shape))
    return f"| {side} | `{value.name}` | {np.dtype(value.dtype).name} | ({shape}) |"


def _usage(
    checkpoint: Checkpoint,
    head: str,
    graphs: Mapping[str, Graph],
    pooling: Mapping[str, Any] | None,
) -> list[str]:
    if "encoder" in graphs:
        return [_prefixed(checkpoint), _ENCODER, _SHARED, _TOKENS]
    if "step" in graphs:
        positions = any(value.name == "positions" for value in graphs["step"].inputs)
        return [_CONTINUED, *([_POSITIONS] if positions else []), _SHARED, _TOKENS]
    names = {value.name for value in graphs["body"].inputs}
    if "head" not in graphs and "pixels" not in names:
        return [_read(names), _vector(pooling or {})]
    entries = HEADS[head].entries
    if entries == "label":
        scores = SCORES[read_problem_type(checkpoint)]
        place = " at the place of each token" if "length" in graphs["head"].outputs[0].shape else ""
        result = (
            f"`output` has a number for each label of id2label in config.json{place}: {scores}."
        )
    else:
        result = RESULTS[entries]
    if "pixels" in names:
        return [_PIXELS, result]
    return [_read(names), f"Run head.onnx with the `states` that it gives. {result}"]


def _read(names: set[str]) -> str:
    inputs = ["- `ids`: the tokens of each text, with padding behind the shorter ones"]
    if "mask" in names:
        inputs.append("- `mask`: 1 for a token, 0 for padding")
    if "token_type_ids" in names:
        inputs.append("- `token_type_ids`: 0, or 1 for the tokens of a second text")
    begin = "Encode the text with tokenizer.json, special tokens included, and run body.onnx with"
    padding = "" if "mask" in names else "\n\nPadding is pad_token_id of config.json."
    return f"{begin}\n\n" + ";\n".join(inputs) + f".{padding}"


def _vector(settings: Mapping[str, Any]) -> str:
    vector = POOLED[settings.get("pooling", "mean")]
    scaled = ", scaled to length one" if settings.get("normalize", True) else ""
    limit = settings.get("max_length")
    cut = f" At most {limit} tokens of a text are read." if limit else ""
    lower = " Text is lowercased first." if settings.get("lowercase") else ""
    prompt = settings.get("prompt")
    before = f" `{prompt}` is put before every text." if prompt else ""
    return f"The vector of a text is {vector}{scaled}.{cut}{lower}{before}"


def _prefixed(checkpoint: Checkpoint) -> str:
    prefixes = {task.prefix for task in read_defaults(checkpoint).values() if task.prefix}
    listed = ", ".join(f"`{prefix}`" for prefix in sorted(prefixes))
    before = f"Put the prefix before the text ({listed}). " if prefixes else ""
    return f"{before}Encode the text with tokenizer.json, special tokens included: `ids`."


_ENCODER = """\
1. Run encoder.onnx once for each text, or batch of texts, with `ids` and `mask`, which is 1 for a
   token and 0 for padding. It gives `states` and, for each layer of the decoder, the keys and
   values that the decoder attends to, `memory_k…` and `memory_v…`. Their length is that of `ids`,
   padded to a multiple of 16; it is the length of "source" in step.onnx.
2. Make `mask` for step.onnx, (batch, 1, 1, source): 0 where there is a token of the source, and
   −3.4028235e38, the lowest float32, elsewhere. Begin with a past of room 0: each `past_k…` and
   `past_v…` has the shape in the table with room = 0.
3. Begin with `tokens` = decoder_start_token_id for each row, and repeat, for `position` = 0, 1, …:
   run step.onnx with `tokens`, the memory, the mask, the past, `lengths` = `position` for each row,
   `longest` = `position` + 1 and `count`, the number of likeliest tokens that you want. Each output
   `all_k…` and `all_v…` is the input `past_k…` and `past_v…` of the next run.
4. The next token of each row is in `best`, likeliest first, with its log-probability in
   `log_probs`; `logits` has all tokens. Ask the graph for the outputs that you need only: the
   others are then not computed. A row ends with eos_token_id. Decode what was written with
   tokenizer.json, or with target_tokenizer.json where there is one.

For a beam search there may be several rows for each text: neighboring rows share the memory of a
text, and `rows` must be a multiple of `batch`."""

_CONTINUED = """\
Encode the text with tokenizer.json: `ids`, (1, n). Begin with a past of room 0: each `past_k…` and
`past_v…` has the shape in the table with room = 0. Repeat: run step.onnx with

- `ids`: all tokens of the text in the first run, then the one that was written last;
- `lengths`: how many tokens each row has with these, minus 1; `longest`: the largest number of
  tokens of a row;
- `last`: the place in `ids` of each row's last token: n − 1, then 0;
- `count`: the number of likeliest tokens that you want;
- the past: each output `all_k…` and `all_v…` is the input `past_k…` and `past_v…` of the next run.

The next token of each row is in `best`, likeliest first, with its log-probability in `log_probs`;
`logits` has all tokens. Padding in a batch stands behind the shorter rows in the first run."""

_SHARED = """\
A program that binds each past and its output to the same array, with room for all tokens that will
be written, saves a copy in every step: the graph writes into it."""

_POSITIONS = """\
`positions` are the places of `ids` in their texts, from 0: 0 to n − 1, then n, n + 1, and so on."""

_TOKENS = """\
generation_config.json, if there is one, has the settings of decoding that the model was made for,
such as do_sample and max_new_tokens. The graphs do not apply them: they give the logits,
and the caller chooses the tokens."""

_PIXELS = """\
Prepare the image as preprocessor_config.json says (size, colors, mean and deviation), run body.onnx
with it, and head.onnx with the `states` that it gives."""


_TELEMETRY = (
    "ONNX Runtime's own builds send what they run to Microsoft unless the environment variable"
    " `ORT_DISABLE_TELEMETRY` is 1 when they are loaded."
)


def _where(operators: Sequence[str]) -> str:
    if not operators:
        return f"All operators are in the ONNX standard. {_TELEMETRY}"
    listed = ", ".join(f"`{name}`" for name in operators)
    return (
        "These operators are not in the ONNX standard. They are ONNX Runtime's own, so the graphs"
        f" run in ONNX Runtime only (Python, C, C++, C#, Java, JavaScript): {listed}.\n\n"
        "In a browser, `onnxruntime-web` needs the content of `weights.bin` in its option"
        " `externalData`.\n\n"
        f"{_TELEMETRY}"
    )
