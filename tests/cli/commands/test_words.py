"""`regard words` as a user calls it, with good and bad input."""

import csv
import io
import json

import numpy as np
import pytest

from regard.course.words import WordVectors, load_vectors

TEXT = "The cat saw the dog.\nThe dog slept 🙂\n"


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A folder with a text and vectors of five words."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").write_text(TEXT, encoding="utf-8")
    (tmp_path / "empty.txt").write_text("")
    (tmp_path / "marks.txt").write_text("…\n?!\n", encoding="utf-8")
    (tmp_path / "broken.txt").write_text("king 1 2\nqueen 1\n")
    rows = np.array([[3, 4], [4, 3], [-4, 3], [3, -4], [1, 1]], np.float32)
    WordVectors(["king", "queen", "cricketer", "पानी", "🙂"], rows).save(tmp_path / "v.txt")
    return tmp_path


def test_represent_shows_a_table(regard, here):
    lines = regard("words", "represent", "text.txt").out.splitlines()
    assert lines[0].split() == ["cat", "dog", "saw", "slept", "the", "🙂"]
    assert lines[1].split() == ["The", "cat", "saw", "the", "dog.", *"111020"]
    assert len(lines) == 3


def test_represent_reads_stdin(regard, here):
    out = regard("words", "represent", "--as", "one-hot", stdin="a पानी a".encode()).out
    assert [line.split() for line in out.splitlines()] == [
        ["a", "पानी"], ["a", "1", "0"], ["पानी", "0", "1"], ["a", "1", "0"],
    ]  # fmt: skip


def test_represent_writes_csv_and_json(regard, here):
    rows = list(csv.reader(io.StringIO(regard("words", "represent", "text.txt", "--csv").out)))
    assert rows[0] == ["", "cat", "dog", "saw", "slept", "the", "🙂"]
    assert rows[2] == ["The dog slept 🙂", "0", "1", "0", "1", "1", "1"]
    assert regard("words", "represent", "text.txt", "--csv", "-o", "bags.csv").out == ""
    assert list(csv.reader(io.StringIO((here / "bags.csv").read_text(encoding="utf-8")))) == rows
    found = json.loads(regard("words", "represent", "text.txt", "--json").out)
    assert found["words"] == rows[0][1:]
    assert found["rows"][1] == {
        "text": "The dog slept 🙂", "values": {"dog": 1, "slept": 1, "the": 1, "🙂": 1},
    }  # fmt: skip


def test_a_text_of_a_csv_is_no_formula(regard, here):
    texts = ["=1+1 cat", "+cat", "-cmd cat", "@sum cat", "a = cat"]
    out = regard("words", "represent", "--csv", stdin="\n".join(texts).encode()).out
    _, *rows = csv.reader(io.StringIO(out))
    assert [row[0] for row in rows] == [*(f"'{text}" for text in texts[:4]), "a = cat"]
    out = regard("words", "represent", "--json", stdin="\n".join(texts).encode()).out
    assert [row["text"] for row in json.loads(out)["rows"]] == texts


def test_represent_says_what_it_does_not_show(regard, here):
    text = "\n".join(f"w{k} w{k + 1}" for k in range(30))
    out = regard("words", "represent", stdin=text.encode()).out
    assert "20 of 30 rows and 12 of 31 words; --csv or --json writes all." in out


@pytest.mark.parametrize("method", ["skip-gram", "svd"])
@pytest.mark.parametrize("name", ["vectors", "v.bin", "v.txt.gz"])
def test_train_writes_vectors_that_can_be_read(regard, here, method, name):
    pytest.importorskip("gensim")
    outcome = regard(
        "words", "train", "-o", name, "--method", method, "--dim", 3, "--min-count", 2,
        stdin=b"a b c d e\na b c d e f\n" * 3,
    )  # fmt: skip
    assert outcome.code == 0
    assert "6 words, 3 numbers each, from 6 lines" in outcome.out
    assert sorted(load_vectors(name).words) == list("abcdef")


def test_train_tells_json_and_writes_half_numbers(regard, here):
    outcome = regard(
        "words", "train", "--method", "svd", "--dim", 3, "--min-count", 1, "--half", "--json",
        stdin=b"a b c d e\n",
    )  # fmt: skip
    assert json.loads(outcome.out) == {"words": 5, "dim": 3, "lines": 1, "output": "vectors"}
    assert b'"F16"' in (here / "vectors" / "vectors.safetensors").read_bytes()


def test_skip_gram_takes_its_options(regard, here):
    pytest.importorskip("gensim")
    text = b"a b c d e\n" * 6
    common = ("words", "train", "--dim", 3)
    regard(*common, "-o", "one", stdin=text)
    for number, option in enumerate(
        [("--epochs", 3), ("--seed", 7), ("--negatives", 2), ("--subsample", 0.5),
         ("--learning-rate", 0.2), ("--window", 1)]
    ):  # fmt: skip
        assert regard(*common, "-o", f"other{number}", *option, stdin=text).code == 0
        changed, first = load_vectors(f"other{number}"), load_vectors("one")
        assert not np.array_equal(changed.vectors, first.vectors), option


