"""The table of arguments: each is called as it says, and the page of the documentation holds it."""

import re
import runpy
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import regard
from regard import BadArgumentError, UnsupportedError
from regard.checkpoints import shipped
from regard.tasks.pipelines.arguments import ARGUMENTS, CONSTRUCTOR

image = pytest.importorskip("PIL.Image")

ROOT = Path(__file__).parents[3]
CONTEXT = "Anna lives in the red house near the river in Vienna."
PICTURE = image.radial_gradient("L").convert("RGB")
INPUT: dict[str, Any] = {
    "text-generation": "ROMEO:",
    "question-answering": {"question": "Where is the red house?", "context": CONTEXT},
    "fill-mask": "the [MASK] house",
    "image-classification": PICTURE,
    "zero-shot-image-classification": PICTURE,
}
GENERATED: dict[str, dict[str, Any]] = {
    name: {name: value}
    for name, value in {
        "max_length": 9, "max_new_tokens": 3,
        "num_beams": 4, "repetition_penalty": 9.0, "no_repeat_ngram_size": 1, "do_sample": True,
        "forced_bos_token_id": 7, "forced_beginning": [7, 9], "decoder_start_token_id": 7,
        "generation_config": {"max_new_tokens": 3},
        "return_tensors": True, "truncation": False,
    }.items()
} | {
    "batch_size": {"batch_size": 3},
    "num_beams": {"num_beams": 4, "no_repeat_ngram_size": 1},
    "pad_token_id": {"pad_token_id": 5},
    "renormalize_logits": {"renormalize_logits": True},
    "num_return_sequences": {"num_beams": 4, "num_return_sequences": 2},
    "temperature": {"do_sample": True, "seed": 1, "temperature": 9.0},
    "top_k": {"do_sample": True, "seed": 1, "top_k": 1},
    "top_p": {"do_sample": True, "seed": 1, "top_p": 0.01},
    "min_p": {"do_sample": True, "seed": 1, "min_p": 0.99},
    "seed": {"do_sample": True, "seed": 1},
    "forced_eos_token_id": {"max_new_tokens": 3, "forced_eos_token_id": 9},
    "return_text": {"return_tensors": True, "return_text": True},
}  # fmt: skip
EVERY: dict[str, dict[str, Any]] = {"batch_size": {"batch_size": 3}, "padding": {"padding": True}}
READ = {"truncation": True, "max_length": 4}
SHORTER = GENERATED | {"length_penalty": {"num_beams": 4, "length_penalty": -9.0}}
# Of each task: the argument → a call with it, whose answer differs without it.
EXAMPLES: dict[str, dict[str, dict[str, Any]]] = {
    "translation": SHORTER
    | {
        "src_lang": {"src_lang": "en", "return_tensors": True, "min_length": 9},
        "tgt_lang": {"tgt_lang": "en", "return_tensors": True},
        "truncation": {"truncation": True},
    },
    "summarization": SHORTER,
    "text2text-generation": SHORTER,
    "text-generation": GENERATED
    | {
        "do_sample": {"do_sample": False},
        "return_full_text": {"return_full_text": False},
        "prefix": {"prefix": "a red house "},
        "handle_long_generation": {"max_new_tokens": 60, "handle_long_generation": "hole"},
        "padding": {"padding": True},
        "stop_strings": {"stop_strings": ["e"]},
        "continue_final_message": {"continue_final_message": True},
        "tokenizer_encode_kwargs": {"tokenizer_encode_kwargs": READ},
        "truncation": {"truncation": True, "max_new_tokens": 3},
    },
    "text-classification": EVERY
    | {
        "top_k": {"top_k": None},
        "return_all_scores": {"return_all_scores": True},
        "function_to_apply": {"function_to_apply": "none"},
        "max_length": {"max_length": 4},
        "truncation": {"truncation": False},
    },
    "zero-shot-classification": EVERY
    | {
        "candidate_labels": {"candidate_labels": "dog, house"},
        "hypothesis_template": {"candidate_labels": "a, b", "hypothesis_template": "the {} dog"},
        "multi_label": {"candidate_labels": "dog, house", "multi_label": True},
    },
    "token-classification": EVERY
    | {
        "aggregation_strategy": {"aggregation_strategy": "simple"},
        "ignore_labels": {"ignore_labels": [f"LABEL_{k}" for k in range(5)]},
    },
    "question-answering": EVERY
    | {
        "question": {"question": "who ?"},
        "context": {"context": "a dog"},
        "top_k": {"top_k": 3},
        "doc_stride": {"max_seq_len": 18, "doc_stride": 1},
        "max_answer_len": {"top_k": 99, "max_answer_len": 1},
        "max_seq_len": {"max_seq_len": 18, "doc_stride": 1},
        "max_question_len": {"max_question_len": 1},
        "handle_impossible_answer": {"top_k": 99, "handle_impossible_answer": True},
        "align_to_words": {"top_k": 99, "align_to_words": False},
    },
    "fill-mask": EVERY
    | {
        "targets": {"targets": ["dog"]},
        "top_k": {"top_k": 2},
        "tokenizer_kwargs": {"tokenizer_kwargs": READ},
    },
    "feature-extraction": EVERY
    | {
        "tokenize_kwargs": {"tokenize_kwargs": READ},
        "return_tensors": {"return_tensors": True},
        "truncation": {"truncation": False},
    },
    "image-classification": EVERY
    | {
        "top_k": {"top_k": 2},
        "function_to_apply": {"function_to_apply": "sigmoid"},
    },
    "zero-shot-image-classification": EVERY
    | {
        "candidate_labels": {"candidate_labels": "dog, cat"},
        "hypothesis_template": {"candidate_labels": "a, cat", "hypothesis_template": "{} tree"},
    },
}
# These change no answer: how many are computed together, and what a batch is filled with.
SILENT = {"batch_size", "padding", "pad_token_id", "renormalize_logits"}
LONG = ("truncation", "handle_long_generation")  # arguments about texts that are too long
# Shipped models write, whose answers are known: what random weights write may be the same.
SHIPPED = dict.fromkeys(("translation", "summarization", "text2text-generation"), "en-de") | {
    "text-generation": "shakespeare"
}
GREEDY: dict[str, dict[str, Any]] = {task: {"num_beams": 1, "do_sample": False} for task in SHIPPED}
BRIEF: dict[str, dict[str, Any]] = {task: {"max_new_tokens": 3} for task in SHIPPED}
ENOUGH = {"max_new_tokens": 40}  # to see that an answer differs
TEXT = "The small dog in the garden is looking at the other dog in the street."
REPEATING = "The small dog is looking at the other dog."
Pipes = Callable[[str], Any]
LENGTHS = {"max_length", "max_new_tokens", "generation_config"}  # say how long an answer may be


