"""A translator is scored alike by the command, by training and from Python."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from regard import RegardError
from regard.engine.calibration import Calibration
from regard.tasks.translation.score import (
    TranslationEvaluator,
    dev_figures,
    read_test_set,
)
from regard.tasks.translation.task import Translator
from regard.tasks.translation.train_options import TranslationEvaluationOptions
from regard.training import corpus_scores
from regard.training.sequence_scores import mean_loss

Pairs = list[tuple[str, str]]


def test_a_test_set_is_scored(translator: Translator, made_up: Callable[[int], Pairs]) -> None:
    pairs = made_up(5)
    done: list[int] = []
    options = TranslationEvaluationOptions(num_beams=2, max_new_tokens=9)
    result = TranslationEvaluator(options).score(translator, pairs, progress=done.append)
    translations = translator([source for source, _ in pairs], num_beams=2, max_new_tokens=9)
    scores = corpus_scores(translations, [target for _, target in pairs])
    assert result.translations == translations
    assert result.corpus == scores
    assert result.loss == mean_loss(translator, pairs)
    assert (len(result), result.num_beams, sum(done)) == (5, 2, 5)
    assert result.sentences_per_second > 0


def test_the_pairs_of_a_test_set_are_read(tmp_path: Path) -> None:
    file = tmp_path / "test.tsv"
    file.write_text("a dog\tein Hund\n\ta line without a source\n")
    assert read_test_set(file) == [("a dog", "ein Hund")]
    file.write_text("\ta line without a source\n")
    with pytest.raises(
        RegardError, match=r"no sentence pairs; one per line was expected\. Check that"
    ):
        read_test_set(file)


def test_figures_are_of_the_sentences_that_were_translated(
    translator: Translator, made_up: Callable[[int], Pairs]
) -> None:
    pairs = made_up(11)
    figures, _ = dev_figures(translator, pairs, sentences=4)
    spread = [pairs[k] for k in (0, 2, 5, 8)]
    # A translation may be ten tokens longer than the longest reference.
    limit = 10 + max(len(translator.tokenizers.target.encode(t)) for _, t in spread)
    options = {"num_beams": 1, "max_new_tokens": limit, "cut_repetition": False}
    hypotheses = translator([s for s, _ in spread], **options)
    scores = corpus_scores(hypotheses, [target for _, target in spread])
    assert (figures["bleu"], figures["chrf"]) == (scores.bleu, scores.chrf)
    assert figures["distinct"] == len(set(hypotheses)) / 4
    assert figures["sentences"] == 4
    assert figures["loss"] == mean_loss(translator, pairs)
    assert not math.isnan(figures["loss"])


def test_the_sources_of_a_list_are_scored_one_by_one(
    translator: Translator, made_up: Callable[[int], Pairs], write: Any, tmp_path: Path
) -> None:
    pairs = made_up(8)
    for name, part in (("one", pairs[:5]), ("two", pairs[5:])):
        write(tmp_path / f"{name}.tsv", part)
    (tmp_path / "tests.toml").write_text(
        '[[source]]\npairs = "one.tsv"\n[[source]]\npairs = "two.tsv"\nname = "second"\n'
    )
    options = TranslationEvaluationOptions(num_beams=1, max_new_tokens=9)
    evaluator = TranslationEvaluator(options)
    data = evaluator.read(str(tmp_path / "tests.toml"))
    assert data == pairs
    report = evaluator.report(translator, data)
    parts = report.content()["sources"]
    assert {name: part["sentences"] for name, part in parts.items()} == {"one": 5, "second": 3}
    alone = evaluator.report(translator, pairs[5:])
    assert parts["second"]["chrf"] == pytest.approx(alone.content()["chrf"])
    assert alone.content().keys() == report.content().keys() - {"sources"}
    assert any(line.startswith("  second  BLEU ") for line in report.lines())


def test_a_list_of_several_languages_is_read_for_one_and_in_its_direction(
    made_up: Callable[[int], Pairs], write: Any, tmp_path: Path
) -> None:
    pairs = made_up(4)
    write(tmp_path / "pairs.tsv", pairs)
    there = '[[source]]\npairs = "pairs.tsv"\n'
    (tmp_path / "both.toml").write_text(
        f'{there}language = "de"\n{there}language = "en"\nsource_language = "de"\nreverse = true\n'
    )
    back = TranslationEvaluator(TranslationEvaluationOptions(target_language="en"))
    assert back.read(str(tmp_path / "both.toml")) == [(target, source) for source, target in pairs]
    every = TranslationEvaluator(TranslationEvaluationOptions()).read(str(tmp_path / "both.toml"))
    assert len(every) == 8


def test_a_mark_under_no_word_has_no_precision(
    translator: Translator, recwarn: pytest.WarningsRecorder
) -> None:
    sure = translator.decoding_by(calibration=Calibration(unsure_below=1e-9))
    options = TranslationEvaluationOptions(num_beams=1, max_new_tokens=3)
    report = TranslationEvaluator(options).report(sure, [("ba be", "ba be")])
    assert any(line.endswith("no word is marked") for line in report.lines())
    assert "nan" not in "".join(report.lines()).lower()
    assert json.loads(report.as_json())["mark_precision"] is None
    assert not [each for each in recwarn.list if each.category is RuntimeWarning]
