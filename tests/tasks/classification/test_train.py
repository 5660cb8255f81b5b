"""A classifier learns from a user's file, and is the same one in transformers and after a crash."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import regard
from regard import RegardError
from regard.checkpoints.card import read_card
from regard.tasks.classification.task import Classifier
from regard.tasks.classification.train import evaluate_labels
from regard.training import RunFolder
from regard.training.examples import Example, read_examples
from regard.training.label_losses import label_loss
from regard.training.labels import best_threshold, evaluate_logits

transformers = pytest.importorskip("transformers")


def test_it_learns_which_word_decides(trained: Any) -> None:
    output, progress, said = trained
    assert progress.figures["accuracy"] == 1.0
    classifier = regard.load(str(output / "model"))
    assert isinstance(classifier, Classifier)
    assert classifier(["a kind cow on the hill", "a cruel cow on the hill"]) == ["good", "bad"]
    assert said[0] == "single-label classification: each text has one label"
    assert any(line.endswith("288 read, 288 kept; none left out") for line in said)
    assert (
        "each example of dev is 2.3 points of its score; `--dev` takes a file with more, `--folds`"
        " scores every example"
    ) in said
    assert "202 to train on, 43 dev, 43 test" in said


def test_no_text_of_dev_or_test_is_trained_on(trained: Any) -> None:
    data = trained[0] / "data"
    parts = [{each.text for each in read_examples(data / f"{name}.jsonl")}
             for name in ("train", "dev", "test")]  # fmt: skip
    assert [len(part) for part in parts] == [202, 43, 43]
    assert len(set.union(*parts)) == 288


@pytest.mark.long("opens transformers")
def test_the_folder_opens_in_transformers_with_the_same_scores(trained: Any) -> None:
    folder = trained[0] / "model"
    texts = ["a lovely bird", "the dark river and the sad, sad fish"]
    pipeline = transformers.pipeline("text-classification", model=str(folder), top_k=None)
    ours = Classifier.load(str(folder)).run(texts)
    for found, expected in zip(ours, pipeline(texts), strict=True):
        assert [each.label for each in found.labels] == [each["label"] for each in expected]
        scores = [each["score"] for each in expected]
        assert [each.score for each in found.labels] == pytest.approx(scores, abs=1e-5)


def test_the_card_says_how_it_was_made(trained: Any) -> None:
    facts = read_card(trained[0] / "model")
    assert facts["pipeline_tag"] == "text-classification"
    assert facts["training_texts"] == 202
    assert facts["dev"]["accuracy"] == 1.0
    assert "one of bad, good" in (trained[0] / "model" / "README.md").read_text()


def test_a_text_may_have_line_breaks(classify: Any, tmp_path: Path) -> None:
    file = tmp_path / "texts.jsonl"
    entries = [{"text": f"a dog\nnumber {k}", "label": str(k % 2)} for k in range(40)]
    file.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    _, said = classify(file, tmp_path / "run", max_steps=1)
    assert any(line.endswith("40 read, 40 kept; none left out") for line in said)


def weights(output: Path) -> dict[str, torch.Tensor]:
    newest = RunFolder(output, warn=pytest.fail).newest()
    assert newest is not None
    return newest.weights


@pytest.mark.long("trains")
def test_a_crashed_run_ends_with_the_weights_of_an_uninterrupted_one(
    labeled: Path, classify: Any, tmp_path: Path
) -> None:
    def crash(event: str, progress: Any) -> None:
        if event == "step" and progress.step == 13:
            raise OSError("the power is out")

    options = {"max_steps": 16, "evaluate_every": 4}
    classify(labeled, tmp_path / "whole", **options)
    with pytest.raises(OSError, match="power"):
        classify(labeled, tmp_path / "cut", watch=crash, **options)
    classify(labeled, tmp_path / "cut", **options)
    whole, cut = weights(tmp_path / "whole"), weights(tmp_path / "cut")
    assert all(torch.equal(whole[name], cut[name]) for name in whole)


@pytest.mark.slow  # trains
def test_a_text_may_have_several_labels_or_none(
    tagged: Path, classify: Any, tmp_path: Path
) -> None:
    progress, _ = classify(tagged, tmp_path, max_epochs=30, patience=0)
    assert progress.figures["micro_f1"] > 0.9
    classifier = Classifier.load(str(tmp_path / "model"))
    texts = [json.loads(line)["text"] for line in tagged.read_text().splitlines()]
    answers = classifier.run(texts)
    assert {len(answer.labels) for answer in answers} == {3}
    wet = [score.score for each in answers for score in each.labels if score.label == "wet"]
    river = np.array(["river" in text for text in texts])
    assert np.mean(wet, where=river) > np.mean(wet, where=~river) + 0.2
    config = json.loads((tmp_path / "model" / "config.json").read_text())
    assert config["problem_type"] == "multi_label_classification"
    dev = read_card(tmp_path / "model")["dev"]
    assert config["decision_threshold"] == dev["threshold"] == classifier.threshold
    for answer in answers:
        scores = [each.label for each in answer.labels if each.score > dev["threshold"]]
        assert answer.chosen == scores
    again = evaluate_labels(
        Classifier.load(str(tmp_path / "model")),
        list(read_examples(tmp_path / "data" / "dev.jsonl")),
    )
    assert again.figures["macro_f1"] == pytest.approx(dev["macro_f1"], abs=1e-4)


@pytest.mark.long("trains")
def test_empty_labels_are_left_out_and_counted_and_the_task_stays_the_same(
    labeled: Path, classify: Any, tmp_path: Path
) -> None:
    lines = labeled.read_text().splitlines(keepends=True)
    for place in (9, 70, 100, 101, 150, 230, 280):
        lines.insert(place, f"a text without a label {place},\n")
    file = tmp_path / "some.csv"
    file.write_text("".join(lines))
    progress, said = classify(file, tmp_path / "run", max_epochs=4)
    assert said[0] == "single-label classification: each text has one label"
    assert any(line.endswith("295 read, 288 kept; 7 no label (first at line 10)") for line in said)
    assert progress.figures["accuracy"] == 1.0  # as without them
    about = json.loads((tmp_path / "run" / "data" / "prepared.json").read_text())["values"]
    assert not about["multi_label"]
    _, said = classify(file, tmp_path / "run", max_epochs=4)
    assert any(line.endswith("202 to train on, 43 dev, 2 labels, one a text") for line in said)


def test_an_empty_list_is_no_label_where_no_text_has_several(
    tagged: Path, classify: Any, tmp_path: Path
) -> None:
    rows = [json.loads(line) for line in tagged.read_text().splitlines()]
    file = tmp_path / "lists.jsonl"
    cut = [json.dumps(row | {"labels": row["labels"][:1]}) + "\n" for row in rows]
    file.write_text("".join(cut))
    _, said = classify(file, tmp_path / "one", max_steps=1)
    assert any(line.startswith("single-label") for line in said)
    assert any(line.endswith("294 read, 288 kept; 6 no label (first at line 289)") for line in said)
    _, said = classify(tagged, tmp_path / "several", max_steps=1)
    assert said[0] == "multi-label classification: 48 of 294 texts have several labels"
    assert any(line.endswith("294 read, 294 kept; none left out") for line in said)


def test_labels_that_may_be_one_are_reported_before_training(
    labeled: Path, classify: Any, tmp_path: Path
) -> None:
    file = tmp_path / "spelled.csv"
    text = (
        labeled.read_text().replace("river,good", "river,Good").replace("tree,good", "tree, good ")
    )
    file.write_text(text)
    _, said = classify(file, tmp_path / "run", max_steps=1)
    remark = (
        'the labels "good" (96), " good " (24) and "Good" (24) may be one: if so, write them alike'
    )
    assert said.index(remark) < said.index(next(line for line in said if line.startswith("steps")))


def test_of_equal_logits_one_label_is_predicted() -> None:
    logits = torch.tensor([[0.0, 0.0], [0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    expected = np.array([[1, 0], [0, 1], [1, 0], [1, 0]], bool)
    figures = evaluate_logits(logits, expected, ("a", "b"), multi_label=False).figures
    assert figures["accuracy"] == 0.5
    assert figures["matthews"] == pytest.approx(-1 / 3)  # (2 · 0 − 1 · 1) / √(3 · 1 · 3 · 1)
    sure = torch.tensor([[200.0, 100.0, 200.00001]], dtype=torch.float64)
    best = evaluate_logits(sure, np.eye(3, dtype=bool)[[2]], ("a", "b", "c"), multi_label=False)
    assert best.figures["accuracy"] == 1.0


@pytest.mark.long("trains")
def test_a_new_head_of_several_labels_starts_at_their_frequency_and_a_trained_one_stays(
    tagged: Path, classify: Any, tmp_path: Path
) -> None:
    hardly = {"max_steps": 1, "learning_rate": 1e-9}
    classify(tagged, tmp_path / "new", **hardly)
    about = json.loads((tmp_path / "new" / "data" / "prepared.json").read_text())["values"]
    texts = sum(1 for _ in read_examples(tmp_path / "new" / "data" / "train.jsonl"))
    shares = [(count + 1) / (texts + 2) for count in about["counts"]]
    started = weights(tmp_path / "new")["head.output.bias"]
    assert started.sigmoid().tolist() == pytest.approx(shares, abs=1e-5)

    classify(tagged, tmp_path / "trained", max_steps=10, learning_rate=1e-2)
    base = str(tmp_path / "trained" / "model")
    before = Classifier.load(base).model.get_parameter("head.output.bias").detach()
    assert before.sub(started).abs().max() > 1e-2
    classify(tagged, tmp_path / "more", base_model=base, **hardly)
    assert torch.allclose(weights(tmp_path / "more")["head.output.bias"], before, atol=1e-6)


def test_the_threshold_is_the_one_with_the_highest_macro_f1() -> None:
    probabilities = torch.tensor([[0.1, 0.4], [0.28, 0.2], [0.1, 0.33], [0.9, 0.01]])
    expected = np.array([[0, 1], [1, 0], [0, 1], [1, 0]], bool)
    found = evaluate_logits(probabilities.logit(), expected, ("a", "b"), multi_label=True)
    assert best_threshold(found) == 0.25  # of those between 0.2 and 0.28 in steps of 0.05
    assert found.scores.macro_f1 < 1
    again = evaluate_logits(
        probabilities.logit(), expected, ("a", "b"), multi_label=True, threshold=0.25
    )
    assert again.scores.macro_f1 == 1


def test_pairs_of_texts_have_two_token_types(classify: Any, tmp_path: Path) -> None:
    file = tmp_path / "pairs.tsv"
    words = ("dog", "cat", "bird", "fish", "cow", "hen", "fox", "owl")
    lines = [f"a {one}\ta {two}\t{'same' if one == two else 'other'}"
             for one in words for two in words for _ in range(1 + 6 * (one == two))]  # fmt: skip
    file.write_text("sentence1\tsentence2\tlabel\n" + "\n".join(lines) + "\n")
    classify(file, tmp_path / "run", pair="sentence2", max_steps=2)
    store = json.loads((tmp_path / "run" / "data" / "prepared.json").read_text())["values"]
    assert store["labels"] == ["other", "same"]
    folder = tmp_path / "run" / "model"
    pipeline = transformers.pipeline("text-classification", model=str(folder), top_k=None)
    [expected] = pipeline([{"text": "a dog", "text_pair": "a dog"}])
    found = Classifier.load(str(folder)).run(["a dog"], ["a dog"])[0]
    assert found.best.score == pytest.approx(expected[0]["score"], abs=1e-5)


def test_fine_tuning_starts_from_the_bases_weights_and_tokenizer(
    trained: Any, labeled: Path, classify: Any, tmp_path: Path
) -> None:
    base = str(trained[0] / "model")
    progress, said = classify(
        labeled, tmp_path, base_model=base, max_steps=1, learning_rate=1e-9, train_layers=0
    )
    assert progress.figures["accuracy"] == 1.0  # of the base already
    head = 128 * 128 + 128 + 2 * 128 + 2  # the pooler and the two labels
    assert f", {head:,} of them trained" in "\n".join(said)
    before, after = (
        regard.from_pretrained(folder).state_dict() for folder in (base, str(tmp_path / "model"))
    )
    for name in before:
        if not name.startswith("head."):
            assert torch.equal(before[name], after[name]), name


def test_layers_below_learn_more_slowly(trained: Any, labeled: Path, tmp_path: Path) -> None:
    from regard.tasks.classification.train import ClassificationRecipe
    from regard.tasks.classification.train_options import ClassificationOptions

    options = ClassificationOptions(preset="tiny", layer_decay=0.5)
    recipe = ClassificationRecipe(str(labeled), options, say=print, command="")
    names = ("head.output.weight", "encoder.layers.1.a", "encoder.layers.0.a", "embed.tokens")
    assert [recipe.rate_scale(name) for name in names] == [1.0, 0.5, 0.25, 0.125]


@pytest.mark.parametrize("several", [False, True])
def test_the_loss_is_transformers_own(several: bool) -> None:
    logits = torch.randn(5, 3, generator=torch.Generator().manual_seed(3))
    targets = [np.array(own) for own in ([0], [2], [1], [0], [1])]
    if several:
        targets = [np.array(own, np.int64) for own in ([0, 2], [2], [], [0], [1])]
    wanted = torch.zeros(5, 3)
    for row, own in enumerate(targets):
        wanted[row, own] = 1
    expected = (
        torch.nn.BCEWithLogitsLoss()(logits, wanted)
        if several
        else torch.nn.CrossEntropyLoss()(logits, wanted.argmax(1))
    )
    ours = label_loss(logits, targets, torch.ones(3), multi_label=several) / 5
    torch.testing.assert_close(ours, expected)


def test_class_weights_are_balanced(labeled: Path, classify: Any, tmp_path: Path) -> None:
    from sklearn.utils.class_weight import compute_class_weight

    from regard.tasks.classification.train import ClassificationRecipe
    from regard.tasks.classification.train_options import ClassificationOptions

    file = tmp_path / "few.tsv"
    file.write_text("text\tlabel\n" + "".join(f"text {k}\t{int(k % 5 == 0)}\n" for k in range(100)))
    options = ClassificationOptions(preset="tiny", class_weights=True, output=str(tmp_path / "x"))
    recipe = ClassificationRecipe(str(file), options, say=lambda sentence: None, command="")
    data = recipe.prepare(tmp_path / "x")
    labels = [int(each.targets[0]) for each in read_examples(tmp_path / "x" / "train.jsonl")]
    expected = compute_class_weight("balanced", classes=np.array([0, 1]), y=np.array(labels))
    assert recipe._weigh(data).tolist() == pytest.approx(expected.tolist())


FILES = {
    "one.tsv": "text\tlabel\na\tx\nb\tx\nc\tx\n",
    "named.csv": "id,words,kind\n1,a,x\n2,b,y\n",
    "good.tsv": "text\tlabel\n" + "".join(f"text {k}\t{k % 2}\n" for k in range(40)),
    "other.tsv": "text\tlabel\nquite new\tz\n",
    "number.jsonl": '{"text": 3, "label": "x"}\n',
    "empty.tsv": "text\tlabel\n\tx\n \ty\n",
}


@pytest.mark.parametrize(
    ("file", "options", "message"),
    [
        ("one.tsv", {}, "needs at least two labels; .* has only .'x'."),
        ("named.csv", {"text": "word"}, "has no column 'word'; its columns are id, words, kind"),
        ("good.tsv", {"dev": "other.tsv"}, "line 2, has the label 'z', which no training text has"),
        ("number.jsonl", {}, "line 1: expected a text in .text.; got int"),
        ("empty.tsv", {}, "no example is left of .* 2 empty text"),
        ("good.tsv", {"base_model": "nowhere"}, "there is no folder nowhere"),
        ("good.tsv", {"train_layers": 1}, "train_layers keeps the other layers of a trained model"),
        ("good.tsv", {"preset": "giant"}, "preset must be one of|giant"),
        ("good.tsv", {"schedule": "steps"}, "schedule"),
        ("none.tsv", {}, "expected a file at .*none.tsv"),
    ],
)  # fmt: skip
def test_bad_input_is_one_sentence_and_leaves_no_run(
    file: str, options: dict[str, Any], message: str, classify: Any, tmp_path: Path
) -> None:
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    if "dev" in options:
        options = options | {"dev": str(tmp_path / options["dev"])}
    with pytest.raises(RegardError, match=message):
        classify(tmp_path / file, tmp_path / "run", **options)
    assert not (tmp_path / "run" / "run.json").exists()


def test_evaluating_refuses_a_label_that_the_classifier_lacks(trained: Any) -> None:
    classifier = Classifier.load(str(trained[0] / "model"))
    with pytest.raises(
        RegardError, match=r"has no label 'odd' \(line 7\); it has bad, good\. Correct the label"
    ):
        evaluate_labels(classifier, [Example("a", None, ["odd"], 7)])
    with pytest.raises(RegardError, match=r"take the line out\. Did you mean 'good'\?$"):
        evaluate_labels(classifier, [Example("a", None, ["goood"], 7)])
    for targets in ([], ["bad", "good"]):
        with pytest.raises(RegardError, match=f"one label; line 7 has {len(targets)}. Evaluate"):
            evaluate_labels(classifier, [Example("a", None, targets, 7)])
