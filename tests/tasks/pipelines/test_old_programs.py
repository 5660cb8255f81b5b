"""Calls as tutorials and issues of transformers v4 write them, against what they printed there."""

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

import regard

transformers = pytest.importorskip("transformers")
image = pytest.importorskip("PIL.Image")

ARTICLE = "A man is looking at the dog."
CONTEXT = "Anna lives in the red house near the river in Vienna."
Call = Callable[[Callable[..., Any], dict[str, str]], Any]

# A program, with `pipeline` and the models' folders → the form of what it gives: keys and nesting.
PROGRAMS: list[tuple[Call, Any]] = [
    (lambda pipeline, at: pipeline("summarization", model=at["summarization"])(
        ARTICLE, max_length=30, min_length=10, do_sample=False), [{"summary_text": str}]),
    (lambda pipeline, at: pipeline("summarization", model=at["summarization"], device=-1)(
        ARTICLE, max_length=20, min_length=5, truncation=True)[0]["summary_text"], str),
    (lambda pipeline, at: pipeline(
        "summarization", model=at["summarization"], tokenizer=at["summarization"], framework="pt"
    )([ARTICLE, ARTICLE], max_length=20, clean_up_tokenization_spaces=True),
     [{"summary_text": str}] * 2),
    (lambda pipeline, at: pipeline("summarization", model=at["summarization"], truncation=True)(
        ARTICLE * 30, max_length=12, num_beams=4, early_stopping=True), [{"summary_text": str}]),
    (lambda pipeline, at: pipeline("summarization", model=at["summarization"])(
        ARTICLE, return_tensors=True, max_length=9), [{"summary_token_ids": torch.Tensor}]),
    (lambda pipeline, at: pipeline("translation_en_to_de")("How old are you?"),
     [{"translation_text": str}]),
    (lambda pipeline, at: pipeline("translation_en_to_de", model="en-de")(
        "Hugging Face is a technology company based in New York and Paris", max_length=40),
     [{"translation_text": str}]),
    (lambda pipeline, at: pipeline("translation", model=at["translation"])(
        ARTICLE, src_lang="en_XX", tgt_lang="fr_XX"), [{"translation_text": str}]),
    (lambda pipeline, at: pipeline(
        "translation", model=at["translation"], src_lang="en_XX", tgt_lang="de_DE", max_length=30
    )([ARTICLE, ARTICLE], batch_size=2), [{"translation_text": str}] * 2),
    (lambda pipeline, at: pipeline("text2text-generation", at["text2text-generation"])(
        "answer: Manuel context: a dog", num_return_sequences=2, num_beams=2, max_length=9),
     [{"generated_text": str}] * 2),
    (lambda pipeline, at: pipeline("text-generation", model=at["text-generation"])(
        "the small dog", max_length=30, num_return_sequences=3, do_sample=True),
     [{"generated_text": str}] * 3),
    (lambda pipeline, at: pipeline("text-generation", model=at["text-generation"])(
        "the dog", max_new_tokens=9, return_full_text=False, pad_token_id=0, temperature=0.7,
        do_sample=True, top_k=50, top_p=0.95)[0]["generated_text"], str),
    (lambda pipeline, at: pipeline("text-generation", at["text-generation"], torch_dtype="auto")(
        [{"role": "user", "content": "the dog"}], max_new_tokens=5)[0]["generated_text"][-1],
     {"role": str, "content": str}),
    (lambda pipeline, at: pipeline("sentiment-analysis", model=at["text-classification"])(
        "We are very happy."), [{"label": str, "score": float}]),
    (lambda pipeline, at: pipeline(
        "text-classification", model=at["text-classification"], return_all_scores=True
    )("I love it"), [[{"label": str, "score": float}] * 5]),
    (lambda pipeline, at: pipeline("sentiment-analysis", at["text-classification"])(
        ["the dog", "the house"], padding=True, truncation=True, max_length=16, batch_size=8),
     [{"label": str, "score": float}] * 2),
    (lambda pipeline, at: pipeline("zero-shot-classification", at["zero-shot-classification"])(
        ARTICLE, candidate_labels=["politics", "dogs"], multi_label=True)["labels"], [str, str]),
    (lambda pipeline, at: pipeline("question-answering", model=at["question-answering"])(
        question="Where does Anna live?", context=CONTEXT),
     {"score": float, "start": int, "end": int, "answer": str}),
    (lambda pipeline, at: pipeline("question-answering", at["question-answering"])(
        {"question": "Where?", "context": CONTEXT}, topk=2, handle_impossible_answer=True,
        max_answer_len=5), [{"score": float, "start": int, "end": int, "answer": str}] * 2),
    (lambda pipeline, at: pipeline("fill-mask", model=at["fill-mask"], top_k=2)("the [MASK] dog"),
     [{"score": float, "token": int, "token_str": str, "sequence": str}] * 2),
    (lambda pipeline, at: torch.tensor(pipeline("feature-extraction", at["feature-extraction"])(
        "the dog")).shape[0], int),
    (lambda pipeline, at: pipeline("image-classification", at["image-classification"])(
        images=image.radial_gradient("L").convert("RGB"), top_k=3),
     [{"label": str, "score": float}] * 3),
    (lambda pipeline, at: [out["label"] for out in pipeline(
        "text-classification", at["text-classification"], batch_size=4)(
            text for text in ["the dog", "the house"])], [str, str]),
]  # fmt: skip


def has(found: Any, form: Any) -> bool:
    """Return whether a value has these keys, this nesting and these types."""
    if isinstance(form, dict):
        return list(found) == list(form) and all(has(found[key], form[key]) for key in form)
    if isinstance(form, list):
        return type(found) is list and len(found) == len(form) and all(map(has, found, form))
    return isinstance(found, form)


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_an_old_program_runs_as_it_was_written(number: int, folders: dict[str, Path]) -> None:
    program, form = PROGRAMS[number]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = program(regard.pipeline, {task: str(folder) for task, folder in folders.items()})
    assert has(found, form), found
    said = [str(each.message) for each in caught]
    assert all("framework is ignored" in each for each in said), said
    assert len(said) == (number == 2)
