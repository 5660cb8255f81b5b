"""`regard look`: a text, a folder or a saved trace, to a page, a file or the terminal."""

import gzip
import json
import re
import shutil
import socket
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from regard import trace as regard_trace
from regard.attention import attend
from regard.checkpoints.shipped import FOLDER
from regard.inspection import Trace
from regard.studio import page
from regard.studio.requests import TraceRequest
from regard.tasks.catalog import taken_by

TEXT = "The old man bought a small red car."
CROSS = "decoder.layers.1.cross"


@pytest.fixture(scope="module")
def en_de():
    from regard.tasks.loading import load

    return load("en-de")


@pytest.fixture(autouse=True)
def loaded_once(en_de, monkeypatch) -> None:
    """Every command here gets the same shipped translator; folders are loaded as ever."""
    from regard.tasks import looking

    opened = looking.open_for_looking
    monkeypatch.setattr(
        looking, "open_for_looking", lambda name: en_de if name == "en-de" else opened(name)
    )


@pytest.fixture(scope="module")
def saved(en_de, tmp_path_factory) -> Path:
    """A trace in a file."""
    path = tmp_path_factory.mktemp("look") / "car.safetensors"
    en_de.trace(TEXT, num_beams=2).save(path)
    return path


def test_json_tells_what_the_trace_has(regard):
    outcome = regard("look", "en-de", TEXT, "--json", "--num-beams", 3)
    found = json.loads(outcome.out)
    assert (outcome.code, outcome.err) == (0, "")
    assert (found["model"], found["text"], found["task"]) == ("en-de", TEXT, "translation")
    assert CROSS in [tap["name"] for tap in found["taps"]]
    assert len(found["generation"]["hypotheses"]) == 3


def test_the_text_may_come_from_a_pipe_or_a_file(regard, tmp_path):
    piped = regard("look", "en-de", "--json", stdin=TEXT.encode() + b"\n")
    assert json.loads(piped.out)["text"] == TEXT
    (tmp_path / "text.txt").write_text(TEXT + "\r\n", encoding="utf-8-sig")
    read = regard("look", "en-de", "--json", "--file", tmp_path / "text.txt")
    assert json.loads(read.out)["text"] == TEXT


def test_parts_are_switched_off_and_words_look_elsewhere(regard):
    outcome = regard(
        "look", "en-de", TEXT, "--looks", "4:1", "--looks", "1:0", "--without", "3", "--json"
    )
    notes = json.loads(outcome.out)["notes"]
    assert [note.partition(":")[0] for note in notes] == [
        "maps are of one pass over the finished hypothesis", "struck out", "pulled", "pulled"
    ]  # fmt: skip
    refused = regard("look", "en-de", TEXT, "--looks", "4", "--json")
    assert refused.code == 2
    assert "a look must be a row and the position that it looks at" in refused.err


def test_a_translation_can_be_given(regard):
    outcome = regard("look", "en-de", "Good morning.", "--target", "Guten Abend.", "--json")
    (given,) = json.loads(outcome.out)["generation"]["hypotheses"]
    assert given["text"] == "Guten Abend."


def test_the_terminal_shows_words_at_the_step_that_predicts_them(regard, saved):
    trace = Trace.load(saved)
    outcome = regard("look", saved, "--terminal", "--tap", CROSS, "--head", 1)
    lines = outcome.out.splitlines()
    assert "head 1; a row for each word of target at the step that predicts it" in outcome.out
    first, last = trace.axes["target"].words[0]
    weights = trace[CROSS].weights(1, slice(first - 1, last - 1)).mean(0)
    words = [float(weights[a:b].sum()) for a, b in trace.axes["source"].words]
    row = next(line for line in lines if line.endswith(" Der"))
    shown = [int(cell) if cell != "." else 0 for cell in re.findall(r"\d+|\.", row)]
    assert shown == [round(100 * weight) for weight in words]
    assert "the rest goes to </s>" in outcome.out


def test_what_each_word_needed_is_a_line(regard):
    lines = regard("look", "en-de", "My sister wants a car.", "--needed").out.splitlines()
    assert re.fullmatch(
        r"Meine: looked at My \(\d\d%\); needed My \(-\d\d points\) and sister \(-\d\d points\)",
        lines[0],
    )
    assert [line.split(":")[0] for line in lines][:2] == ["Meine", "Schwester"]


def test_where_no_words_are_known_rows_are_positions(regard, saved, tmp_path):
    trace = Trace.load(saved)
    trace.axes["source"] = replace(trace.axes["source"], words=None)
    trace.save(tmp_path / "no words.safetensors")
    outcome = regard(
        "look", tmp_path / "no words.safetensors", "--terminal", "--tap", "encoder.layers.0.self"
    )
    assert "a row for each position of source" in outcome.out


def test_a_saved_trace_is_whole(regard, saved, tmp_path):
    outcome = regard("look", "en-de", TEXT, "--num-beams", 2, "--save", tmp_path / "a.safetensors")
    assert (outcome.code, outcome.out) == (0, "")
    one, other = Trace.load(tmp_path / "a.safetensors"), Trace.load(saved)
    assert list(one) == list(other)
    assert np.array_equal(one[CROSS].weights(), other[CROSS].weights())


