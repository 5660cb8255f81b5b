"""Cross-validation holds each row out once, trains on all rows in the end, and can be resumed."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file

import regard
from regard import RegardError
from regard.checkpoints.card import read_card
from regard.tasks.classification.train_options import ClassificationOptions
from regard.tasks.question_answering.task import Answerer
from regard.training.examples import read_examples
from regard.training.folds import CrossValidation

SHORT = {"folds": 3, "max_steps": 4, "warmup": 1, "evaluate_every": 2}


@pytest.fixture(scope="module")
def small(labeled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Thirty of the texts, of both labels."""
    path = tmp_path_factory.mktemp("small") / "texts.csv"
    header, *lines = labeled.read_text().splitlines()
    path.write_text("\n".join([header, *lines[::9][:30]]) + "\n")
    return path


@pytest.fixture(scope="module")
def validated(small: Path, classify: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    output = tmp_path_factory.mktemp("validated")
    return output, *classify(small, output, **SHORT)


def texts(folder: Path, part: str) -> set[str]:
    return {example.text for example in read_examples(folder / "data" / f"{part}.jsonl")}


def test_each_row_is_held_out_once_and_the_model_has_them_all(validated: Any) -> None:
    output, _, said = validated
    every = texts(output, "train")
    assert len(every) == 30
    held = [texts(output / f"folds/{number}", "dev") for number in (1, 2, 3)]
    assert [len(part) for part in held] == [10, 10, 10]
    assert set.union(*held) == every
    for number, part in enumerate(held, 1):
        assert texts(output / f"folds/{number}", "train") == every - part
    for folder in (output, output / "folds/1"):
        assert texts(folder, "test") == set()
    assert "30 to train on, in 3 folds of 10, 0 test" in said
    assert [sentence for sentence in said if sentence.startswith("fold")] == [
        "fold 1 of 3", "fold 2 of 3", "fold 3 of 3",
    ]  # fmt: skip


def test_each_label_is_spread_over_the_folds(validated: Any) -> None:
    for number in (1, 2, 3):
        examples = read_examples(validated[0] / f"folds/{number}/data/dev.jsonl")
        assert 4 <= sum(example.targets == ["good"] for example in examples) <= 6


def test_the_card_has_the_mean_and_interval_of_the_last_models(validated: Any) -> None:
    output, progress, said = validated
    logs = [(output / f"folds/{number}/log.jsonl").read_text() for number in (1, 2, 3)]
    last = [json.loads(log.splitlines()[-1]) for log in logs]
    assert [entry["step"] for entry in last] == [4, 4, 4]
    result = CrossValidation([entry["figures"] for entry in last], {"loss": "dev loss {:.3f}"})
    mean, low, high = result.bounds["loss"]
    assert mean == pytest.approx(np.mean([entry["figures"]["loss"] for entry in last]))
    assert low < mean < high
    facts = read_card(output / "model")
    assert facts["cross_validation"]["folds"] == 3
    assert facts["cross_validation"]["figures"]["loss"] == round(mean, 4)
    assert facts["cross_validation"]["intervals"]["loss"] == [round(low, 4), round(high, 4)]
    assert "dev" not in facts
    assert progress.figures == {}
    line = f"3 folds, mean and 95 % interval over folds: loss {mean:.3f} ({low:.3f} to {high:.3f})"
    assert any(sentence.startswith(line) for sentence in said)
    assert f"- {line}" in (output / "model" / "README.md").read_text()


@pytest.mark.long("trains")
def test_an_interrupted_validation_resumes_to_the_same_bits(
    validated: Any, small: Path, classify: Any, tmp_path: Path
) -> None:
    steps = 0

    def interrupt(event: str, progress: Any) -> None:
        nonlocal steps
        steps += event == "step"
        if steps == 7:  # in the second fold, after its first evaluation
            raise InterruptedError

    with pytest.raises(InterruptedError):
        classify(small, tmp_path, watch=interrupt, **SHORT)
    assert not (tmp_path / "model").exists()
    events: list[tuple[str, int]] = []
    classify(small, tmp_path, watch=lambda e, progress: events.append((e, progress.step)), **SHORT)
    assert events[:3] == [("resume", 4), ("resume", 2), ("step", 3)]
    for path in ("model", "folds/2/model"):
        weights, others = (load_file(folder / path / "model.safetensors")
                           for folder in (validated[0], tmp_path))  # fmt: skip
        assert all(torch.equal(weight, others[name]) for name, weight in weights.items())
    assert (
        read_card(tmp_path / "model")["cross_validation"]
        == (read_card(validated[0] / "model")["cross_validation"])
    )


def test_another_number_of_folds_is_another_run(validated: Any, small: Path, classify: Any) -> None:
    for folds in (2, None):
        with pytest.raises(RegardError, match="another `output` to start a new run"):
            classify(small, validated[0], **SHORT | {"folds": folds})


def test_folds_that_cannot_be_are_refused_before_a_step(
    small: Path, classify: Any, tmp_path: Path
) -> None:
    with pytest.raises(RegardError, match=r"^folds must be at least 2; got 1\.$"):
        ClassificationOptions(folds=1)
    with pytest.raises(RegardError, match=r"^folds holds out .* Give folds or dev\.$"):
        ClassificationOptions(folds=3, dev="dev.csv")
    with pytest.raises(RegardError, match=r"^folds must be at most 30, .*; got 31\."):
        classify(small, tmp_path, folds=31)
    assert not (tmp_path / "run.json").exists()


@pytest.mark.long("trains")
def test_a_test_file_is_trained_on_by_no_fold_and_scored_by_the_last_model(
    small: Path, classify: Any, tmp_path: Path
) -> None:
    header, *lines = small.read_text().splitlines()
    test = tmp_path / "test.csv"
    test.write_text("\n".join([header, *lines[:4]]) + "\n")
    classify(small, tmp_path / "run", test=str(test), **SHORT)
    tested = texts(tmp_path / "run", "test")
    assert len(tested) == 4
    for folder in (tmp_path / "run", *(tmp_path / "run/folds").iterdir()):
        assert not tested & (texts(folder, "train") | texts(folder, "dev"))
        assert len(texts(folder, "train")) in (26, 18, 17)


@pytest.mark.long("trains")
def test_every_task_with_the_option_can_be_validated(tmp_path: Path) -> None:
    words = "".join(f"the\tO\n{animal}\tB-ANI\n\n" for animal in ("dog", "cat", "cow", "hen"))
    (tmp_path / "words.conll").write_text(words)
    (tmp_path / "pairs.tsv").write_text(
        "text\tpair\n" + "".join(f"{n} dogs\t{n} Hunde\n" for n in range(6))
    )
    (tmp_path / "questions.tsv").write_text(
        "question\tcontext\tanswer\n"
        + "".join(f"who?\tthe man number {n} came\tman\n" for n in range(5))
        + "".join(f"when?\tthe man number {n} came\t\n" for n in range(5))
    )
    options: dict[str, Any] = SHORT | {"folds": 2, "preset": "tiny", "precision": "fp32"}
    for task, data, figure in (
        ("token-classification", "words.conll", "accuracy"),
        ("embedding", "pairs.tsv", "mrr"),
        ("question-answering", "questions.tsv", "f1"),
    ):
        regard.train(task, tmp_path / data, tmp_path / task, **options)
        result = read_card(tmp_path / task / "model")["cross_validation"]
        low, high = result["intervals"][figure]
        assert low <= result["figures"][figure] <= high
    model = regard.load(str(tmp_path / "question-answering/model"))
    assert isinstance(model, Answerer)
    thresholds = [
        read_card(tmp_path / f"question-answering/folds/{number}/model")["dev"]["threshold"]
        for number in (1, 2)
    ]
    assert model.settings.no_answer_threshold == pytest.approx(np.mean(thresholds), abs=1e-4)
