"""Labels of words: training finds them, the first token has them, evaluation counts them."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import regard
from regard import RegardError
from regard.tasks.token_classification.task import TokenClassifier
from regard.tasks.token_classification.train import (
    TokenClassificationRecipe,
    evaluate_words,
    first_tokens,
)
from regard.tasks.token_classification.train_options import TokenClassificationOptions

ANIMALS = ("dog", "cat", "horse", "bird", "fish", "mouse")
PLACES = ("house", "river", "street", "tree", "garden", "snow")


def sentences(length: int) -> str:
    """Sentences in columns whose animals and places are entities."""
    blocks = []
    for number in range(length):
        animal, place = ANIMALS[number % 6], PLACES[number // 6 % 6]
        adjective = ("big", "old", "red", "shy", "wet")[number % 5]
        rows = [("the", "O"), (adjective, "B-ANI"), (animal, "I-ANI"), ("in", "O")]
        rows += [("the", "O"), (place, "B-LOC"), (".", "O")]
        blocks.append("".join(f"{word}\t{label}\n" for word, label in rows))
    return "\n".join(blocks)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tokens") / "train.conll"
    path.write_text(sentences(180))
    return path


@pytest.fixture(scope="module")
def trained(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    regard.train(
        "token-classification", data, folder, preset="tiny", precision="fp32", batch_size=16,
        max_steps=60, learning_rate=3e-3,
    )  # fmt: skip
    return folder / "model"


def test_training_finds_the_entities(trained: Path, data: Path) -> None:
    report = regard.evaluate(trained, data)
    assert report.figures["f1"] > 0.95
    assert report.figures["loss"] < 0.2
    low, high = report.intervals["f1"]
    assert low <= report.figures["f1"] <= high
    lines = "\n".join(report.lines())
    assert "precision" in lines
    assert "ANI" in lines
    assert json.loads(report.as_json())["labels"][0]["label"] == "ANI"


def test_a_sentence_of_ones_own_is_labeled(trained: Path) -> None:
    labeled = regard.load(trained)
    assert isinstance(labeled, TokenClassifier)
    found = [(span.label, span.text) for span in labeled("the red cat in the river .")]
    assert found == [("ANI", "red cat"), ("LOC", "river")]
    words = labeled("the red  cat .", ignore_labels=(), aggregation="none")
    assert all(span.text for span in words)


def test_the_native_engine_gives_the_same_labels(trained: Path) -> None:
    classifier = TokenClassifier.load(trained)
    text = "the old horse in the garden ."
    [ours], [native] = (task.scores([text]) for task in (classifier, classifier.run_by("native")))
    np.testing.assert_allclose(
        [token.probabilities for token in native],
        [token.probabilities for token in ours],
        atol=1e-5,
    )


def test_it_opens_in_transformers(trained: Path) -> None:
    transformers = pytest.importorskip("transformers")
    model = transformers.AutoModelForTokenClassification.from_pretrained(trained).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(trained)
    text = "the old horse in the garden ."
    read = tokenizer(text, return_tensors="pt")
    with torch.no_grad():
        theirs = model(**read).logits[0].softmax(-1).numpy()
    [ours] = TokenClassifier.load(trained).scores([text])
    np.testing.assert_allclose([token.probabilities for token in ours], theirs[1:-1], atol=1e-5)


def test_the_loss_is_that_of_the_first_tokens(data: Path, tmp_path: Path) -> None:
    options = TokenClassificationOptions(output=str(tmp_path), preset="tiny", dropout=0.0)
    said: list[str] = []
    recipe = TokenClassificationRecipe(str(data), options, say=said.append, command="")
    prepared = recipe.prepare(tmp_path / "data")
    torch.manual_seed(3)
    model = recipe.model(prepared).eval()
    batch = recipe.batches(prepared, model).at(0)
    loss, count, _ = recipe.loss(model, batch)
    logits = model(batch.inputs.ids, attention_mask=batch.inputs.attention_mask)
    expected, words = 0.0, 0
    for row, targets in enumerate(batch.targets):
        for place, target in enumerate(targets):
            if target:
                expected -= float(logits[row, place].log_softmax(-1)[target - 1].detach())
                words += 1
    assert (count, float(loss.detach())) == (words, pytest.approx(expected, rel=1e-5))
    assert words == 7 * len(batch.targets)


def test_first_tokens_skip_special_ones_and_words_without_any() -> None:
    offsets = [(-1, -1), (0, 2), (2, 4), (5, 6), (8, 9), (-1, -1)]
    assert first_tokens(offsets, [(0, 4, "A"), (5, 6, "B"), (6, 7, "C"), (8, 9, "D")]) == [
        1, 3, None, 4,
    ]  # fmt: skip


def test_a_label_that_the_classifier_lacks_is_named(trained: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.conll"
    other.write_text("the\tO\ncat\tB-CAT\n")
    with pytest.raises(RegardError, match=r"no label 'B-CAT' \(line 1\)"):
        regard.evaluate(trained, other)
    with pytest.raises(RegardError, match="needs at least one sentence"):
        evaluate_words(TokenClassifier.load(trained), [])


def test_one_label_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.conll"
    path.write_text("\n".join(f"word{k}\tO\n" for k in range(9)))
    with pytest.raises(RegardError, match="at least two labels"):
        regard.train("token-classification", path, tmp_path / "run", preset="tiny", max_steps=1)
