"""Labels of words, against transformers' model and its pipeline, span by span."""

import json

import numpy as np
import pytest
import torch

from regard import RegardError
from regard.tasks.token_classification.task import Scored, TokenClassifier, parse_label, spans

transformers = pytest.importorskip("transformers")

LABELS = ("O", "B-PER", "I-PER", "B-LOC", "I-LOC")
TEXTS = (
    "Anna lives in the red house near the river in Vienna.",
    "The child likes the small dog",
    "Vienna, Anna's old  tree!",
)


@pytest.fixture(scope="module", params=["Bert", "Roberta", "DistilBert"])
def folder(request, encoder_folder):
    names = dict(enumerate(LABELS))
    return encoder_folder(
        request.param,
        "ForTokenClassification",
        id2label=names,
        label2id={label: number for number, label in names.items()},
    )


@pytest.fixture(scope="module")
def classifier(folder):
    return TokenClassifier.load(folder)


def their_logits(folder, text):
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModelForTokenClassification.from_pretrained(folder).eval()
    read = tokenizer(text, return_special_tokens_mask=True, return_tensors="pt")
    special = read.pop("special_tokens_mask")[0].bool()
    names = [name for name in tokenizer.model_input_names if name in read]
    with torch.no_grad():
        logits = model(**{name: read[name] for name in names}).logits[0]
    return logits[~special].softmax(-1).numpy()


@pytest.mark.parametrize("text", TEXTS)
def test_probabilities_are_those_of_transformers(folder, classifier, text):
    (tokens,) = classifier.scores([text])
    found = np.stack([token.probabilities for token in tokens])
    np.testing.assert_allclose(found, their_logits(folder, text), atol=1e-5)


@pytest.mark.parametrize("aggregation", ["none", "simple", "first", "average", "max"])
@pytest.mark.filterwarnings("ignore:Tokenizer does not support real words")
def test_spans_are_those_of_transformers(folder, classifier, aggregation):
    model = transformers.AutoModelForTokenClassification.from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    pipeline = transformers.TokenClassificationPipeline(
        model=model, tokenizer=tokenizer, aggregation_strategy=aggregation, ignore_labels=[]
    )
    found = classifier.run(TEXTS, aggregation=aggregation, ignore_labels=())
    for text, result in zip(TEXTS, found, strict=True):
        theirs = pipeline(text)
        assert [(span.label, span.start, span.end) for span in result.spans] == [
            (entry.get("entity_group", entry.get("entity")), entry["start"], entry["end"])
            for entry in theirs
        ]
        assert [span.score for span in result.spans] == pytest.approx(
            [entry["score"] for entry in theirs], abs=1e-5
        )
        for span in result.spans:
            assert text[span.start : span.end] == span.text


def test_a_text_of_many_windows_has_the_labels_of_its_parts(classifier):
    text = " ".join(["The child likes the small dog."] * 12)
    (many,) = classifier.scores([text])
    assert len(many) > classifier._reader.max_length
    starts = [token.start for token in many]
    assert starts == sorted(starts)
    assert many[-1].end == len(text)


def test_the_bytes_of_one_character_are_one_word(encoder_folder):
    classifier = TokenClassifier.load(encoder_folder("Roberta", "ForTokenClassification"))
    (result,) = classifier.run(["नमस्ते"], ignore_labels=())
    assert [span.text for span in result.spans] == ["नमस्ते"]


def test_outside_is_left_out_unless_it_is_asked_for(classifier):
    (all_spans,) = classifier.run(TEXTS[:1], ignore_labels=())
    (named,) = classifier.run(TEXTS[:1])
    assert named.spans == [span for span in all_spans.spans if span.label != "O"]
    assert classifier(TEXTS[0]) == named.spans


def word(start, end, best, *, continues=False):
    probabilities = np.full(len(POSITIONS), 0.1, np.float32)
    probabilities[POSITIONS.index(best)] = 0.5
    return Scored(start, end, probabilities, continues)


POSITIONS = ("O", "B-X", "I-X", "E-X", "S-X", "NOUN")


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (["B-X", "I-X", "O"], [("X", 0, 3), ("O", 4, 5)]),
        (["B-X", "B-X", "I-X"], [("X", 0, 1), ("X", 2, 5)]),
        (["B-X", "E-X", "I-X"], [("X", 0, 3), ("X", 4, 5)]),
        (["S-X", "S-X", "I-X"], [("X", 0, 1), ("X", 2, 3), ("X", 4, 5)]),
    ],
)
def test_words_are_joined_by_their_positions(labels, expected):
    words = [word(2 * k, 2 * k + 1, label) for k, label in enumerate(labels)]
    found = spans("a b c", words, POSITIONS, "first", joined=True)
    assert [(span.label, span.start, span.end) for span in found] == expected


def test_words_without_positions_stay_words():
    words = [word(0, 1, "NOUN"), word(2, 3, "NOUN")]
    found = spans("a b", words, POSITIONS, "first", joined=False)
    assert [(span.label, span.text) for span in found] == [("NOUN", "a"), ("NOUN", "b")]


def test_a_dash_without_a_position_belongs_to_the_label():
    assert parse_label("ORG-UNIT") == ("I", "ORG-UNIT")
    assert parse_label("B-ORG-UNIT") == ("B", "ORG-UNIT")


def test_an_unknown_aggregation_lists_the_known(classifier):
    with pytest.raises(RegardError, match="aggregation must be one of first, average, max"):
        classifier.run(["Anna"], aggregation="last")


def test_a_model_with_another_head_is_refused(encoder_folder):
    with pytest.raises(RegardError, match="ForTokenClassification"):
        TokenClassifier.load(encoder_folder("Bert", "ForMaskedLM"))


def test_saved_labels_open_in_transformers(classifier, tmp_path):
    from regard.checkpoints import save_pretrained

    save_pretrained(classifier.model, tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    assert [config["id2label"][str(k)] for k in range(len(LABELS))] == list(LABELS)
    assert config["architectures"][0].endswith("ForTokenClassification")
    theirs = transformers.AutoModelForTokenClassification.from_pretrained(tmp_path)
    assert theirs.config.num_labels == len(LABELS)