def test_words_of_a_text_are_added_to_trained_vectors(regard, here):
    pytest.importorskip("scipy")
    lines = b"king queen cricketer bowler\ncricketer queen fielder\n" * 2
    add = ("words", "train", "--from", "v.txt", "--min-count", 2)
    outcome = regard(*add, "-o", "more.txt", stdin=lines)
    assert outcome.out.splitlines() == [
        "5 words of v.txt and 2 new, 2 numbers each, from 4 lines.",
        "Next: regard words near bowler -m more.txt",
    ]
    more = (here / "more.txt").read_text(encoding="utf-8").splitlines()
    assert more[1:6] == (here / "v.txt").read_text(encoding="utf-8").splitlines()[1:]
    found = json.loads(
        regard(*add, "--word", "fielder", "--json", "--window", 1, "-o", "one", stdin=lines).out
    )
    assert found == {"words": 6, "added": ["fielder"], "dim": 2, "lines": 4, "output": "one"}
    assert load_vectors("one").words[-1] == "fielder"


def test_the_words_of_the_introduction_are_compared(regard, here):
    lines = regard("words", "compare", "king", "queen", "cricketer").out.splitlines()
    king, queen = (line.split() for line in lines[1:3])
    assert float(king[2]) > 0.8 > 0.2 > max(float(king[3]), float(queen[3]))


def test_near_lists_neighbors_of_every_word(regard, here):
    out = regard("words", "near", "king", "🙂", "-m", "v.txt", "-k", 1).out
    assert out.splitlines() == ["king", "   0.990  🙂", "🙂", "   0.990  king"]
    found = json.loads(regard("words", "near", "KING", "-m", "v.txt", "-k", 2, "--json").out)
    assert [word for word, _ in found["KING"]] == ["🙂", "queen"]


def test_near_may_read_a_part_of_the_vectors(regard, here):
    out = regard("words", "near", "king", "-m", "v.txt", "--limit", 2).out
    assert out.splitlines() == ["king", "   0.960  queen"]


def test_near_knows_the_shipped_words(regard, here):
    out = regard("words", "near", "Monday").out
    assert "sunday" in out


def test_compare_shows_cosines(regard, here):
    assert regard("words", "compare", "king", "queen", "-m", "v.txt").out == "0.960\n"
    lines = regard("words", "compare", "king", "queen", "पानी", "-m", "v.txt").out.splitlines()
    assert lines[0].split() == ["king", "queen", "पानी"]
    assert lines[3].split() == ["पानी", "-0.280", "0.000", "1.000"]
    found = json.loads(regard("words", "compare", "king", "queen", "-m", "v.txt", "--json").out)
    assert found["cosines"][0][1] == pytest.approx(0.96)


def test_draw_writes_a_picture_with_every_word(regard, here):
    outcome = regard("words", "draw", "king", "queen", "cricketer", "-m", "v.txt", "-o", "p.svg")
    assert outcome.err == "The picture is in p.svg.\n"
    picture = (here / "p.svg").read_text(encoding="utf-8")
    assert all(f">{word}<" in picture for word in ("king", "queen", "cricketer"))


@pytest.mark.filterwarnings("ignore:no installed font")
def test_draw_may_add_neighbors_and_tell_the_points(regard, here):
    outcome = regard(
        "words", "draw", "king", "queen", "cricketer", "--neighbors", 1, "-m", "v.txt", "--json",
        "-o", "p.png",
    )  # fmt: skip
    found = json.loads(outcome.out)
    assert set(found["points"]) == {"king", "queen", "cricketer", "🙂"}
    assert len(found["axes"]) == 2
    assert (here / "p.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("represent none.txt", "expected a file at none.txt, but there is no such file"),
        ("represent empty.txt", "expected lines of text in empty.txt, but it is empty"),
        ("represent marks.txt", "needs text; got none with a word in it"),
        ("represent text.txt --as count", "represented as one-hot, bag, tfidf; got 'count'"),
        ("represent text.txt --csv --json", "give either --csv or --json; got both"),
        ("train empty.txt", "expected lines of text in empty.txt, but it is empty"),
        ("train marks.txt", "needs text; got none with a word in it"),
        ("train text.txt", "no word occurs 5 times in this text ('the', the most frequent, 3)"),
        ("train text.txt --method cbow", "--method must be one of skip-gram, svd; got 'cbow'"),
        ("train text.txt --method svd --learning-rate 1", "--learning-rate belong to skip-gram"),
        ("train text.txt --from v.txt --dim 9", "vectors of v.txt as they are; leave out --dim"),
        ("train text.txt --from v.txt --method svd --seed 1", "leave out --method, --seed"),
        ("train text.txt --from none.txt", "there is no 'none.txt'"),
        (
            "train text.txt --from v.txt --min-count 2",
            "need a text in which 2 words or more have a",
        ),
        ("train text.txt --word dog", "--word names what is added to the vectors of --from; give"),
        ("near quen -m v.txt", "'quen' is not among the 5 words that have vectors. Did you mean"),
        ("near 😀 -m v.txt", "'😀' is not among the 5 words"),
        ("near king -m none.txt", "there is no 'none.txt'"),
        ("near king -m broken.txt", "broken.txt, line 2: expected a word and 2 numbers; got 'que"),
        ("near king -m .", "is not a folder of word vectors: it has no vectors.safetensors"),
        ("compare king -m v.txt", "two or more words are needed; got 1"),
        ("draw king queen -m v.txt", "a picture needs three points or more; got 2"),
        ("draw king queen 🙂 -m v.txt --method tsne", "method must be one of pca, umap"),
        ("draw king queen 🙂 -m v.txt -o p.gif", "a figure is saved as .svg, .pdf, .png"),
    ],
)
@pytest.mark.filterwarnings("ignore:no installed font")
def test_bad_input_is_one_sentence(regard, here, command, message):
    outcome = regard("words", *command.split())
    assert outcome.code == 2
    assert message in outcome.err
    assert outcome.err.startswith("regard: ")
    assert outcome.err.count("\n") == 1
    assert outcome.out == ""
