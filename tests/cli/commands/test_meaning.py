"""`regard meaning` as a user calls it."""

import json

import numpy as np
import pytest

from regard.course.words import WordVectors

pytest.importorskip("sklearn")

FRUIT = ["I ate a sweet apple.", "An apple fell from the tree.", "She ate an apple and a pear."]
PHONE = [
    "Apple sells a new phone.",
    "The apple phone rang.",
    "He works for Apple and sells phones.",
]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    texts = [*FRUIT * 3, *PHONE * 2]
    senses = ["fruit"] * 9 + ["phone"] * 6
    (tmp_path / "plain.txt").write_text("\n".join(texts), encoding="utf-8")
    rows = [f"{text}\t{sense}" for text, sense in zip(texts, senses, strict=True)]
    (tmp_path / "senses.tsv").write_text("\n".join(rows), encoding="utf-8")
    records = [{"text": t, "sense": s} for t, s in zip(texts, senses, strict=True)]
    lines = "".join(f"{json.dumps(record)}\n" for record in records)
    (tmp_path / "senses.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "number.jsonl").write_text('{"text": "an apple", "sense": 3}\n')
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "blank.txt").write_text("\n\n")
    (tmp_path / "broken.tsv").write_text("an apple\tfruit\nan apple\n")
    draw = np.random.default_rng(0)
    words = ["apple", "ate", "sweet", "tree", "pear", "fell", "phone", "phones", "sells", "rang"]
    vectors = draw.normal(size=(len(words), 7)).astype(np.float32)
    WordVectors(words, vectors).save(tmp_path / "v.txt")
    return tmp_path


@pytest.mark.parametrize("file", ["senses.tsv", "senses.jsonl"])
def test_a_labeled_text_is_scored(regard, here, file):
    outcome = regard("meaning", "apple", "--text", file, "-m", "attention", "--vectors", "v.txt")
    assert outcome.code == 0
    assert "purity, %" in outcome.out
    assert (
        "15 occurrences. Always choosing the most frequent sense is right in 60.0 %" in outcome.out
    )
    assert "[apple]" in outcome.out or "[Apple]" in outcome.out


def test_a_static_vector_knows_one_meaning(regard, here):
    out = regard("meaning", "apple", "-t", "senses.tsv", "-m", "static", "--vectors", "v.txt").out
    row = next(line for line in out.splitlines() if line.startswith("| static"))
    assert [cell.strip() for cell in row.strip("|").split("|")] == [
        "static", "1", "–", "60.0", "60.0",
    ]  # fmt: skip
    assert (
        "These occurrences do not show that static separates the senses: 60.0 % may be chance"
        " (p = 0.61, binomial test)." in out
    )


def test_every_layer_of_a_model_is_listed_and_drawn(regard, here):
    outcome = regard("meaning", "Apple", "--text", "plain.txt", "--figure", "p.svg")
    for layer in ("embedding", *(f"layer {k}" for k in range(1, 4))):
        assert f"| {layer}" in outcome.out
    assert "purity" not in outcome.out
    assert outcome.err == "The picture is in p.svg.\n"
    picture = (here / "p.svg").read_text(encoding="utf-8")
    assert "in 15 places: minilm, layer 3" in picture
    assert "the average of all" in picture
    assert "cluster 1" in picture


def test_a_picture_of_senses_names_them(regard, here):
    regard(
        "meaning", "apple", "-t", "senses.tsv", "-m", "attention", "--vectors", "v.txt",
        "--temperature", 3, "-o", "p.svg",
    )  # fmt: skip
    picture = (here / "p.svg").read_text(encoding="utf-8")
    assert "fruit, 9 times" in picture
    assert "phone, 6 times" in picture
    assert "its static vector" in picture


def test_temperature_changes_the_result(regard, here):
    def facts(*options):
        common = ("meaning", "apple", "-t", "senses.tsv", "-m", "attention", "--vectors", "v.txt")
        return json.loads(regard(*common, "--json", *options).out)

    assert facts()["average"] != facts("--temperature", 50)["average"]


def test_json_has_every_occurrence(regard, here):
    out = regard("meaning", "apple", "-t", "senses.tsv", "--layer", 1, "--json").out
    found = json.loads(out)
    assert found["layer"] == "layer 1"
    assert len(found["layers"]) == 4
    assert len(found["occurrences"]) == 15
    first = found["occurrences"][0]
    assert first["text"][first["start"] : first["end"]] == "apple"
    assert (first["sense"], len(first["point"])) == ("fruit", 2)
    assert set(found["layers"][0]) == {
        "layer", "clusters", "silhouette", "most_frequent", "centroid", "purity", "chance",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("apple -t none.txt", "expected a file at none.txt, but there is no such file"),
        ("apple -t empty.txt", "expected lines of text in empty.txt, but it is empty"),
        ("apple -t blank.txt", "the text has no words; give one in which the word occurs"),
        ("aple -t plain.txt", "'aple' does not occur in this text. Did you mean 'apple'?"),
        ("🙂 -t plain.txt", "'🙂' does not occur in this text."),
        ("tree -t plain.txt -m static --vectors none", "there is no 'none'"),
        ("the -t plain.txt -m static --vectors v.txt", "'the' is not among the 10 words"),
        ("apple -t broken.tsv", "broken.tsv, line 2: expected a text, a tab and its sense; got 1"),
        ("apple -t number.jsonl", 'number.jsonl, line 1: "sense" must be a string'),
        ("apple -t plain.txt -m en-dee", "there is no folder en-dee; give"),
        ("apple -t plain.txt --layer 9", "minilm has layers 0 to 3; got --layer 9"),
        ("apple -t plain.txt -m static --layer 1", "static has no layers; leave out --layer 1"),
        ("apple -t plain.txt --vectors v.txt", "--vectors belong to static and attention"),
        ("apple -t plain.txt --temperature 2", "--temperature belongs to --model attention"),
        ("apple -t plain.txt -m attention --temperature -1", "temperature must be at least"),
        ("apple -t plain.txt -o p.gif", "a figure is saved as .svg, .pdf, .png"),
    ],
)
def test_bad_input_is_one_sentence(regard, here, command, message):
    outcome = regard("meaning", *command.split())
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.err.count("\n") == 1
    assert outcome.out == ""
