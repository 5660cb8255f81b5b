"""A model learns what is said: with the loss of transformers, until no word is wrong."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

import regard
from fixtures import speech
from fixtures.gradients import largest_difference
from regard.errors import RegardError
from regard.tasks.transcription.score import (
    TranscriptionEvaluation,
    TranscriptionEvaluator,
)
from regard.tasks.transcription.task import Transcriber
from regard.tasks.transcription.train import TranscriptionRecipe
from regard.tasks.transcription.train_options import (
    TranscriptionEvaluationOptions,
    TranscriptionOptions,
)
from regard.training.recipe import learn

transformers = pytest.importorskip("transformers")
soundfile = pytest.importorskip("soundfile")
pytest.importorskip("rapidfuzz")

WORDS = ("one", "two", "to go")


class Spoken(NamedTuple):
    theirs: Any
    folder: Path  # of the model
    data: Path  # a table of tones, a word for each pitch
    dev: Path


def write_table(path: Path, seed: int, count: int) -> Path:
    draw, lines = np.random.default_rng(seed), []
    for row in range(count):
        times = np.arange(8000 + 400 * row) / speech.RATE
        sound = np.sin(2 * np.pi * 300 * (1 + 2 * (row % 3)) * times)
        name = f"{path.stem}-{row}.wav"
        soundfile.write(
            path.with_name(name), 0.3 * sound + 0.01 * draw.normal(size=times.size), speech.RATE
        )
        lines.append(f"{name}\t{WORDS[row % 3]}\n")
    path.write_text("audio\tsentence\n" + "".join(lines))
    return path


@pytest.fixture(scope="module")
def spoken(tmp_path_factory: pytest.TempPathFactory) -> Spoken:
    pytest.importorskip("soundfile")
    folder = tmp_path_factory.mktemp("spoken")
    theirs = speech.write(folder / "model")
    tables = (
        write_table(folder / f"{name}.tsv", seed, 6) for seed, name in enumerate(("data", "dev"))
    )
    return Spoken(theirs, folder / "model", *tables)


@pytest.fixture
def teach(spoken: Spoken) -> Callable[..., TranscriptionRecipe]:
    def recipe(data: Path, said: list[str], **options: Any) -> TranscriptionRecipe:
        options = {"base_model": str(spoken.folder), "language": "de"} | options
        settings = TranscriptionOptions(**options)
        return TranscriptionRecipe(str(data), settings, say=said.append, command="regard train")

    return recipe


def test_the_loss_and_its_gradients_are_those_of_transformers(spoken: Spoken, teach: Any) -> None:
    recipe = teach(spoken.data, [])
    examples = [*recipe.examples(str(spoken.data), pytest.fail)][:3]
    batch = recipe.batch(examples)
    ours = recipe.base.model.double()
    loss, count, _ = recipe.loss(ours, batch)
    (loss / count).backward()

    extractor = transformers.WhisperFeatureExtractor.from_pretrained(spoken.folder)
    sounds = [soundfile.read(example.text)[0] for example in examples]
    features = extractor(sounds, sampling_rate=speech.RATE, return_tensors="pt").input_features
    assert (batch.spectrograms - features).abs().max() < 1e-5
    start = [speech.IDS[f"<|{sign}|>"] for sign in ("de", "transcribe", "notimestamps")]
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(spoken.folder)
    texts = [tokenizer(f" {word}").input_ids for word in WORDS]
    length = max(map(len, texts)) + 4
    labels = torch.tensor([
        (row := [*start, *text, speech.IDS["<|endoftext|>"]]) + [-100] * (length - len(row))
        for text in texts
    ])  # fmt: skip
    theirs = spoken.theirs.double()
    expected = theirs(batch.spectrograms.double(), labels=labels).loss
    expected.backward()
    assert loss.item() / count == pytest.approx(expected.item(), abs=1e-12)
    assert largest_difference(ours, theirs) < 1e-10


@pytest.mark.long("trains")
def test_it_learns_what_is_said(spoken: Spoken, teach: Any, tmp_path: Path) -> None:
    said: list[str] = []
    recipe = teach(
        spoken.data, said, output=str(tmp_path / "run"), dev=str(spoken.dev), learning_rate=1e-2,
        max_steps=40, evaluate_every=20, batch_size=6, precision="fp32",
    )  # fmt: skip
    progress = learn(recipe)
    assert f"{spoken.data}: 6 read, 6 kept; none left out" in said
    assert progress.figures["wer"] == progress.figures["cer"] == 0
    folder = tmp_path / "run" / "model"
    learned = regard.load(str(folder))
    assert isinstance(learned, Transcriber)
    assert learned.beginnings.language == "de"
    sounds = [str(spoken.dev.with_name(f"dev-{row}.wav")) for row in range(3)]
    assert learned(sounds) == [*WORDS]
    theirs = transformers.WhisperForConditionalGeneration.from_pretrained(folder)
    extractor = transformers.WhisperFeatureExtractor.from_pretrained(folder)
    features = extractor(
        soundfile.read(sounds[2])[0], sampling_rate=speech.RATE, return_tensors="pt"
    )
    [ids] = theirs.generate(features.input_features)
    tokenizer = transformers.PreTrainedTokenizerFast.from_pretrained(folder)
    assert tokenizer.decode(ids, skip_special_tokens=True).strip() == WORDS[2]

    wrong = spoken.dev.with_name("wrong.tsv")
    wrong.write_text("dev-0.wav\tone\ndev-1.wav\tone two\n")
    options = TranscriptionEvaluationOptions(batch_size=1)
    evaluator = TranscriptionEvaluator(options, say=pytest.fail)
    report = evaluator.report(learned, evaluator.read(str(wrong)))
    assert report.figures["wer"] == pytest.approx(1 / 3)
    assert report.worst == [{"line": 2, "wer": 0.5, "text": "two", "expected": "one two"}]


def test_errors_are_counted_in_words_and_characters() -> None:
    # By hand: "sat" for "sits" and "mat" for "hat.": two of six words; with marks and case also
    # "The"; in characters i → a, one s taken out, T, h → m and the period.
    found = TranscriptionEvaluation.of(["the cat sat on the mat"], ["The cat sits on the hat."])
    assert found.figures == pytest.approx({"wer": 3 / 6, "plain_wer": 2 / 6, "cer": 5 / 24})
    assert TranscriptionEvaluation.of(["नमस्ते, दुनिया"], ["नमस्ते दुनिया"]).figures["plain_wer"] == 0


def test_what_cannot_be_learned_from_is_counted_or_refused(
    spoken: Spoken, teach: Any, tmp_path: Path
) -> None:
    noise = speech.noise(1.5)
    soundfile.write(tmp_path / "long.wav", noise, speech.RATE)
    (tmp_path / "broken.wav").write_bytes(b"no sound")
    names = [
        *(spoken.data.with_name(f"data-{row}.wav") for row in range(6)),
        *("long.wav", "broken.wav"),
    ]
    rows = [f"{name},{WORDS[0]}" for name in names]
    rows += [f"gone.wav,{WORDS[0]}", f"{names[0]},", f"{names[1]},{'long ' * 9}"]
    data = tmp_path / "mixed.csv"
    data.write_text("\n".join(rows))
    said: list[str] = []
    learn(teach(data, said, output=str(tmp_path / "run"), max_steps=1, batch_size=2))
    counted = (
        "11 read, 6 kept; 1 over 1 seconds (first at line 7), 1 broken file (first at line 8),"
    )
    assert counted in "\n".join(said), said
    for reason in (
        "1 missing file (first at line 9)",
        "1 empty cell (first at line 10)",
        "1 long text (first at line 11)",
    ):
        assert reason in "\n".join(said)
    strict = teach(data, [], strict=True, output=str(tmp_path / "strict"))
    with pytest.raises(RegardError, match=r"line 8: .*broken.wav is not a sound file"):
        learn(strict)
    with pytest.raises(
        RegardError, match=r"language must say what is spoken: .* Give one of de, en"
    ):
        learn(teach(data, [], language=None, output=str(tmp_path / "none")))
    with pytest.raises(RegardError, match="base_model must name the model to begin with"):
        TranscriptionOptions()
