"""Labels of texts, against transformers' own pipeline."""

import json

import pytest
import torch

import regard
from regard import RegardError
from regard.checkpoints import Checkpoint
from regard.inspection.views.ablation import ablate
from regard.tasks.classification.task import Classifier, classified, ranked, read_problem_type

transformers = pytest.importorskip("transformers")

TEXTS = ["Anna sees the old tree.", "Who lives in the red house near the river?", "a dog"]
LABELS = {0: "good", 1: "bad", 2: "odd"}
KINDS = [
    ("Bert", None),
    ("Roberta", "multi_label_classification"),
    ("DistilBert", "regression"),
    ("GPT2", "multi_label_classification"),
    ("Llama", None),
    ("Bart", "regression"),
]


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind[0])
def folder(request, encoder_folder):
    family, problem_type = request.param
    head = "ForSequenceClassification"
    return encoder_folder(family, head, id2label=LABELS, problem_type=problem_type)


@pytest.fixture(scope="module")
def classifier(encoder_folder):
    return Classifier.load(encoder_folder("Bert", "ForSequenceClassification", id2label=LABELS))


def same(found, expected):
    assert [each.label for each in found.labels] == [each["label"] for each in expected]
    for mine, wanted in zip(found.labels, expected, strict=True):
        assert mine.score == pytest.approx(wanted["score"], abs=1e-5)


def test_labels_and_scores_are_the_pipelines(folder):
    pipeline = transformers.pipeline("text-classification", model=str(folder), top_k=None)
    ours = Classifier.load(folder)
    for found, expected in zip(ours.run(TEXTS, batch_size=2), pipeline(TEXTS), strict=True):
        same(found, expected)
    assert ours(TEXTS[0]) == pipeline(TEXTS[:1])[0][0]["label"]
    pairs = [{"text": TEXTS[0], "text_pair": TEXTS[1]}, {"text": TEXTS[2], "text_pair": TEXTS[0]}]
    both = ours.run([TEXTS[0], TEXTS[2]], [TEXTS[1], TEXTS[0]])
    for found, expected in zip(both, pipeline(pairs), strict=True):
        same(found, expected)


def test_a_single_label_is_a_yes_or_no(encoder_folder):
    folder = encoder_folder("Bert", "ForSequenceClassification", num_labels=1)
    expected = transformers.pipeline("text-classification", model=str(folder))(TEXTS[0])
    same(Classifier.load(folder).run(TEXTS[:1])[0], expected)


def test_company_changes_nothing(classifier):
    alone = [classifier.run([text])[0].best.score for text in TEXTS]
    assert [each.best.score for each in classifier.run(TEXTS)] == pytest.approx(alone, abs=1e-6)


def test_the_best_come_first():
    result = classified(ranked(torch.tensor([0.0, 2.0, 1.0]), "abc", "regression"), 2)
    labels = result.labels
    assert [(each.label, each.score) for each in labels] == [("b", 2.0), ("c", 1.0)]


def test_a_longer_text_is_cut_as_transformers_cuts_it(encoder_folder):
    folder = encoder_folder("Bert", "ForSequenceClassification", id2label=LABELS)
    long = "the red house near a river " * 20 + "Anna " * 20
    cut = {"truncation": True, "max_length": 67}
    pipeline = transformers.pipeline("text-classification", model=str(folder), top_k=None)
    found = Classifier.load(folder).run([long, "a"])
    assert [each.truncated for each in found] == [True, False]
    same(found[0], pipeline([long], **cut)[0])


def test_a_generator_has_its_second_texts_beside_it(classifier):
    first, second = ["the cat", "a dog", "the dog"], ["sat", "ran", "sat"]
    lazy = classifier(iter(first), text_pair=iter(second), batch_size=2)
    assert list(lazy) == classifier(first, text_pair=second)


def test_as_many_pairs_as_texts(classifier):
    with pytest.raises(RegardError, match="one for each text; got 1 for 3 texts"):
        classifier.run(TEXTS, ["a"])


def test_an_unknown_problem_is_refused(tmp_path):
    settings = {"model_type": "bert", "problem_type": "ranking"}
    (tmp_path / "config.json").write_text(json.dumps(settings))
    with pytest.raises(RegardError, match=r"problem_type must be one of single_.*got 'ranking'"):
        read_problem_type(Checkpoint(tmp_path))


def test_a_classifier_of_another_family_is_refused(tmp_path):
    settings = {"model_type": "vit", "architectures": ["ViTForImageClassification"]}
    (tmp_path / "config.json").write_text(json.dumps(settings))
    with pytest.raises(RegardError, match=r"must be a model that reads texts.*; it is a vit model"):
        Classifier.load(tmp_path)