@pytest.fixture(scope="module")
def plain() -> dict[str, Any]:
    """The answers without the argument: most arguments of a task differ from the same one."""
    return {}


@pytest.fixture(scope="module")
def pipes(folders: dict[str, Path]) -> Pipes:
    made: dict[str, Any] = {}

    def of(task: str) -> Any:
        options = {
            each: {"candidate_labels": "a"} for each in ARGUMENTS if each.startswith("zero-shot")
        }
        if task not in made:
            name = SHIPPED.get(task)
            folder = shipped.SHIPPED[name].folder if name else folders[task]
            made[task] = regard.pipeline(task, folder, **options.get(task, {}))
        return made[task]

    return of


def said(call: Callable[[], Any]) -> tuple[Any, list[str]]:
    """The answer of a call, or its refusal, and its warnings."""
    torch.manual_seed(3)
    np.random.seed(3)  # noqa: NPY002 - the generator of an engine without torch
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            answer = call()
        except BadArgumentError as error:
            answer = error
    return answer, [str(each.message) for each in caught]


def of_kind(here: str) -> list[tuple[str, str]]:
    """Task and name of each argument: of several that say the same and are called in the same way,
    one, of the task that has the fewest so far."""
    alike: dict[str, list[tuple[str, str]]] = {}
    for task, arguments in ARGUMENTS.items():
        for name, argument in arguments.items():
            if argument.here == here:
                example = EXAMPLES[task].get(argument.name or name) if here == "taken" else None
                alike.setdefault(f"{name} {argument} {example}", []).append((task, name))
    chosen: list[tuple[str, str]] = []
    for cases in sorted(alike.values(), key=len):
        chosen.append(min(cases, key=lambda case: sum(task == case[0] for task, _ in chosen)))
    return chosen


