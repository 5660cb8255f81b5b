"""Static word vectors: looking words up, neighbors, and every kind of file, whole and broken."""

import gzip
import struct

import numpy as np
import pytest

from regard.checkpoints.shipped import FOLDER
from regard.course.words import WordVectors, load_vectors
from regard.errors import RegardError

WORDS = ["king", "queen", "cricketer"]
ROWS = np.array([[3, 4], [4, 3], [-4, 3]], np.float32)


@pytest.fixture
def vectors() -> WordVectors:
    return WordVectors(WORDS, ROWS)


def glove(path, text):
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def word2vec_binary(end=b"\n"):
    rows = b"".join(
        word.encode() + b" " + struct.pack("<2f", *row) + end
        for word, row in zip(WORDS, ROWS, strict=True)
    )
    return b"3 2\n" + rows


def test_a_word_has_its_vector(vectors):
    assert vectors["queen"].tolist() == [4, 3]
    assert vectors.rows(["cricketer", "king"]).tolist() == [[-4, 3], [3, 4]]
    assert vectors.row("queen") == 1
    assert (len(vectors), vectors.dim) == (3, 2)


def test_a_word_not_there_as_it_is_written_is_looked_up_in_small_letters():
    vectors = WordVectors(["us", "US"], ROWS[:2])
    assert vectors["US"].tolist() == [4, 3]
    assert vectors["Us"].tolist() == [3, 4]
    assert "uS" in vectors
    assert "usa" not in vectors
    assert 3 not in vectors


def test_similarity_is_the_cosine(vectors):
    assert vectors.similarity("king", "queen") == pytest.approx(24 / 25)
    assert vectors.similarity("queen", "cricketer") == pytest.approx(-7 / 25)


def test_a_zero_vector_is_like_nothing():
    vectors = WordVectors(["a", "b"], np.array([[0, 0], [1, 2]], np.float32))
    assert vectors.similarity("a", "b") == 0
    assert vectors.neighbors("a") == [("b", 0.0)]


def test_neighbors_are_the_closest_first_and_leave_out_the_word_itself(vectors):
    assert vectors.neighbors("king") == [
        ("queen", pytest.approx(24 / 25)),
        ("cricketer", pytest.approx(0, abs=1e-7)),
    ]
    assert [word for word, _ in vectors.neighbors("king", 1)] == ["queen"]


def test_neighbors_of_a_vector_may_be_any_word(vectors):
    found = vectors.neighbors(np.array([30.0, 40.0]), 2)
    assert found[0] == ("king", pytest.approx(1))
    assert found[1][0] == "queen"


def test_a_vector_of_another_length_is_refused(vectors):
    with pytest.raises(RegardError, match=r"a vector must be \(2,\); got \(3,\)"):
        vectors.neighbors(np.zeros(3))


def test_an_unknown_word_names_the_nearest_spelled(vectors):
    with pytest.raises(RegardError, match=r"'quen' is not among the 3 words.*mean 'queen'\?"):
        vectors["quen"]
    with pytest.raises(RegardError, match=r"'🙂' is not .* No word there is spelled like it"):
        vectors["🙂"]
    with pytest.raises(RegardError, match="a word was expected; got an empty one"):
        vectors[" "]


@pytest.mark.parametrize(("words", "rows"), [(["a"], ROWS), ([], ROWS[:0]), (WORDS, ROWS[0])])
def test_words_and_rows_must_fit(words, rows):
    with pytest.raises(RegardError, match="one row for each of one or more words"):
        WordVectors(words, rows)


@pytest.mark.parametrize("name", ["glove.txt", "glove.txt.gz"])
def test_glove_text_is_read(tmp_path, name):
    path = glove(tmp_path / name, "the 1 2.5 -3\nपानी 0 1e-2 7\n. . . 4 5 6\n")
    vectors = load_vectors(path)
    assert vectors.words == ["the", "पानी", ". . ."]
    assert vectors.vectors.dtype == np.float32
    np.testing.assert_allclose(vectors.vectors, [[1, 2.5, -3], [0, 0.01, 7], [4, 5, 6]])


@pytest.mark.parametrize("name", ["v.vec", "v.vec.gz"])
def test_word2vec_text_is_read(tmp_path, name):
    vectors = load_vectors(glove(tmp_path / name, "3 2\nking 3 4\nqueen 4 3\ncricketer -4 3"))
    assert vectors.words == WORDS
    assert vectors.vectors.tolist() == ROWS.tolist()


@pytest.mark.parametrize("end", [b"\n", b""])
@pytest.mark.parametrize("name", ["v.bin", "v.bin.gz", "v.model"])
def test_word2vec_binary_is_read_whatever_it_is_called(tmp_path, name, end):
    vectors = load_vectors(glove(tmp_path / name, word2vec_binary(end)))
    assert vectors.words == WORDS
    assert vectors.vectors.tolist() == ROWS.tolist()