def test_a_language_model_is_refused_before_its_weights_are_read(tmp_path):
    settings = {"model_type": "gpt2", "vocab_size": 31, "n_embd": 10, "n_layer": 2, "n_head": 5}
    (tmp_path / "config.json").write_text(json.dumps(settings | {"n_positions": 13}))
    wanted = r"'classification' \(…ForSequenceClassification\); its head is 'language_model'"
    with pytest.raises(RegardError, match=wanted):
        Classifier.load(tmp_path)


NLI = {0: "CONTRADICTION", 1: "neutral", 2: "Entailment"}
CANDIDATES = ["a dog", "the red house", "river"]


@pytest.mark.parametrize(
    ("family", "id2label"),
    [
        ("Bert", NLI),
        ("Roberta", {0: "entailment", 1: "not"}),
        ("DistilBert", NLI),
        ("Bart", NLI),
        ("GPT2", NLI),
    ],
)
def test_labels_of_ones_own_are_the_zero_shot_pipelines(family, id2label, encoder_folder):
    label2id = {label: k for k, label in id2label.items()}
    folder = encoder_folder(
        family, "ForSequenceClassification", id2label=id2label, label2id=label2id
    )
    theirs = transformers.pipeline("zero-shot-classification", model=str(folder))
    ours = Classifier.load(folder)
    for several in (False, True):
        expected = theirs(TEXTS, CANDIDATES, multi_label=several)
        results = ours.zero_shot(TEXTS, CANDIDATES, multi_label=several, batch_size=2)
        for found, wanted in zip(results, expected, strict=True):
            assert [each.label for each in found.labels] == wanted["labels"]
            scores = [each.score for each in found.labels]
            assert scores == pytest.approx(wanted["scores"], abs=1e-5)
    changed = theirs(TEXTS[0], CANDIDATES[:1], hypothesis_template="It sees {}")
    [found] = ours.zero_shot(TEXTS[:1], CANDIDATES[:1], template="It sees {}")
    assert found.best.score == pytest.approx(changed["scores"][0], abs=1e-5)
    answer = regard.pipeline("zero-shot-classification", str(folder))(TEXTS[0], "a dog, river")
    wanted = theirs(TEXTS[0], "a dog, river")
    assert (answer["sequence"], answer["labels"]) == (TEXTS[0], wanted["labels"])
    assert answer["scores"] == pytest.approx(wanted["scores"], abs=1e-5)


def test_labels_of_ones_own_need_a_model_of_entailment(classifier, encoder_folder):
    with pytest.raises(RegardError, match=r"a classifier of entailment.*the labels good, bad, odd"):
        classifier.zero_shot(TEXTS, CANDIDATES)
    nli = Classifier.load(encoder_folder("Bert", "ForSequenceClassification", id2label=NLI))
    with pytest.raises(RegardError, match="labels must be words"):
        nli.zero_shot(TEXTS, ["a", " "])
    with pytest.raises(RegardError, match=r"template must have \{\} for the label; got 'about'"):
        nli.zero_shot(TEXTS, CANDIDATES, template="about")
    counted = []
    found = nli.zero_shot(TEXTS, CANDIDATES, top_k=2, progress=counted.append)
    assert [len(each.labels) for each in found] == [2, 2, 2]
    assert sum(counted) == len(TEXTS)


@pytest.mark.parametrize(
    ("family", "axis", "layer"),
    [
        ("GPT2", "tokens", "decoder.layers.1.self"),
        ("Llama", "tokens", "decoder.layers.1.self"),
        ("Bart", "source", "decoder.layers.1.cross"),
    ],
)
def test_a_model_that_could_write_is_looked_at_as_what_it_reads(
    family, axis, layer, encoder_folder
):
    folder = encoder_folder(family, "ForSequenceClassification", id2label=LABELS)
    classifier = Classifier.load(folder)
    trace = classifier.trace(TEXTS[0])
    [best, *_] = classifier.run(TEXTS[:1])[0].labels
    assert trace.task == "encoding"
    assert trace.notes == [note for note in trace.notes if note.startswith(f"label: {best.label}")]
    assert layer in trace
    assert trace.axes[axis].predicts is None
    assert len(trace.axes[axis].tokens) == len(classifier.read(TEXTS[:1])[0].ids)
    changed = ablate(trace, "token", layer, key=1)
    assert (changed.token, changed.before) == (best.label, pytest.approx(best.score, abs=1e-5))
    assert changed.after != changed.before
    opened = regard.trace(regard.load(str(folder)), TEXTS[0])
    assert opened.notes == trace.notes