@pytest.mark.parametrize(("task", "name"), of_kind("taken"))
def test_an_argument_that_is_taken_changes_the_answer(
    task: str, name: str, pipes: Pipes, folders: dict[str, Path], plain: dict[str, Any]
) -> None:
    newer, given = ARGUMENTS[task][name].name or name, INPUT.get(task, TEXT)
    newer = name if name in EXAMPLES[task] else newer
    pipe = pipes(task)
    if newer in ("src_lang", "tgt_lang"):
        pipe = regard.pipeline(task, folders[task], src_lang="fr_XX", tgt_lang="de_DE")
        given = "the dog"
    elif newer == "continue_final_message":
        given = [{"role": "user", "content": "the dog"}]
        pipe = regard.pipeline(task, folders[task])
    if newer == "no_repeat_ngram_size":
        given = REPEATING
    if newer in LONG:
        given = " ".join([given] * 60)
    if newer == "inputs":
        greedy = GREEDY.get(task, {})
        assert repr(pipe(**{name: given}, **greedy)) == repr(pipe(given, **greedy))
        return
    example = EXAMPLES[task].get(newer) or _made_from(pipe, given, newer)
    without = {key: value for key, value in example.items() if key != newer}
    if newer != "do_sample":
        without = GREEDY.get(task, {}) | without  # an answer that is drawn changes by itself
    if task in SHIPPED and not LENGTHS & {*example, newer}:
        without |= ENOUGH
    options, call = without | {name: example[newer]}, [given]
    if isinstance(given, dict) and newer in given and task == "question-answering":
        call, options, without = [], given | options, given
    answer, warned = said(lambda: pipe(*call, **options))
    assert warned == []
    case = f"{id(pipe)} {given!r} {without!r}"
    if case not in plain:
        plain[case] = repr(said(lambda: pipe(given, **without))[0])
    same = repr(answer) == plain[case]
    assert same == (newer in SILENT)


