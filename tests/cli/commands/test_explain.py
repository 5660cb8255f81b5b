"""`regard explain`: on word vectors and on a model, to the terminal and to files."""

import json
from typing import get_args, get_type_hints

import numpy as np
import pytest

from regard.attention.scores import NAMED
from regard.course.explanation.wording import SCORES
from regard.course.words import WordVectors
from regard.studio.lessons import LessonRequest

NAMES = ["the", "river", "bank", "grows", "money"]
SENTENCE = "The old man bought a small red car."


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    path = tmp_path_factory.mktemp("vectors") / "few.txt"
    draw = np.random.default_rng(5)
    WordVectors(NAMES, draw.normal(size=(5, 6)).astype(np.float32)).save(path)
    return path


def test_a_sentence_is_explained_without_a_model(regard, vectors):
    outcome = regard("explain", "The river bank grows.", "--vectors", vectors)
    assert outcome.code == 0, outcome.err
    assert "few.txt · score q·k / √6, mask none" in outcome.out
    assert "Softmax" in outcome.out
    assert max(map(len, outcome.out.splitlines())) <= 80


def test_the_shipped_vectors_are_the_default(regard):
    outcome = regard("explain", "the river bank")
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith("words-en · ")


def test_every_setting_reaches_the_numbers(regard, vectors):
    def settings(*options):
        outcome = regard("explain", "The river bank", "--vectors", vectors, "--json", *options)
        assert outcome.code == 0, outcome.err
        return json.loads(outcome.out)

    assert settings()["tokens"] == ["The", "river", "bank"]
    assert settings("--mask", "1")["settings"]["mask"] == "window of 1 before and 1 after"
    assert settings("--mask", "causal")["settings"]["mask"] == "causal"
    assert settings("--score", "cosine")["settings"]["score"] == "cosine"
    assert settings("--temperature", "0.5")["settings"]["temperature"] == 0.5
    assert settings("--heads", "3")["settings"]["head_dim"] == 2
    assert settings("--head-dim", "2")["settings"]["d_model"] == 2
    assert settings("--positions")["settings"]["positions"] is True
    assert settings("--window", "1:")["tokens"] == ["river", "bank"]
    parameters = settings("--projections", "random")["parameters"]
    assert "W_O" in [table["name"] for table in parameters]


def test_a_models_layer_and_head_are_explained(regard):
    outcome = regard("explain", SENTENCE, "--model", "en-de", "--layer", 1, "--head", 3)
    assert outcome.code == 0, outcome.err
    assert "en-de: encoder.layers.1.self" in outcome.out
    assert "head 3 of 0 to 3" in outcome.out
    assert "The last step equals the output of encoder.layers.1.self" in " ".join(
        outcome.out.split()
    )


def test_markdown_and_all(regard, vectors):
    outcome = regard("explain", "The bank", "--vectors", vectors, "--markdown", "--all")
    assert outcome.out.startswith("# The bank\n")


def test_files_are_written_and_the_terminal_is_left_alone(regard, vectors, tmp_path):
    pytest.importorskip("matplotlib")
    pytest.importorskip("xlsxwriter")
    html, xlsx, svg = (tmp_path / name for name in ("a.html", "a.xlsx", "a.svg"))
    outcome = regard(
        "explain", "The river bank", "--vectors", vectors, "--html", html, "--xlsx", xlsx,
        "--geometry", svg, "--word", 2,
    )  # fmt: skip
    assert outcome.code == 0, outcome.err
    assert outcome.out == ""
    assert outcome.err.splitlines()[-3:] == [
        f"The workbook is in {xlsx}.", f"The picture is in {svg}.", f"The page is in {html}.",
    ]  # fmt: skip
    assert "What “bank” becomes" in svg.read_text(encoding="utf-8")
    page = html.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "What “bank” becomes" in page
    assert xlsx.read_bytes()[:2] == b"PK"


