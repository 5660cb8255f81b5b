"""Words that Whisper base writes of twenty sentences of espeak-ng: those of transformers, and of
faster-whisper."""

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import transcription
from spoken import speak

from regard.checkpoints import from_pretrained, open_checkpoint, save_pretrained
from regard.tasks.transcription.audio import read_sound, read_spectrogram

transformers = pytest.importorskip("transformers")
ENGINE = Path(transcription.__file__).parent / "peers" / "engine.py"


@pytest.fixture(scope="module")
def sounds(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    if shutil.which("espeak-ng") is None:
        pytest.skip("espeak-ng is not installed")
    return speak(tmp_path_factory.mktemp("spoken"))


@pytest.fixture(scope="module")
def ours(whisper: Path, sounds: list[Path]) -> list[str]:
    """The words by regard, in fp32."""
    samples = [read_sound(sound, transcription.RATE) for sound in sounds]
    return transcription.by_regard(whisper, "fp32")(samples)


def test_the_words_of_transformers(
    whisper: Path, sounds: list[Path], ours: list[str], tmp_path: Path
) -> None:
    save_pretrained(from_pretrained(whisper), tmp_path)
    shutil.copy(whisper / "tokenizer.json", tmp_path)
    transformers.WhisperFeatureExtractor().save_pretrained(tmp_path)
    model = transformers.WhisperForConditionalGeneration.from_pretrained(tmp_path)
    settings = open_checkpoint(whisper).files.get("generation_config.json", {})
    for name in ("pad_token_id", "eos_token_id", "decoder_start_token_id"):
        settings = {**settings, name: getattr(model.config, name)}
    model.generation_config = transformers.GenerationConfig(**settings)
    samples = [read_sound(sound, transcription.RATE) for sound in sounds]
    assert transcription.by_transformers(model.eval(), tmp_path)(samples) == ours


def test_the_words_of_faster_whisper(
    whisper: Path, sounds: list[Path], ours: list[str], peer: Callable[[str], str], tmp_path: Path
) -> None:
    """By the same spectrograms: its own differ a little from OpenAI's."""
    spectrogram = read_spectrogram(open_checkpoint(whisper).files)
    files = [tmp_path / f"{number}.npy" for number in range(len(sounds))]
    for sound, file in zip(sounds, files, strict=True):
        np.save(file, spectrogram(read_sound(sound, transcription.RATE)))
    done = subprocess.run(
        [peer("faster_whisper"), str(ENGINE), "faster_whisper_fp32", str(whisper), "1", "1"],
        input=json.dumps({"spectrograms": [str(file) for file in files]}),
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout.splitlines()[-1])["output"] == ours