def test_a_figure_is_written(regard, saved, tmp_path):
    pytest.importorskip("matplotlib")
    outcome = regard("look", saved, "--figure", tmp_path / "map.svg", "--head", "mean")
    assert outcome.code == 0
    assert CROSS in (tmp_path / "map.svg").read_text()


def test_one_html_file_is_written(regard, saved, tmp_path, monkeypatch):
    monkeypatch.setattr(page, "read", lambda name: f"/* {name} */")
    outcome = regard("look", saved, "--html", tmp_path / "page.html", "--tap", CROSS)
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "")
    written = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert TEXT in written
    assert f'"query":"tap={CROSS}"' in written


def test_the_page_is_opened_at_the_trace(regard, served):
    outcome = regard("look", "en-de", TEXT, "--tap", CROSS, "--head", 3, "--port", 0, "--no-open")
    assert outcome.code == 0, outcome.err
    library = served["app"].state.library
    (listed,) = library.listed()
    assert (listed.text, served["browse"]) == (TEXT, False)
    said = "The+old+man+bought+a+small+red+car."
    assert served["path"] == f"/?model=en-de&text={said}&tap={CROSS}&head=3"
    assert library.trace(TraceRequest("en-de", TEXT)) == listed.id  # what the link asks for
    assert [model.name for model in library.models()] == list(taken_by("studio"))


def test_a_text_in_another_language_is_looked_at_by_force(regard, served):
    foreign = (
        "Je voudrais savoir où se trouve la gare la plus proche, parce que mon train pour Paris"
        " part dans une demi-heure et que je ne connais pas du tout cette ville."
    )
    outcome = regard("look", "en-de", foreign, "--json")
    assert outcome.code == 2
    assert outcome.err.endswith("another model, or --force.\n")
    outcome = regard("look", "en-de", foreign, "--force", "--port", 0, "--no-open")
    assert outcome.code == 0, outcome.err
    request = TraceRequest("en-de", foreign, force=True)
    assert served["path"] == f"/?trace={request.id}"  # a text alone would be refused


def test_a_page_without_a_chosen_map_lands_where_there_is_something_to_see(
    regard, served, tmp_path
):
    folder = tmp_path / "runs" / "mine" / "model"
    shutil.copytree(FOLDER / "shakespeare", folder)
    outcome = regard("look", folder, TEXT, "--generate", 2, "--port", 0, "--no-open")
    assert outcome.code == 0, outcome.err
    library = served["app"].state.library
    (listed,) = library.listed()
    assert listed.model == "mine"
    assert served["path"].endswith("&generate=2")
    assert [model.name for model in library.models()][-1] == "mine"


def test_a_model_that_is_not_here_is_refused_with_the_command_that_fetches_it(
    regard, monkeypatch, tmp_path
):
    from regard.checkpoints import hub

    monkeypatch.chdir(tmp_path)
    outcome = regard("look", "openai-community/gpt2", "The cat's", "--json")
    assert outcome.code == 2
    assert outcome.err.endswith(
        " To fetch it: regard look openai-community/gpt2 'The cat'\"'\"'s' --download\n"
    )
    fetched = []
    monkeypatch.setattr(
        hub, "download", lambda name: fetched.append(name) or FOLDER / "shakespeare"
    )
    outcome = regard("look", "org/bard", "To be", "--generate", 0, "--json", "--download")
    assert json.loads(outcome.out)["model"] == "org/bard"
    assert set(fetched) == {"org/bard"}


def test_the_help_says_which_head_is_shown_without_the_option(regard, saved, tmp_path):
    """The mean in a figure; the page, which is passed no head, chooses."""
    printed = " ".join(regard("look", "--help").out.replace("│", " ").split())
    assert "[default: (mean, or the page's own choice)]" in printed
    outcome = regard("look", saved, "--html", tmp_path / "page.html", "--tap", CROSS)
    assert outcome.code == 0, outcome.err
    written = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert f'"query":"tap={CROSS}"' in written


def test_a_port_in_use_is_said_before_anything_is_traced(regard):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        outcome = regard("look", "en-de", TEXT, "--port", port)
    assert outcome.code == 2
    assert outcome.err.startswith(f"regard: port {port} is in use")


MISTAKES = [
    (["en-de", ""], "the text is empty; give a sentence."),
    (["en-de", "word " * 600, "--json"], "a text may have 511 tokens with en-de; got 600."),
    (["en-de", "a", "--file", "b"], "give either a text or --file; got both."),
    (["en-de", "a", "--json", "--tap", "decoder"], "--tap must be one of encoder.layers.0.self"),
    (["en-de", "a", "--json", "--head", "4"], f"{CROSS} has heads 0 to 3; got 4."),
    (["en-de", "a", "--json", "--head", "x"], "--head must be a number from 0, or mean; got 'x'."),
    (["en-de", "a", "--figure", "a.gif"], "--figure must end in .svg, .pdf, .png; got 'a.gif'."),
    (["en-de", "a", "--save", "a.bin"], "--save must end in .safetensors; got 'a.bin'."),
    (["en-de", "a", "--num-beams", "65"], "--num-beams must be from 1 to 64; got 65."),
    (["en-de", "a", "--json", "--generate", "3"], "en-de does not take --generate when it is"),
    (["nowhere", "a", "--json"], "there is no folder nowhere; give a model folder"),
    (["no.safetensors"], "there is no trace at no.safetensors;"),
    (["no.safetensors", "a"], "a saved trace cannot be changed;"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "begins"), MISTAKES)