def test_a_binary_file_longer_than_a_block_is_read_whole(tmp_path):
    rows = np.random.default_rng(0).normal(size=(977, 307)).astype(np.float32)  # 1.2 MB
    made = WordVectors([f"w{row}" for row in range(977)], rows)
    made.save(tmp_path / "v.bin")
    read = load_vectors(tmp_path / "v.bin")
    assert read.words == made.words
    np.testing.assert_array_equal(read.vectors, rows)


@pytest.mark.parametrize(
    ("name", "tolerance"),
    [("v", 0), ("v.bin", 0), ("v.bin.gz", 0), ("v.txt", 1e-5), ("v.vec.gz", 1e-5)],
)
def test_what_is_saved_is_read_again(tmp_path, name, tolerance):
    rows = np.random.default_rng(1).normal(size=(5, 3)).astype(np.float32)
    made = WordVectors(["a", "don't", "पानी", "🙂", "in_spite_of"], rows)
    made.save(tmp_path / name)
    read = load_vectors(tmp_path / name)
    assert read.words == made.words
    np.testing.assert_allclose(read.vectors, rows, rtol=tolerance, atol=tolerance)


def test_words_with_spaces_are_saved_where_the_form_has_room_for_them(tmp_path):
    made = WordVectors(["in spite of"], np.ones((1, 3), np.float32))
    for name in ("v.txt", "v"):
        made.save(tmp_path / name)
        assert load_vectors(tmp_path / name).words == ["in spite of"]
    with pytest.raises(
        RegardError, match=r"cannot hold words with spaces, such as 'in spite of': save .txt"
    ):
        made.save(tmp_path / "v.bin")


def test_a_folder_may_hold_half_as_many_bits(tmp_path, vectors):
    rows = np.random.default_rng(2).normal(size=(1009, 31)).astype(np.float32)
    made = WordVectors([str(row) for row in range(1009)], rows)
    made.save(tmp_path / "half", half=True)
    read = load_vectors(tmp_path / "half")
    assert read.vectors.dtype == np.float32
    np.testing.assert_allclose(read.vectors, rows, rtol=1e-3, atol=1e-6)
    assert (tmp_path / "half" / "vectors.safetensors").stat().st_size < rows.nbytes * 0.51


def test_a_limit_reads_the_first_words(tmp_path, vectors):
    for name in ("folder", "v.txt", "v.bin"):
        vectors.save(tmp_path / name)
        assert load_vectors(tmp_path / name, limit=2).words == WORDS[:2]
    assert load_vectors(glove(tmp_path / "glove", "a 1 2\nb 3 4\n"), limit=1).words == ["a"]


def test_of_a_word_that_comes_twice_the_first_counts(tmp_path):
    vectors = load_vectors(glove(tmp_path / "g.txt", "a 1 2\nb 3 4\na 5 6\n"))
    assert vectors.words == ["a", "b"]
    assert vectors["a"].tolist() == [1, 2]
    vectors = load_vectors(glove(tmp_path / "w.txt", "3 2\na 1 2\nb 3 4\na 5 6\n"))
    assert vectors.words == ["a", "b"]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("and 1 2", "got 'and 1 2'"),
        ("and 1 2 3 4", "got 'and 1 2 3 4'"),
        ("and 1 two 3", "got 'and 1 two 3'"),
        ("and 1 nan 3", "got 'and 1 nan 3'"),
        ("1 2 3", "got '1 2 3'"),
    ],
)
def test_a_broken_line_is_named_by_its_number(tmp_path, line, shown):
    path = glove(tmp_path / "glove.txt", f"the 1 2 3\nof 1 2 3\n{line}\nin 1 2 3\n")
    with pytest.raises(RegardError, match=rf"line 3: expected a word and 3 numbers; {shown}"):
        load_vectors(path)
    path = glove(tmp_path / "w.vec", f"4 3\nthe 1 2 3\n{line}\nin 1 2 3\nof 1 2 3\n")
    with pytest.raises(RegardError, match=rf"line 3: expected a word and 3 numbers; {shown}"):
        load_vectors(path)


def test_a_line_that_is_not_utf8_is_named(tmp_path):
    with pytest.raises(RegardError, match="word 2 is not UTF-8"):
        load_vectors(glove(tmp_path / "g.txt", b"a 1 2\n\xe9t\xe9 3 4\n"))


