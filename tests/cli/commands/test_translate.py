"""`regard translate`: one line in, one line out."""

import gzip
import json
import os
import subprocess

import pytest

from fixtures.capitals import in_capitals
from regard.files import LONGEST_LINE


def test_an_argument_becomes_a_line(regard, upper_case):
    outcome = regard("translate", "where is it?", "there")
    assert (outcome.code, outcome.out) == (0, "WHERE IS IT?\nTHERE\n")


def test_a_terminal_underlines_unsure_words_and_a_pipe_does_not(monkeypatch):
    from regard.tasks.translation import command
    from regard.tasks.translation.result import Translation, WrittenWord

    words = [WrittenWord("das", 0.9, False), WrittenWord("Haus,", 0.1, True)]
    words += [WrittenWord("das", 0.2, True), WrittenWord("[b]", 0.1, True)]
    result = Translation("das Haus, das [b]", -1.0, True, words=words)
    assert command._marked(result) == "das Haus, das [b]"
    monkeypatch.setattr(command, "takes_color", lambda stream: True)
    on, off = "\x1b[4m", "\x1b[0m"
    assert command._marked(result) == f"das {on}Haus,{off} {on}das{off} {on}[b]{off}"


def test_stdin_keeps_its_lines_and_the_empty_ones(regard, upper_case):
    outcome = regard("translate", stdin="a b\n\n  \nü\r\nlast without end".encode())
    assert outcome.out == "A B\n\n\nÜ\nLAST WITHOUT END\n"
    assert upper_case.seen[0]["texts"] == ["a b", "ü"]


def test_unicode_line_separators_do_not_split_a_line(regard, upper_case):
    outcome = regard("translate", stdin="one\u2028two\nthree\n".encode())
    assert outcome.out == "ONE TWO\nTHREE\n"


def test_options_reach_the_translator(regard, upper_case):
    regard(
        "translate", "a", "--num-beams", 3, "--length-penalty", 0.7,
        "--max-new-tokens", 11, "--batch-size", 2,
    )  # fmt: skip
    seen = upper_case.seen[0]
    assert (seen["num_beams"], seen["length_penalty"], seen["max_new_tokens"]) == (3, 0.7, 11)
    assert seen["batch_size"] == 2


def test_what_is_not_given_is_left_to_the_model(regard, upper_case):
    regard("translate", "a")
    assert "length_penalty" not in upper_case.seen[0]
    assert "max_new_tokens" not in upper_case.seen[0]


def test_without_beams_the_models_own_count(regard, upper_case):
    regard("translate", "a")
    assert "num_beams" not in upper_case.seen[0]
    upper_case.generation = upper_case.generation.updated(num_beams=1)
    assert (
        "--num-beams = 1 without sampling; got 2"
        in regard("translate", "a", "--alternatives", 2).err
    )


def test_languages_and_a_prefix_reach_the_translator(regard, upper_case):
    regard("translate", "a", "--source-language", "en", "--target-language", "de")
    assert upper_case.seen[0] == {"source": "en", "target": "de"}
    regard("translate", "a", "--prefix", "to German: ")
    assert upper_case.prefix == "to German: "
    assert upper_case.seen[-1]["texts"] == ["a"]


def test_a_target_picks_the_shipped_model(regard):
    german, hindi = (regard("translate", "Good morning.", "--to", to).out for to in ("DE", "hi"))
    assert german.startswith("Guten Morgen")
    assert any("\u0900" <= letter <= "\u097f" for letter in hindi)
    other = regard("translate", "Good morning.", "--to", "fr")
    assert (other.code, other.out) == (2, "")
    assert "got any → fr. Name another model, such as --model hub:Helsinki-NLP/opus" in other.err


def test_settings_that_are_not_followed_are_said_once(regard, upper_case):
    upper_case.not_followed = ("typical_p", "token_healing")
    outcome = regard("translate", stdin=b"a\nb\n")
    assert outcome.out == "A\nB\n"
    assert outcome.err == (
        "regard: en-de asks for typical_p, token_healing; regard ignores that.\n"
    )


def test_n_best_gives_number_score_and_text(regard, upper_case):
    outcome = regard("translate", "--alternatives", 2, stdin=b"a\n\nb\n")
    assert outcome.out == ("1\t-0.5000\tA\n1\t-1.5000\tA!\n2\t\t\n3\t-0.5000\tB\n3\t-1.5000\tB!\n")


def test_more_than_the_beams_is_refused(regard, upper_case):
    outcome = regard("translate", "a", "--alternatives", 6)
    assert outcome.code == 2
    assert "--alternatives must be at most --num-beams = 5 without sampling; got 6" in outcome.err


def test_json_passes_other_fields_through(regard, upper_case):
    outcome = regard("translate", "--json", stdin=b'{"id": 7, "text": "a b"}\nplain\n\n')
    first, second, third = map(json.loads, outcome.out.splitlines())
    assert first == {
        "id": 7, "text": "a b", "translation": "A B", "score": -0.5, "finished": True,
        "language_doubt": False,
    }  # fmt: skip
    assert (second["text"], second["translation"]) == ("plain", "PLAIN")
    assert third == {"text": "", "translation": ""}


