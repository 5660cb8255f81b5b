"""`regard transcribe`: lines, JSON, segments and subtitles of sound files."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fixtures import speech
from regard.lines import one_line

soundfile = pytest.importorskip("soundfile")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("transformers")
    made: Path = tmp_path_factory.mktemp("whisper")
    speech.write(made)
    soundfile.write(made / "talk.wav", speech.noise(2.0, 5), speech.RATE, subtype="FLOAT")
    return made


def test_a_talk_is_a_line_or_segments_or_subtitles(
    folder: Path, regard: Callable[..., Any]
) -> None:
    talk, call = folder / "talk.wav", ("--model", folder, "--language", "en")
    found = json.loads(regard("transcribe", talk, *call, "--json", "--timestamps").out)
    assert (found["text"], found["language"]) == (str(talk), "en")
    first, *others = found["segments"]
    assert others
    [line] = regard("transcribe", talk, *call).out.splitlines()
    assert line == one_line(found["transcription"])
    timed = regard("transcribe", talk, *call, "--timestamps").out.splitlines()
    assert len(timed) == len(found["segments"])
    subtitles = regard("transcribe", talk, *call, "--srt").out.split("\n\n")
    number, times, _text = subtitles[0].splitlines()
    assert (number, times[12:17]) == ("1", " --> ")
    assert times == f"{clock(first['start'])} --> {clock(first['end'])}"


def clock(seconds: float) -> str:
    return f"00:00:0{seconds:.3f}".replace(".", ",")


def test_what_cannot_be_read_is_one_sentence(folder: Path, regard: Callable[..., Any]) -> None:
    (folder / "bad.wav").write_bytes(b"no sound")
    for arguments, sentence in (
        ((folder / "bad.wav",), "is not a sound file that can be read"),
        ((folder / "talk.wav", folder / "talk.wav", "--srt"), "--srt is for one sound file"),
        ((folder / "talk.wav", "--language", "zz"), "a language of"),
    ):
        outcome = regard("transcribe", *arguments, "--model", folder)
        assert outcome.code != 0
        assert sentence in outcome.err
        assert outcome.err.count("\n") == 1


def test_doctor_finds_nothing_and_look_shows_seconds(
    folder: Path, regard: Callable[..., Any]
) -> None:
    outcome = regard("doctor", folder)
    assert outcome.code == 0
    shown = json.loads(regard("look", folder, folder / "talk.wav", "--json").out)
    assert "0.02s" in json.dumps(shown)
    shown_in_terminal = regard("look", folder, folder / "talk.wav", "--terminal").out
    assert "█" in shown_in_terminal.splitlines()[0]