def test_other_text_is_refused(tmp_path):
    with pytest.raises(RegardError, match="line 1: expected a word and 2 numbers; got 'No vectors"):
        load_vectors(glove(tmp_path / "g.txt", "No vectors here\n"))
    with pytest.raises(RegardError, match="line 1: expected a word and its numbers; got 'word'"):
        load_vectors(glove(tmp_path / "g.txt", "word\n"))
    with pytest.raises(RegardError, match="its first line is empty"):
        load_vectors(glove(tmp_path / "g.txt", ""))


@pytest.mark.parametrize("cut", [1, 9, 14])
def test_a_file_that_was_broken_off_says_so(tmp_path, cut):
    with pytest.raises(RegardError, match=r"says that it has 3 words, but ends after [12]: copy"):
        load_vectors(glove(tmp_path / "v.bin", word2vec_binary(b"")[:-cut]))
    with pytest.raises(RegardError, match="says that it has 3 words, but ends after 1: copy"):
        load_vectors(glove(tmp_path / "v.txt", "3 2\na 1.25 2.75\n"))


@pytest.mark.parametrize("name", ["v.bin", "v.bin.gz"])
def test_a_header_larger_than_the_file_asks_for_no_memory(tmp_path, name):
    with pytest.raises(RegardError, match="says in line 1 that it has 9,999,999,999 words"):
        load_vectors(glove(tmp_path / name, b"9999999999 300\nabc 1 2 3\n"))


def test_numbers_that_are_none_are_refused_in_a_binary_file_too(tmp_path):
    path = glove(tmp_path / "v.bin", b"1 2\na " + struct.pack("<2f", 1, float("nan")))
    with pytest.raises(RegardError, match=r"word 1 has numbers that are not finite \(NaN"):
        load_vectors(path)


def test_a_damaged_gzip_is_refused(tmp_path):
    path = glove(tmp_path / "g.txt.gz", "a 1 2\n" * 100)
    path.write_bytes(path.read_bytes()[:-12])
    with pytest.raises(RegardError, match="is damaged gzip"):
        load_vectors(path)


def test_a_path_that_is_not_there_names_the_shipped_vectors(tmp_path):
    with pytest.raises(RegardError, match=r"are words-en, or a file or folder.* no 'words-e'"):
        load_vectors("words-e")
    with pytest.raises(RegardError, match="limit must be 1 or more; got 0"):
        load_vectors(tmp_path, limit=0)


def test_a_folder_that_is_none_of_ours_is_refused(tmp_path, vectors):
    with pytest.raises(RegardError, match=r"is not a folder of word vectors: it has no vectors\."):
        load_vectors(tmp_path)
    vectors.save(tmp_path / "v")
    (tmp_path / "v" / "words.txt").write_text("one\n")
    with pytest.raises(RegardError, match=r"words.txt has 1 words, but .* vectors of \(3, 2\)"):
        load_vectors(tmp_path / "v")
    (tmp_path / "v" / "vectors.safetensors").write_bytes(b"no tensors")
    with pytest.raises(RegardError, match="has no vectors in it"):
        load_vectors(tmp_path / "v")


def test_saving_overwrites_nothing_else(tmp_path, vectors):
    (tmp_path / "notes").write_text("mine")
    with pytest.raises(RegardError, match="has other files in it; name a new folder"):
        vectors.save(tmp_path)
    with pytest.raises(RegardError, match="is a file; word vectors are saved in a folder, or as"):
        vectors.save(tmp_path / "notes")
    assert (tmp_path / "notes").read_text() == "mine"


def test_the_shipped_vectors_are_small_and_know_everyday_words():
    vectors = load_vectors("words-en")
    assert (len(vectors), vectors.dim) == (8849, 40)
    assert np.linalg.norm(vectors.vectors, axis=1).mean() == pytest.approx(4, rel=1e-3)
    assert sum(file.stat().st_size for file in (FOLDER / "words-en").iterdir()) < 800_000
    days = {word for word, _ in vectors.neighbors("Monday", 4)}
    assert days <= {"tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"}
    assert vectors.neighbors("king", 1)[0][0] == "queen"
    near = [word for word, _ in vectors.neighbors("cricketer", 4)]
    assert set(near) <= {"player", "soccer", "basketball", "football", "video", "plays"}
    assert vectors.words[-1] == "cricketer"


def test_the_shipped_card_says_where_the_vectors_come_from():
    card = (FOLDER / "words-en" / "README.md").read_text(encoding="utf-8")
    assert 'license: "CC BY 2.0 FR"' in card
    assert "words: 8849\n" in card
    assert "dim: 40\n" in card


def test_a_header_of_many_digits_is_refused(tmp_path):
    (tmp_path / "vectors.txt").write_bytes(b"9" * 5000 + b" 3\na 1 2 3\n")
    with pytest.raises(RegardError):
        load_vectors(tmp_path / "vectors.txt")