def test_stdin_is_read(regard, vectors):
    outcome = regard("explain", "--vectors", vectors, "--json", stdin=b"the bank\n")
    assert json.loads(outcome.out)["tokens"] == ["the", "bank"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ([""], "the sentence has no word; give one"),
        (["Zyx bnak"], "no word of this text has a vector in few.txt; got Zyx, bnak."),
        (["bank " * 5000], "got 5,000. Choose a window of the words, such as 0:64"),
        (["bank", "--head", "1"], "few.txt has heads 0 to 0; got 1"),
        (["bank", "--word", "1"], "--word must be from 0 to 0 here; got 1"),
        (["bank", "--window", "2"], "--window must be START:END"),
        (["bank", "--mask", "casual"], "mask must be one of none, causal, window"),
        (["bank", "--score", "dots"], "Did you mean 'dot'?"),
        (["bank", "--temperature", "0"], "temperature must be at least"),
        (["bank", "--layer", "1"], "a model is needed for --layer; give one"),
        (["bank", "--markdown", "--json"], "either --markdown or --json; got both"),
        (["bank", "--html", "a.txt"], "--html must end in .html, .htm; got 'a.txt'"),
        (["bank", "--xlsx", "a.csv"], "--xlsx must end in .xlsx; got 'a.csv'"),
        (["bank", "--geometry", "a.gif"], "--geometry must end in .svg, .pdf, .png; got 'a.gif'"),
    ],
)
def test_bad_input_is_one_sentence(regard, vectors, arguments, sentence):
    outcome = regard("explain", *arguments, "--vectors", vectors)
    assert outcome.code == 2
    assert sentence in outcome.err
    assert outcome.err.count("\n") == 1
    assert outcome.out == ""


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--layer", "9"], "en-de has encoder layers 0 to 5; got 9"),
        (["--head", "4"], "encoder.layers.0.self has heads 0 to 3; got 4"),
        (["--attention", "self"], "en-de has the attention encoder, decoder, cross; got 'self'"),
        (["--heads", "2", "--positions"], "leave out --heads, --positions, or --model"),
    ],
)
def test_what_a_model_has_not_is_said(regard, options, sentence):
    outcome = regard("explain", SENTENCE, "--model", "en-de", *options)
    assert outcome.code == 2
    assert sentence in outcome.err


def test_a_person_at_the_keyboard_is_told_what_to_give(regard):
    outcome = regard("explain", stdin=None)
    assert outcome.code == 2
    assert "there is no sentence; give one in quotes" in outcome.err


def test_text_that_is_not_utf8_is_read_as_an_older_encoding_which_is_said(regard):
    outcome = regard("explain", stdin=b"caf\xe9")
    assert "stdin is read as Windows-1252, because it is not UTF-8" in outcome.err
    assert "a vector in words-en; got café." in outcome.err


def test_help_lessons_and_workbooks_have_the_scores_of_the_registry(regard):
    *first, last = NAMED
    words = regard("explain", "--help").out.replace("│", " ").split()
    assert f"{', '.join(first)} or {last}." in " ".join(words)
    assert set(get_args(get_type_hints(LessonRequest)["score"])) == set(NAMED)
    assert set(SCORES) >= set(NAMED)


@pytest.mark.parametrize(
    ("sentence", "words", "note"),
    [
        ("Humans love smartphones", "Humans love", "smartphones has no vector in words-en and is"),
        (
            "Alice wrote a note and gave it to Bob",
            "Alice wrote a note and gave it to",
            "Bob",
        ),
        ("The cat sat on the matt", "The cat sat on the", "matt has no vector"),
        ("Grandma crocheted a blanket", "Grandma a blanket", "crocheted has no vector"),
        ("Two puppies ran", "Two puppies ran", "here it has that of puppy"),
        ("Bob sat down", "sat down", "Bob has no vector"),
    ],
)
def test_a_word_without_a_vector_is_that_of_its_stem_or_left_out_and_said(
    regard, sentence, words, note
):
    found = json.loads(regard("explain", sentence, "--json").out)
    assert found["tokens"] == words.split()
    assert any(each.startswith(note) or note in each for each in found["notes"])


def test_the_columns_that_are_shown_have_the_largest_weights(regard):
    """Of eleven words, each looks at itself most: all but one of their columns is among those."""
    sentence = "The animal didn't cross the street because it was too tired"
    weights = regard("explain", sentence).out.split("Softmax")[1].splitlines()
    head, rows = weights[3].split(), weights[4:15]
    assert head == ["The", "didn't", "the", "it", "was", "too", "tired", "…"]
    assert all(max(map(float, row.split()[1:-1])) >= 0.09 for row in rows)