def _made_from(pipe: Any, given: Any, name: str) -> dict[str, Any]:
    """An example that depends on what the model writes, of an argument about its end."""
    options = {"return_tensors": True, "num_beams": 1, "do_sample": False} | ENOUGH
    [[ids]] = ([*found.values()] for found in pipe(given, **options))
    tokenizer = getattr(pipe.runner, "tokenizer", None) or pipe.runner.tokenizers.target
    token = int(ids[-len(ids) // 3])
    words = [int(k) for k in ids if tokenizer.encode(tokenizer.decode([int(k)])) == [int(k)]]
    early = {"eos_token_id": token}
    examples: dict[str, dict[str, Any]] = {
        "bad_words_ids": {"bad_words_ids": [[token]]},
        "suppress_tokens": {"suppress_tokens": [token]},
        "begin_suppress_tokens": {"begin_suppress_tokens": [int(k) for k in ids]},
        "timestamps_from": {"timestamps_from": token},
        "max_initial_timestamp_index": {
            "timestamps_from": 5,
            "max_initial_timestamp_index": 0,
        },
        "eos_token_id": early,
        "clean_up_tokenization_spaces": {
            "forced_beginning": tokenizer.encode("so ."),
            "clean_up_tokenization_spaces": True,
        },
        "forced_phrases": {"num_beams": 4, "forced_phrases": [[tokenizer.encode("so .")]]},
        "cut_repetition": {
            "forced_beginning": tokenizer.encode(" ".join(["so"] * 20)),
            "max_new_tokens": 90,
            "cut_repetition": True,
        },
        "stop_sequence": {"stop_sequence": tokenizer.decode([words[-1]])},
        "min_length": early | {"min_length": 30},
        "min_new_tokens": early | {"min_new_tokens": 30},
        "length_penalty": early | {"num_beams": 4, "length_penalty": 9.0},
        "early_stopping": early | {"num_beams": 4, "length_penalty": 9.0, "early_stopping": True},
    }
    return examples[name]


@pytest.mark.parametrize(("task", "name"), of_kind("ignored"))
def test_an_argument_that_is_ignored_says_so_once_and_changes_nothing(
    task: str, name: str, pipes: Pipes
) -> None:
    pipe, given = pipes(task), INPUT.get(task, TEXT)
    argument, greedy = ARGUMENTS[task][name], GREEDY.get(task, {}) | BRIEF.get(task, {})
    value = argument.idle[0] if argument.idle else 3
    answer, warned = said(lambda: pipe([given, given], **{name: value}, **greedy))
    assert answer == pipe([given, given], **greedy)
    assert [warning.split(":")[0] for warning in warned] == [f"{name} is ignored"]


@pytest.mark.parametrize(("task", "name"), of_kind("refused"))
def test_an_argument_that_is_refused_says_what_to_write(task: str, name: str, pipes: Pipes) -> None:
    pipe, argument, brief = pipes(task), ARGUMENTS[task][name], BRIEF.get(task, {})
    with pytest.raises(UnsupportedError) as refused:
        pipe(INPUT.get(task, TEXT), **{name: "other"})
    assert argument.says.replace("`", "") in str(refused.value)
    assert f"{name}='other'" in str(refused.value)
    for idle in (None, *(argument.idle or ())):
        assert said(lambda: pipe(INPUT.get(task, TEXT), **{name: idle}, **brief))[1] == []  # noqa: B023


def test_the_page_holds_the_table() -> None:
    tool = runpy.run_path(str(ROOT / "tools" / "pipeline_arguments.py"))
    page = (ROOT / "docs" / "howto" / "pipelines.md").read_text("utf-8")
    assert page == tool["page"](), "run `python tools/pipeline_arguments.py`"
    for arguments in (CONSTRUCTOR, *ARGUMENTS.values()):
        for name, argument in arguments.items():
            rows = [row for row in page.splitlines() if f"`{name}`" in f"{row}||".split("|")[1]]
            assert f"| {argument.here} | {argument.says} |" in "".join(rows)


def test_every_argument_of_the_constructor_does_what_the_table_says(
    folders: dict[str, Path], no_network: list[str]
) -> None:
    folder = folders["text-classification"]
    ours = regard.pipeline("text-classification", folder)("the dog")
    taken: dict[str, Any] = dict.fromkeys(
        ("config", "tokenizer", "feature_extractor", "image_processor", "processor"), str(folder)
    ) | {"device": -1, "dtype": torch.float64, "torch_dtype": "float64", "revision": "main"}
    called = {"task", "model"}
    for name, argument in CONSTRUCTOR.items():
        make = partial(regard.pipeline, "text-classification", folder)
        if argument.here == "taken" and name not in called:
            pipe, warned = said(lambda: make(**{name: taken[name]}))  # noqa: B023
            assert warned == []
            assert close(pipe("the dog"), ours)
            assert pipe.runner.model.head.output.weight.dtype == (
                torch.float64 if "dtype" in name else torch.float32
            )
        elif argument.here == "ignored":
            value = argument.idle[0] if argument.idle else True
            pipe, warned = said(lambda: make(**{name: value}))  # noqa: B023
            assert [each.split(":")[0] for each in warned] == [f"{name} is ignored"]
            assert pipe("the dog") == ours
        elif argument.here == "refused":
            with pytest.raises(UnsupportedError, match=re.escape(argument.says.replace("`", ""))):
                make(**{name: "other"})
    for name in ("tokenizer", "config"):
        with pytest.raises(UnsupportedError, match=f"{name} must be that of the model's folder"):
            regard.pipeline("text-classification", folder, **{name: "elsewhere"})
    with pytest.raises(UnsupportedError, match="framework='tf'"):
        regard.pipeline("text-classification", folder, framework="tf")
    with pytest.raises(BadArgumentError, match="revision needs a model that is named hub:org/name"):
        regard.pipeline("text-classification", folder, revision="v2")
    with pytest.raises(BadArgumentError, match="of floats, or its name; got 'float17'"):
        regard.pipeline("text-classification", folder, dtype="float17")
    assert no_network == []


def close(ours: Any, theirs: Any) -> bool:
    return [each["label"] for each in ours] == [each["label"] for each in theirs] and all(
        abs(a["score"] - b["score"]) < 1e-5 for a, b in zip(ours, theirs, strict=True)
    )


def test_an_unknown_argument_is_refused_with_the_nearest(folders: dict[str, Path]) -> None:
    pipe = regard.pipeline("summarization", folders["summarization"])
    with pytest.raises(
        BadArgumentError,
        match=r"of summarization has no argument 'max_lenght'\. Did you mean 'max_length'",
    ):
        pipe("the dog", max_lenght=9)
    with pytest.raises(BadArgumentError, match="of summarization has no argument 'topk'"):
        regard.pipeline("summarization", folders["summarization"], topk=9)
