"""Instructions for running exported graphs: what goes in, what is done with what comes out."""

from collections.abc import Mapping
from typing import Any

from regard.checkpoints import Checkpoint
from regard.runtime.graph import Graph
from regard.tasks.classification import read_problem_type
from regard.tasks.defaults import read_defaults

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


def usage(
    checkpoint: Checkpoint,
    kind: str,
    graphs: Mapping[str, Graph],
    pooling: Mapping[str, Any] | None,
) -> list[str]:
    """Paragraphs; the arguments are those of `readme`."""
    if "encoder" in graphs:
        return [_prefixed(checkpoint), _ENCODER, _SHARED, _TOKENS]
    if "step" in graphs:
        positions = any(each.name == "positions" for each in graphs["step"].inputs)
        return [_CONTINUED, *([_POSITIONS] if positions else []), _SHARED, _TOKENS]
    if kind == "image-classification":
        return [_PIXELS, _scored(checkpoint)]
    return [_read(graphs["body"]), _result(checkpoint, kind, pooling)]


def _prefixed(checkpoint: Checkpoint) -> str:
    tasks = read_defaults(checkpoint)
    prefixes = {each.prefix for each in tasks.values() if each.prefix}
    text = "Encode the text with tokenizer.json, special tokens included: `ids`."
    if not prefixes:
        return text
    listed = ", ".join(f"`{each}`" for each in sorted(prefixes))
    return f"Put the prefix before the text ({listed}). {text}"


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
such as num_beams, do_sample and max_new_tokens. The graphs do not apply them: they give the logits,
and the caller chooses the tokens."""

_PIXELS = """\
Prepare the image as preprocessor_config.json says (size, colors, mean and deviation), run body.onnx
with it, and head.onnx with the `states` that it gives."""


def _read(body: Graph) -> str:
    names = {each.name for each in body.inputs}
    lines = ["Encode the text with tokenizer.json, special tokens included, and run body.onnx with"]
    lines.append("")
    lines.append("- `ids`: the tokens of each text, with padding behind the shorter ones;")
    if "mask" in names:
        lines.append("- `mask`: 1 for a token, 0 for padding;")
    if "token_type_ids" in names:
        lines.append("- `token_type_ids`: 0, or 1 for the tokens of a second text;")
    lines[-1] = lines[-1][:-1] + "."
    if "mask" not in names:
        lines += ["", "Padding is pad_token_id of config.json."]
    return "\n".join(lines)


def _result(checkpoint: Checkpoint, kind: str, pooling: Mapping[str, Any] | None) -> str:
    run = "Run head.onnx with the `states` that it gives. "
    if kind == "feature-extraction":
        settings = dict(pooling or {})
        vector = POOLED[settings.get("pooling", "mean")]
        scaled = ", scaled to length one" if settings.get("normalize", True) else ""
        limit = settings.get("max_length")
        cut = f" At most {limit} tokens of a text are read." if limit else ""
        lower = " Text is lowercased first." if settings.get("lowercase") else ""
        return f"The vector of a text is {vector}{scaled}.{cut}{lower}"
    if kind == "text-classification":
        return run + _scored(checkpoint)
    if kind == "question-answering":
        return run + (
            "The question is the first text and the context the second. `output` has two logits for"
            " each token: to be the first of the answer, and to be its last."
        )
    return run + (
        "`output` has the logits of every token of the vocabulary at every place; those at the"
        " place of the mask token say which words fit there."
    )


def _scored(checkpoint: Checkpoint) -> str:
    scores = SCORES[read_problem_type(checkpoint)]
    return f"`output` has a number for each label of id2label in config.json: {scores}."