def test_json_carries_the_alignment(regard, upper_case):
    entry = json.loads(regard("translate", "--json", "--attention", "a b").out)
    assert entry["alignment"] == [[1.0, 0.0], [0.0, 1.0]]
    assert (entry["source_words"], entry["target_words"]) == (["a", "b"], ["A", "B"])


def test_json_carries_the_alternatives(regard, upper_case):
    entry = json.loads(regard("translate", "--json", "--alternatives", 2, "a").out)
    assert entry["alternatives"][1] == {
        "translation": "A!", "score": -1.5, "finished": True, "language_doubt": False,
    }  # fmt: skip


def test_a_file_is_translated_into_a_file(regard, upper_case, tmp_path):
    source, target = tmp_path / "in.txt.gz", tmp_path / "out.txt"
    source.write_bytes(gzip.compress("\ufeffa\nb\n".encode()))
    outcome = regard("translate", "--input", source, "--output", target)
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    assert target.read_text() == "A\nB\n"


def test_the_output_is_written_whole_or_not_at_all(regard, upper_case, tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("before")
    lines = b"good\n" + b"a" * (LONGEST_LINE + 1)
    outcome = regard("translate", "--strict", "--output", target, stdin=lines)
    assert outcome.code == 2
    assert target.read_text() == "before"
    assert os.listdir(tmp_path) == ["out.txt"]


def test_attention_draws_a_grid_below_each_translation(regard, upper_case):
    lines = regard("translate", "where there", "--attention").out.splitlines()
    assert lines[0] == "WHERE THERE"
    grid = "\n".join(lines[1:])
    assert all(word in grid for word in ("where", "there", "WHERE", "THERE"))
    assert "α at the output step, for a test" in grid


def test_what_cannot_be_seen_has_no_grid(regard):
    # no model is run: an invisible text has nothing to translate
    for text in ("\u200b", " "):
        outcome = regard("translate", text, "--attention", "--engine", "torch")
        assert (outcome.code, outcome.out, outcome.err) == (0, "\n", "")


def test_attention_is_read_at_the_step_that_was_asked_for(regard, upper_case):
    outcome = regard("translate", "where", "--attention", "--attention-step", "input")
    assert upper_case.seen[0]["alignment"] == "input"
    assert "α at the input step, for a test" in outcome.out


def test_attention_is_read_from_the_layer_that_was_asked_for(regard, upper_case):
    outcome = regard("translate", "where", "--attention-layer", -1)
    asked = upper_case.seen[0]
    assert (asked["alignment"], asked["alignment_layer"]) == ("output", -1)
    assert "α at the output step of layer -1, for a test" in outcome.out


@pytest.mark.long("starts a process")
def test_a_pipe_gets_each_answer_before_it_sends_the_next_line():
    with subprocess.Popen(
        in_capitals("translate"), stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in (b"one\n", b"two\n"):
            process.stdin.write(line)
            process.stdin.flush()
            assert process.stdout.readline() == line.upper()
        process.stdin.close()
        assert process.wait() == 0


def test_the_engine_and_its_settings_reach_the_translator(regard, upper_case, monkeypatch):
    asked = []

    def run_by(engine, *, precision=None, threads=None, say=None):
        asked.append((engine, precision, threads))
        return upper_case

    monkeypatch.setattr(upper_case, "run_by", run_by)
    regard("translate", "a")
    regard("translate", "a", "--engine", "native", "--precision", "int8", "--threads", 2)
    assert regard("translate", "a", "--engine", "torch").out == "A\n"
    assert asked == [("auto", None, None), ("native", "int8", 2), ("torch", None, None)]
    outcome = regard("translate", "a", "--engine", "torch", "--precision", "int8")
    assert outcome.code == 2
    assert "--precision needs --engine native" in outcome.err
    assert len(asked) == 3


def test_json_with_an_alignment_says_which_engine_wrote_the_text(regard, upper_case):
    entry = json.loads(
        regard("translate", "--json", "--attention", "--engine", "native", "a b").out
    )
    assert entry["engine"] == "native"


@pytest.mark.parametrize(
    ("options", "pair"),
    [(["--to", "fr"], "any → fr"), (["--source-language", "hi", "--to", "en"], "hi → en")],
)
def test_languages_that_no_shipped_model_has_name_one_that_has_them(regard, options, pair):
    outcome = regard("translate", *options, "Hello")
    assert outcome.code == 2
    assert f"got {pair}. Name another model, such as --model hub:Helsinki-NLP/" in outcome.err


def test_a_line_that_is_refused_alone_names_the_option(regard):
    outcome = regard("translate", stdin="日本語\n".encode())
    assert outcome.code == 2
    assert outcome.err.endswith("another model, or --force.\n")
