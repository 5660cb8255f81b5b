"""--engine and --precision of every command that runs a model."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fixtures.started import Forks
from regard.checkpoints import open_checkpoint
from regard.models import RecurrentEncoderDecoder, recurrent_preset
from regard.tasks.translation.task import Translator

DIGIT = str(Path(__file__).parents[2] / "docs" / "images" / "digit.png")
COMMANDS: dict[str, tuple[str, ...]] = {
    "texts": ("classify", "What a lovely surprise!", "ok", "--top-k", "3"),
    "images": ("classify", "--images", DIGIT),
    "a stream": ("generate", "ROMEO:", "--seed", "1", "--max-new-tokens", "20"),
    "texts that go on": ("generate", "a", "KING", "--no-sample", "--max-new-tokens", "9"),
}


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_by_default_the_native_engine_shows_what_torch_shows(
    regard: Any, arguments: tuple[str, ...]
) -> None:
    expected = regard(*arguments, "--engine", "torch")
    got = regard(*arguments)
    assert (got.code, got.out, got.err) == (0, expected.out, expected.err)


def test_vectors_in_int8_are_others_but_near(regard: Any) -> None:
    import json

    import numpy as np

    text = ("encode", "Where is the station?")
    exact, coarse = (
        np.array(json.loads(regard(*text, *engine).out)["embedding"])
        for engine in (("--engine", "torch"), ("--precision", "int8"))
    )
    assert 0.99 < exact @ coarse < 1 - 1e-6


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
    expected = regard(*arguments, "--engine", "torch")
    assert expected.out.strip()
    assert regard(*arguments, "--threads", 1).out == expected.out


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_the_native_engine_shows_what_torch_shows(
    regard: Any, encoder_folder: Any, precision: str
) -> None:
    own = encoder_folder("Bart", "ForConditionalGeneration")
    for arguments in (
        ("translate", "Where is the station?", "What a lovely surprise!"),
        ("summarize", "Who lives in the house?", "-m", own, "--max-new-tokens", "5"),
    ):
        expected = regard(*arguments, "--engine", "torch")
        got = regard(*arguments, "--engine", "native", "--precision", precision, "--threads", 2)
        assert (got.code, got.out) == (0, expected.out)


def test_what_the_native_engine_lacks_is_said(regard: Any, tmp_path: Path) -> None:
    tokenizers = open_checkpoint("en-de").tokenizers
    config = recurrent_preset("tiny", tokenizers.source.vocab_size, d_model=8, hidden_size=8)
    Translator(RecurrentEncoderDecoder(config), tokenizers).save(tmp_path)
    outcome = regard("translate", "a", "--model", tmp_path, "--engine", "native")
    assert outcome.code == 2
    assert "cannot run in the native engine; use the engine torch." in outcome.err
    outcome = regard("translate", "a", "--model", tmp_path)
    assert outcome.code == 0
    assert "cannot run in the native engine; torch computes, in fp32." in outcome.err
    outcome = regard("translate", "a", "--engine", "onx")
    assert outcome.code == 2
    assert "must be one of auto, torch, native; got 'onx'" in outcome.err


@pytest.mark.parametrize("command", ["classify", "encode", "generate"])
def test_a_precision_without_its_engine_is_refused(regard: Any, command: str) -> None:
    outcome = regard(command, "a", "--engine", "torch", "--precision", "int8")
    assert outcome.code == 2
    assert "--precision needs --engine native" in outcome.err


HEADS = {
    "answers": ("answer", "ForQuestionAnswering", ("--text", "Anna lives in the red house.")),
    "labels": ("classify", "ForSequenceClassification", ()),
    "vectors": ("encode", "Model", ()),
}
SLOW = "torch,jaxtyping,huggingface_hub,filelock"


@pytest.fixture
def without_torch(
    regard: Any, light_forks: Forks, tmp_path: Path
) -> Callable[[tuple[str, ...]], None]:
    """Asserts that a run in a process of its own shows the same, and imports no torch."""

    def check(arguments: tuple[str, ...]) -> None:
        expected = regard(*arguments)
        assert expected.code == 0
        output, errors = tmp_path / "output", tmp_path / "errors"
        started = light_forks.start(
            SLOW, *arguments, module="fixtures.imported", output=output, errors=errors
        )
        assert started.wait() == 0
        assert output.read_text() == f"{expected.out}[]\n"
        # making the folder has written to it too
        assert expected.err.endswith(errors.read_text())

    return check


@pytest.mark.parametrize("arguments", COMMANDS.values(), ids=COMMANDS)
def test_a_run_imports_no_torch(without_torch: Any, arguments: tuple[str, ...]) -> None:
    without_torch(arguments)


@pytest.mark.parametrize("family", ["Bert", "Roberta", "DistilBert"])
def test_a_run_of_vectors_of_ones_own_imports_no_torch(
    family: str, without_torch: Any, encoder_folder: Any
) -> None:
    without_torch(("encode", "Who sees it?", "-m", encoder_folder(family, "Model")))


@pytest.mark.parametrize("family", ["Bert", "Bart"])
@pytest.mark.parametrize(("command", "head", "more"), HEADS.values(), ids=HEADS)
def test_a_run_with_a_model_of_ones_own_imports_no_torch(
    family: str,
    command: str,
    head: str,
    more: tuple[str, ...],
    without_torch: Any,
    encoder_folder: Any,
) -> None:
    if (family, command) == ("Bart", "encode"):
        command, head, more = "summarize", "ForConditionalGeneration", ("--max-new-tokens", "5")
    folder = encoder_folder(family, head)
    without_torch((command, "Who lives in the house?", "-m", folder, *more))
