"""Fine-tuning on a small file begins at the logistic regression on the model's own vectors."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import regard
from regard.tasks.classification.train_options import ClassificationOptions
from regard.tasks.images.train_options import ImageClassificationOptions
from regard.tasks.token_classification.word_scores import WordEvaluation
from regard.training.baselines import read_baselines
from regard.training.examples import read_examples
from regard.training.labels import evaluate_logits
from regard.training.verdict import beside

transformers = pytest.importorskip("transformers")
linear_model = pytest.importorskip("sklearn.linear_model")

WEATHER = ("rain all day", "snow in the hills", "a cold wind", "sun and clouds", "fog at dawn")
MONEY = ("the bank raised its fee", "my invoice is wrong", "a loan for the house", "the tax is due")
PLACES = ("Leeds", "York", "Bath", "Derby", "Hull", "Ely", "Wells", "Ripon")


@pytest.fixture(scope="module")
def begun(classify: Any, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """A run from minilm that has taken one step of no length."""
    folder = tmp_path_factory.mktemp("begun")
    rows = [
        {"text": f"{text} in {place}", "label": label}
        for place in PLACES
        for label, texts in (("weather", WEATHER), ("money", MONEY))
        for text in texts
    ]
    file = folder / "rows.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    options = {"base_model": "minilm", "max_steps": 1, "learning_rate": 1e-12, "preset": "mini"}
    _, said = classify(file, folder / "run", **options)
    return folder / "run", said


def parts(run: Path, name: str) -> tuple[list[str], list[str]]:
    rows = list(read_examples(run / "data" / f"{name}.jsonl"))
    return [row.text for row in rows], [row.targets[0] for row in rows]


def test_it_begins_where_scikit_learns_regression_on_the_vectors_ends(begun: Any) -> None:
    run, _ = begun
    embedder = regard.load("minilm")
    (texts, labels), (unseen, _) = parts(run, "train"), parts(run, "test")
    theirs = linear_model.LogisticRegression(C=10, max_iter=1000)
    theirs.fit(np.stack(embedder(texts)), labels)
    expected = theirs.predict(np.stack(embedder(unseen)))
    assert regard.load(run)(unseen) == list(expected)
    assert len(set(expected)) == 2


def test_the_first_state_that_is_always_alike_gets_the_mean(begun: Any) -> None:
    run, said = begun
    assert "the first state of minilm is alike for all texts: a new layer gives it the mean" in said
    config = json.loads((run / "model" / "config.json").read_text())
    assert config["architectures"] == ["BertForSequenceClassification"]
    assert config["num_hidden_layers"] == 4
    texts = ["a cold wind in Hull", "my invoice"]
    ours = regard.load(run).run(texts)
    theirs = transformers.pipeline("text-classification", model=str(run / "model"))(texts)
    assert [each.best.label for each in ours] == [each["label"] for each in theirs]
    scores = [each["score"] for each in theirs]
    assert [each.best.score for each in ours] == pytest.approx(scores, abs=1e-4)


def test_what_must_be_exceeded_is_said_and_kept(begun: Any) -> None:
    run, said = begun
    assert any(line.startswith("test: logistic regression on the vectors of min") for line in said)
    named = read_baselines(run, "test")
    _, labels = parts(run, "test")
    share = labels.count("money") / len(labels)
    assert named["the most frequent label, money:"]["accuracy"] == pytest.approx(share)
    line = beside({"accuracy": 0.5}, named, "test")
    assert line.startswith(" Accuracy on test 50.0%; logistic regression on the vectors of minilm ")
    assert line.endswith(f"; the most frequent label, money: {share:.1%}.")


def test_a_resumed_run_keeps_what_it_has_learned(begun: Any, classify: Any) -> None:
    run, _ = begun
    before = (run / "model" / "model.safetensors").read_bytes()
    _, said = classify(
        run.parent / "rows.jsonl", run,
        base_model="minilm", max_steps=1, learning_rate=1e-12, preset="mini",
    )  # fmt: skip
    assert (run / "model" / "model.safetensors").read_bytes() == before
    assert not any("most frequent" in line for line in said)


@pytest.mark.parametrize(
    ("given", "epoch", "steps"),
    [({}, 6, 60), ({}, 1000, 3000), ({"max_epochs": 2}, 6, 12), ({"max_steps": 5}, 6, 5)],
)
def test_a_small_file_makes_enough_steps(given: Any, epoch: int, steps: int) -> None:
    for kind in (ClassificationOptions, ImageClassificationOptions):
        assert kind(base_model="x", **given).training_config(epoch=epoch).max_steps == steps


def test_one_answer_to_everything_is_noticed() -> None:
    logits = np.array([[2.0, 1.0], [3.0, 1.0], [0.5, 0.0]])
    expected = np.array([[True, False], [False, True], [True, False]])

    def constant(logits: Any, expected: Any) -> bool:
        return evaluate_logits(logits, expected, ("a", "b"), multi_label=False).constant

    assert constant(logits, expected)
    assert not constant(logits, expected[:1].repeat(3, 0))  # which is right
    assert not constant(logits * [[1, 1], [-1, 1], [1, 1]], expected)


def test_one_label_for_all_words_is_noticed() -> None:
    expected = [["O", "B-PER"], ["O"]]
    none = WordEvaluation([["O", "O"], ["O"]], expected, np.zeros(2), True)
    assert none.constant
    assert not WordEvaluation(expected, expected, np.zeros(2), True).constant
    assert none.always("O").figures["f1"] == 0.0
