"""The arguments of transformers v4's pipelines, and what becomes of each here.

From this table a pipeline takes, ignores or refuses an argument, and the page of the documentation
is made of it.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

from regard.errors import BadArgumentError, UnsupportedError, did_you_mean
from regard.generation import GenerationConfig
from regard.generation.config import FILE_NAMES, NO_EFFECT, OFF

ALIASES = {"sentiment-analysis": "text-classification", "ner": "token-classification"}
ZERO_SHOT = "zero-shot-classification"  # what a classifier of texts does too


@dataclass(frozen=True)
class Argument:
    """An argument of v4."""

    says: str  # its meaning; why it is ignored; or what to write in place of a refused one
    here: Literal["taken", "ignored", "refused"] = "taken"
    idle: (
        tuple[Any, ...] | None
    ) = ()  # values of one that is not taken that change nothing; None: all
    name: str = ""  # the newer name of the same


Arguments = dict[str, Argument]


def _ignored(why: str, *idle: object) -> Argument:
    return Argument(why, "ignored", idle or None)


def _refused(instead: str, *idle: object) -> Argument:
    return Argument(instead, "refused", idle)


def _older(name: str) -> Argument:
    return Argument(f"an older name of `{name}`", name=name)


_SAME = Argument(
    "the model's own is taken; one that comes from the same folder may be named. To use another,"
    " save it in the model's folder"
)
_IN_CHAT = _refused("write them into the first message")
_BY_GENERATE = _refused("call `regard.generation.generate`, which takes a decoder of your own")

CONSTRUCTOR: Arguments = {
    "task": Argument(
        "a name in this list, `sentiment-analysis` or `translation_XX_to_YY`; left out, what the"
        " model was made for"
    ),
    "model": Argument(
        "a folder, `hub:org/name` or what `regard.load` gave. Of a model of transformers, save it"
        " and its tokenizer with `save_pretrained`, and give the folder"
    ),
    "config": _SAME,
    "tokenizer": _SAME,
    "feature_extractor": _SAME,
    "image_processor": _SAME,
    "processor": _SAME,
    "device": Argument("a number, -1 for the CPU; `cuda:0`; a `torch.device`"),
    "device_map": _refused('write `device="cuda:0"`; a model here is on one device'),
    "dtype": Argument("a `torch.dtype` or its name; `auto` is float32"),
    "torch_dtype": _older("dtype"),
    "revision": Argument("of a model that is named `hub:org/name`"),
    "model_kwargs": _refused("write `dtype` or `device` as arguments of their own", {}),
    "token": _refused("set the environment variable `HF_TOKEN`", False),
    "use_auth_token": _refused("set the environment variable `HF_TOKEN`", False),
    "framework": _ignored("PyTorch computes, or the native engine; there is no other", "pt"),
    "use_fast": _ignored("tokenizers are the fast ones"),
    "trust_remote_code": _ignored("no code of a model's folder is run"),
    "modelcard": _ignored("nothing reads it"),
    "binary_output": _ignored("nothing is written to a file"),
    "pipeline_class": _refused("call `regard.load`, and give the answers your own form"),
    "args_parser": _refused("prepare the inputs before the call"),
}

_EVERY: Arguments = {
    "batch_size": Argument("inputs computed together; of a generator, inputs taken at a time"),
    "num_workers": _ignored("texts are read in the process of the caller"),
}
_INPUTS = Argument("the input, or several", name="inputs")
_READING: Arguments = {
    "truncation": Argument("`True` cuts a text that is too long; `False` refuses it"),
    "max_length": Argument("tokens that are read of a text, special ones included"),
    "padding": Argument("texts that share a batch are padded, which changes no answer"),
}
_LABELS: Arguments = {
    "function_to_apply": Argument("`softmax`, `sigmoid`, `none` or `default`, the model's own"),
}

_OTHERWISE = (
    "write `no_repeat_ngram_size`, `repetition_penalty`, `bad_words_ids`, `top_p` or `min_p`"
)
_GENERATION: Arguments = {
    "max_length": Argument(
        "tokens at most: a language model's prompt counts, and what the decoder of an"
        " encoder–decoder starts from. `max_new_tokens` goes before it, with a warning"
    ),
    "min_length": Argument("tokens before the end, counted as for `max_length`"),
    **{
        FILE_NAMES.get(field.name, field.name): Argument(
            "as `generate` takes it: [Generation](../reference/generation.md)", name=field.name
        )
        for field in fields(GenerationConfig)
        if field.name != "top_logprobs"  # a pipeline's answer has no room for them
    },
    "generation_config": Argument(
        "an object with `to_diff_dict`, or a dictionary; other arguments go before it"
    ),
    **{name: _ignored("it leaves the tokens as they are") for name in NO_EFFECT},
    **{name: _refused(_OTHERWISE, value) for name, value in OFF.items()},
    "streamer": _refused("leave it out; an answer comes whole"),
    "stopping_criteria": _refused("write `stop_strings`, `eos_token_id` or `max_new_tokens`"),
    "max_time": _refused("write `max_new_tokens`"),
    "logits_processor": _BY_GENERATE,
    "prefix_allowed_tokens_fn": _BY_GENERATE,
    "assistant_model": _ignored("it makes the same texts, faster"),
    "synced_gpus": _ignored("a model here is on one device"),
}  # fmt: skip
_TEXT: Arguments = {
    "return_tensors": Argument(
        "`True` gives the ids of tokens (`…_token_ids`) in place of the text: a tensor; of"
        " text-generation a list, the prompt included"
    ),
    "return_text": Argument("the text; `False` needs `return_tensors=True`"),
    "clean_up_tokenization_spaces": Argument("`True` takes away spaces before `.`, `,`, `n't` …"),
    "truncation": Argument(
        "`True` cuts a text that is longer than the model or its tokenizer reads"
    ),
    "tokenizer": _ignored("the model's own is taken"),
}
_TEXT_TO_TEXT: Arguments = _EVERY | _TEXT | {
    "truncation": Argument(
        "`True` cuts a text that is longer than the model or its tokenizer reads; `False` refuses"
        " it. A translation without it is made in parts"
    ),
    "stop_sequence": Argument("the first of its tokens ends the text"),
    **_GENERATION,
    "stop_strings": _refused("write `stop_sequence`"),
}  # fmt: skip
_REWRITING = {"documents": _INPUTS} | _TEXT_TO_TEXT

ARGUMENTS: dict[str, Arguments] = {
    "translation": {
        "src_lang": Argument("the language of the text, as the checkpoint calls it, or `de`"),
        "tgt_lang": Argument("the language to translate into; of a model of one pair, its own"),
    } | _TEXT_TO_TEXT,
    "summarization": _REWRITING,
    "text2text-generation": _TEXT_TO_TEXT,
    "text-generation": {
        "text_inputs": _INPUTS,
        **_EVERY,
        **_TEXT,
        "return_full_text": Argument("`False` leaves the prompt out"),
        "prefix": Argument("put before the prompt; the answer does not have it"),
        "handle_long_generation": Argument("`hole` drops the beginning of a long prompt"),
        "stop_sequence": _older("stop_strings"),
        "stop_strings": Argument("a text, or several; one that is written ends the answer"),
        "continue_final_message": Argument(
            "continues a chat's last message; by default where that is the assistant's"
        ),
        "tokenizer_encode_kwargs": Argument("`truncation`, `max_length`, `padding` of the prompt"),
        "padding": _READING["padding"],
        "add_special_tokens": _refused("leave it out: a prompt has those of its tokenizer", True),
        "skip_special_tokens": _refused("write `return_tensors=True`, and decode the ids", True),
        "tools": _IN_CHAT,
        "documents": _IN_CHAT,
        **_GENERATION,
        "streamer": _refused("call `regard.load(folder).stream(prompt)`"),
        "decoder_start_token_id": _refused("a language model goes on from its prompt"),
    },
    "text-classification": {
        "inputs": Argument("a text, a dictionary of `text` and `text_pair`, or several"),
        **_EVERY,
        "top_k": Argument("labels for a text; `None` gives all"),
        "return_all_scores": Argument("`True` gives all, in the order of the model's labels"),
        **_LABELS,
        **_READING,
    },
    ZERO_SHOT: {
        "sequences": _INPUTS,
        **_EVERY,
        "candidate_labels": Argument("a list, or a text with commas between them"),
        "hypothesis_template": Argument("a sentence with `{}` for the label"),
        "multi_label": Argument("`True` judges each label by itself"),
        "multi_class": _older("multi_label"),
        "truncation": _ignored("a text that is too long is always cut", True),
    },
    "token-classification": {
        "inputs": Argument("a text, or several"),
        **_EVERY,
        "aggregation_strategy": Argument(
            "`none`, `simple`, `first`, `average` or `max`", name="aggregation"
        ),
        "ignore_labels": Argument("labels that are left out; by default `O`"),
        "stride": _ignored("a text that is too long is always read in windows", 0),
        "grouped_entities": _refused('write `aggregation_strategy="simple"`', False),
        "ignore_subwords": _refused('write `aggregation_strategy="first"`', False),
        "offset_mapping": _refused("leave it out; the offsets are known"),
        "is_split_into_words": _refused("join the words with spaces", False),
    },
    "question-answering": {
        "question": Argument("a text or several"),
        "context": Argument("a text, or one for each question"),
        "X": _INPUTS,
        "data": _INPUTS,
        **_EVERY,
        "top_k": Argument("answers to a question"),
        "topk": _older("top_k"),
        "doc_stride": Argument("tokens that a window of the context shares with the one before"),
        "max_answer_len": Argument("tokens of an answer"),
        "max_seq_len": Argument("tokens of a window, the question's included"),
        "max_question_len": Argument("tokens that are read of a question; by default all"),
        "handle_impossible_answer": Argument(
            "`True`: that there is no answer is an answer", name="or_none"
        ),
        "align_to_words": Argument("`False` does not widen an answer to whole words"),
        "padding": _READING["padding"],
    },
    "fill-mask": {
        "inputs": Argument("a text with one mask or more, or several"),
        **_EVERY,
        "targets": Argument("the only words to choose among; of a longer one, its first token"),
        "top_k": Argument("words for a mask"),
        "topk": _older("top_k"),
        "tokenizer_kwargs": Argument("a dictionary of `truncation`, `max_length` and `padding`"),
    },
    "feature-extraction": {
        **_EVERY,
        "truncation": _READING["truncation"],
        "tokenize_kwargs": Argument("a dictionary of `truncation`, `max_length` and `padding`"),
        "return_tensors": Argument("`True` gives a tensor, (1, tokens, d_model)"),
    },
    "image-classification": {
        "inputs": Argument("a file or an image of Pillow, or several; nothing is fetched"),
        "images": _INPUTS,
        **_EVERY,
        "top_k": Argument("labels for an image"),
        **_LABELS,
        "timeout": _ignored("nothing is fetched"),
    },
    "zero-shot-image-classification": {
        "inputs": Argument("a file or an image of Pillow, or several; nothing is fetched"),
        "image": _INPUTS,
        "images": _INPUTS,
        **_EVERY,
        "candidate_labels": Argument("a list, or a text with commas between them"),
        "hypothesis_template": Argument("a sentence with `{}` for the label"),
        "tokenizer_kwargs": _refused("leave it out; a text that is too long is refused"),
        "timeout": _ignored("nothing is fetched"),
    },
}  # fmt: skip


def done_by(task: str) -> str:
    """Return the task whose class does that of a pipeline."""
    return "text-classification" if task == ZERO_SHOT else task


def admitted(
    what: str, known: Arguments, arguments: Mapping[str, Any], *, depth: int = 1
) -> dict[str, Any]:
    """Return the arguments that are taken, by their newer names; one warning for each that is
    ignored.

    Args:
        what: takes them, for a message.
        depth: calls between the user's and this one.

    Raises:
        BadArgumentError: an argument that v4 does not have.
        UnsupportedError: one that is refused; the message says what to write instead.
    """
    taken: dict[str, Any] = {}
    for name, value in arguments.items():
        argument = known.get(name)
        if argument is None:
            raise BadArgumentError(
                f"{what} has no argument {name!r}.{did_you_mean(name, known)}"
                " docs/howto/pipelines.md lists them."
            )
        says = argument.says.replace("`", "")
        if argument.here == "taken":
            taken[argument.name or name] = value
        elif value is None:
            continue
        elif argument.idle is not None and value not in argument.idle:
            raise UnsupportedError(f"{what} does not take {name}={value!r}: {says}.")
        elif argument.here == "ignored":
            warnings.warn(f"{name} is ignored: {says}.", stacklevel=depth + 2)
    return taken


def tables() -> str:
    """Return the arguments of `pipeline` and of each task's calls in Markdown, those of one meaning
    in a row; tasks that take the same share a table."""
    parts = [f"### `pipeline(…)`\n\n{_table(CONSTRUCTOR)}"]
    written = [
        task for task, arguments in ARGUMENTS.items() if arguments.items() >= _TEXT_TO_TEXT.items()
    ]
    parts.append(f"### Calls of {', '.join(written)}\n\n{_table(_TEXT_TO_TEXT)}")
    for task, arguments in ARGUMENTS.items():
        others = {
            k: v for k, v in arguments.items() if task not in written or k not in _TEXT_TO_TEXT
        }
        if others:
            more = " also" if task in written else ""
            parts.append(f"### Calls of {task}{more}\n\n{_table(others)}")
    return "\n\n".join(parts) + "\n"


def _table(arguments: Arguments) -> str:
    rows: dict[tuple[str, str], list[str]] = {}
    for name, argument in arguments.items():
        rows.setdefault((argument.here, argument.says), []).append(f"`{name}`")
    lines = [f"| {', '.join(names)} | {here} | {says} |" for (here, says), names in rows.items()]
    return "\n".join(
        ["| argument | here | meaning, reason or alternative |", "|---|---|---|", *lines]
    )