def test_a_mistake_is_one_sentence(regard, arguments, begins):
    outcome = regard("look", *arguments, *([] if "--json" in arguments else ["--port", 0]))
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"regard: {begins}")
    assert outcome.err.count("\n") == 1


def test_nothing_is_written_when_something_is_refused(regard, tmp_path):
    class Attending(torch.nn.Module):
        def forward(self, x):
            return attend(x, x, x)

    long = regard_trace(Attending().eval(), x=torch.randn(1, 1, 2049, 3))
    long.save(tmp_path / "long.safetensors")
    wanted = ["--html", tmp_path / "a.html", "--save", tmp_path / "b.safetensors"]
    drawn = regard("look", tmp_path / "long.safetensors", *wanted, "--figure", tmp_path / "c.svg")
    assert (drawn.code, "has 2,049 x 2,049: choose others" in drawn.err) == (2, True)
    shown = regard("look", tmp_path / "long.safetensors", *wanted, "--terminal")
    assert (shown.code, "is too large for the terminal" in shown.err) == (2, True)
    assert [file.name for file in tmp_path.iterdir()] == ["long.safetensors"]


def test_without_a_text_at_a_terminal_it_says_how(regard):
    outcome = regard("look", "en-de", "--json", stdin=None)
    assert (outcome.code, outcome.err[:25]) == (2, "regard: there is no text;")


def test_a_folder_without_its_tokenizer_is_one_sentence(regard, tmp_path):
    folder = tmp_path / "model"
    shutil.copytree(FOLDER / "en-de", folder)
    (folder / "tokenizer.json").unlink()
    outcome = regard("look", folder, "a", "--json")
    assert outcome.code == 2
    assert outcome.err.startswith(f"regard: expected a tokenizer at {folder}")


def test_a_trace_cut_short_or_of_another_version_is_one_sentence(regard, saved, tmp_path):
    whole = saved.read_bytes()
    (tmp_path / "cut.safetensors").write_bytes(whole[: len(whole) // 2])
    outcome = regard("look", tmp_path / "cut.safetensors", "--json")
    assert (outcome.code, "was it cut short?" in outcome.err) == (2, True)
    other = whole.replace(b'"version":"1"', b'"version":"9"')
    (tmp_path / "other.safetensors").write_bytes(other)
    outcome = regard("look", tmp_path / "other.safetensors", "--json")
    assert (outcome.code, "is a trace of version 9" in outcome.err) == (2, True)


def test_a_packed_file_is_unpacked(tmp_path):
    from regard.cli.commands.look import _text

    (tmp_path / "text.gz").write_bytes(gzip.compress(b"The dog sees.\n"))
    assert _text(None, tmp_path / "text.gz") == "The dog sees."


def test_a_model_that_writes_nothing_is_said_to(regard, foreign, tmp_path):
    foreign("bart", tmp_path, forced_bos_token_id=2)
    shown = regard("look", tmp_path, "A man is looking at the dog.", "--terminal")
    assert shown.code == 2
    assert re.search(r"wrote no word, only </s>; leave out --terminal to see the map", shown.err)
    assert "too large" not in shown.err


def test_a_sentence_without_a_model_is_read_by_minilm_which_is_said(regard, tmp_path):
    sentence = "The animal did not cross the street because it was too tired."
    (tmp_path / "text.txt").write_text(sentence)
    maps = [
        regard("look", sentence, "--terminal"),
        regard("look", "--file", tmp_path / "text.txt", "--terminal"),
        regard("look", "--terminal", stdin=sentence.encode()),
    ]
    expected = regard("look", "minilm", sentence, "--terminal").out
    assert [each.out for each in maps] == [expected] * 3
    assert all("minilm, an encoder of English words in context, reads it" in m.err for m in maps)
    assert "Did you mean 'minilm'?" in regard("look", "minlm", "--terminal").err


def test_a_map_without_room_in_the_terminal_is_refused_before_a_model_runs(regard, monkeypatch):
    def runs(*_: object) -> None:
        raise AssertionError("a model ran")

    monkeypatch.setattr("regard.cli.looked.traced", runs)
    monkeypatch.setattr("regard.cli.commands.look.traced", runs)
    for options in ([], ["--head", "0"]):
        outcome = regard("look", "minilm", "word " * 129, "--terminal", *options)
        assert outcome.code == 2
        assert "a map of 129 x 129 words is too large for the terminal" in outcome.err
