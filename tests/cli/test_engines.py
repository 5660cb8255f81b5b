"""--engine and --precision of every command that runs a model."""

from pathlib import Path
from typing import Any

import pytest

DIGIT = str(Path(__file__).parents[2] / "docs" / "images" / "digit.png")
COMMANDS: dict[str, tuple[str, ...]] = {
    "texts": ("classify", "What a lovely surprise!", "ok", "--top-k", "3"),
    "images": ("classify", "--images", DIGIT),
    "a stream": ("generate", "ROMEO:", "--seed", "1", "--max-new-tokens", "20"),
    "texts that go on": ("generate", "a", "KING", "--no-sample", "--max-new-tokens", "9"),
}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("REGARD_CACHE", str(tmp_path / "packed"))
    return tmp_path / "packed"


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_fp32_shows_what_torch_shows(regard: Any, arguments: tuple[str, ...], cache: Path) -> None:
    expected = regard(*arguments)
    assert not cache.exists()
    got = regard(*arguments, "--engine", "onnx")
    assert (got.code, got.out, got.err) == (0, expected.out, expected.err)
    assert [folder.name.split("-")[1] for folder in cache.iterdir()] == ["fp32"]


def test_vectors_in_int8_are_others_but_near(regard: Any, cache: Path) -> None:
    import json

    import numpy as np

    text = ("encode", "Where is the station?")
    exact, coarse = (
        np.array(json.loads(regard(*text, *engine).out)["embedding"])
        for engine in ((), ("--engine", "onnx", "--precision", "int8"))
    )
    assert 0.99 < exact @ coarse < 1 - 1e-6
    assert [folder.name.split("-")[1] for folder in cache.iterdir()] == ["int8"]


@pytest.mark.parametrize(
    ("command", "head", "more"),
    [
        ("answer", "ForQuestionAnswering", ("--text", "Anna lives in the red house.")),
        ("summarize", "ForConditionalGeneration", ("--max-new-tokens", "5")),
    ],
)
def test_models_of_ones_own_too(
    regard: Any, encoder_folder: Any, command: str, head: str, more: tuple[str, ...]
) -> None:
    arguments = (command, "Who lives in the house?", "-m", encoder_folder("Bart", head), *more)
    expected = regard(*arguments)
    assert expected.out.strip()
    assert regard(*arguments, "--engine", "onnx", "--threads", 1).out == expected.out


@pytest.mark.parametrize("command", ["classify", "encode", "generate"])
def test_a_precision_without_its_engine_is_refused(regard: Any, command: str) -> None:
    outcome = regard(command, "a", "--precision", "int8")
    assert outcome.code == 2
    assert "--precision needs --engine onnx" in outcome.err
