"""Summaries are scored beside the beginnings of their documents."""

from typing import Any

import pytest

from regard import RegardError
from regard.tasks.summarization.score import (
    SummaryEvaluator,
    first_sentence,
    lead_scores,
    lead_words,
    rouge,
)
from regard.tasks.summarization.task import Summarizer
from regard.tasks.summarization.train_options import SummaryEvaluationOptions
from regard.training.examples import Example

pytest.importorskip("rouge_score")

EXAMPLES = [
    Example("The dog sees a tree. It is old.", None, ["the dog sees", "an old tree"]),
    Example("A red house stands there. It burns.", None, ["the red house burns"]),
]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("One. Two.", "One."),
        (" No end here ", "No end here"),
        ("Wait… what? Yes.", "Wait…"),
        ("Version 1.5 is out! Get it.", "Version 1.5 is out!"),
        ("पहला वाक्य। दूसरा।", "पहला वाक्य।"),
        ("一。二。", "一。"),
    ],
)
def test_a_sentence_ends_at_its_mark(text: str, first: str) -> None:
    assert first_sentence(text) == first


def test_the_baselines_are_the_documents_beginnings() -> None:
    references = [example.targets for example in EXAMPLES]
    scores = lead_scores(EXAMPLES, 3)
    leads = {
        "first sentence": ["The dog sees a tree.", "A red house stands there."],
        "first 3 words": ["The dog sees", "A red house"],
    }
    assert {name: table.figures for name, table in scores.items()} == {
        name: rouge(texts, references).figures for name, texts in leads.items()
    }
    assert scores["first 3 words"].figures["rouge1"] == pytest.approx((100 + 200 * 2 / 7) / 2)


def test_an_evaluation_has_the_summaries_and_their_scores(translator: Any) -> None:
    summarizer = Summarizer(translator.model, translator.tokenizers, max_source_length=6)
    done: list[int] = []
    evaluator = SummaryEvaluator(SummaryEvaluationOptions(max_new_tokens=5))
    result = evaluator.score(summarizer, EXAMPLES, progress=done.append)
    assert result.summaries == summarizer([each.text for each in EXAMPLES], max_new_tokens=5)
    assert (result.truncated, sum(done)) == (2, 2)
    report = evaluator.report(summarizer, EXAMPLES)
    expected = rouge(result.summaries, [example.targets for example in EXAMPLES])
    assert report.figures == expected.figures
    assert report.intervals["rougeL"] == tuple(end["rougeL"] for end in expected.ends)
    assert lead_words(EXAMPLES) == 3
    assert report.baselines["first 3 words"] == lead_scores(EXAMPLES, 3)["first 3 words"].figures
    assert report.note.startswith("2 documents cut; ")


def test_no_documents_are_refused(translator: Any) -> None:
    with pytest.raises(RegardError, match="at least one document"):
        SummaryEvaluator(SummaryEvaluationOptions()).score(
            Summarizer(translator.model, translator.tokenizers), []
        )
