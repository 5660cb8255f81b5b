"""Sounds and spectrograms: transformers' numbers, and one sentence for what is not a sound."""

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fixtures import speech
from regard.errors import RegardError
from regard.json_files import JsonFiles
from regard.tasks.transcription.audio import Spectrogram, read_sound, read_spectrogram

soundfile = pytest.importorskip("soundfile")


@pytest.mark.parametrize("seconds", [0.01, 30.0, 41.13])
def test_spectrograms_are_those_of_transformers(seconds: float) -> None:
    transformers = pytest.importorskip("transformers")
    extractor = transformers.WhisperFeatureExtractor(feature_size=80)
    sound = speech.noise(seconds)
    padding = "max_length" if seconds <= 30 else "longest"
    expected = extractor(
        sound, sampling_rate=speech.RATE, truncation=False, padding=padding, return_tensors="np"
    ).input_features[0]
    found = Spectrogram()(sound)
    assert found.shape == expected.shape
    assert np.abs(found - expected).max() <= 1e-5


def file_of(samples: Any, rate: int = speech.RATE, subtype: str = "PCM_16", **more: Any) -> bytes:
    file = io.BytesIO()
    soundfile.write(file, samples, rate, format=more.get("format", "WAV"), subtype=subtype)
    return file.getvalue()


@pytest.mark.parametrize(
    ("subtype", "format", "tolerance"),
    [("PCM_U8", "WAV", 0.01), ("FLOAT", "WAV", 0.0), ("PCM_24", "FLAC", 1e-6)],
)
def test_files_of_any_kind_are_read_and_channels_are_mixed(
    subtype: str, format: str, tolerance: float
) -> None:
    left, right = speech.noise(0.1, 1), speech.noise(0.1, 2)
    content = file_of(np.stack([left, right], 1), subtype=subtype, format=format)
    assert np.abs(read_sound(content, speech.RATE) - (left + right) / 2).max() <= tolerance


def test_another_rate_is_changed() -> None:
    wave = np.sin(2 * np.pi * 440 * np.arange(44_100) / 44_100)
    found = read_sound(file_of(wave, 44_100, "FLOAT"), speech.RATE)
    expected = np.sin(2 * np.pi * 440 * np.arange(16_000) / 16_000)
    assert found.shape == expected.shape
    assert np.abs(found - expected)[200:-200].max() < 1e-3


def test_what_is_no_sound_is_refused_in_one_sentence(tmp_path: Path) -> None:
    bad = np.full(160, np.nan, np.float32)
    (tmp_path / "talk.wav").write_bytes(b"RIFF and no more")
    (tmp_path / "empty.wav").write_bytes(b"")
    (tmp_path / "silent.wav").write_bytes(file_of(np.zeros(0)))
    (tmp_path / "nan.wav").write_bytes(file_of(bad, subtype="FLOAT"))
    (tmp_path / "long.wav").write_bytes(file_of(np.zeros(13 * 3600), 1, "PCM_U8"))
    for sound, sentence in (
        (tmp_path / "talk.wav", "talk.wav is not a sound file that can be read"),
        (tmp_path / "empty.wav", "empty.wav"),
        (tmp_path / "silent.wav", "has no samples"),
        (tmp_path / "nan.wav", "contains NaN or infinity"),
        (tmp_path / "long.wav", "is 13.0 hours long; a sound may have 12"),
        (tmp_path / "none.wav", "there is no such file"),
        (np.zeros((2, 3), np.float32), "must be samples"),
        (b"\0" * 40, "the content is not a sound file that can be read"),
    ):
        with pytest.raises(RegardError, match=sentence) as refused:
            read_sound(sound, speech.RATE)
        assert "\n" not in str(refused.value)


def test_settings_of_spectrograms_are_read_or_refused(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match="has no preprocessor_config"):
        read_spectrogram(JsonFiles(tmp_path))
    settings = {"feature_extractor": {"feature_size": 128}}
    (tmp_path / "processor_config.json").write_text(json.dumps(settings))
    assert read_spectrogram(JsonFiles(tmp_path)) == Spectrogram(mel_bins=128)
    for key, value in {"dither": 0.1, "hop_length": 200, "n_fft": 0, "chunk_length": "x"}.items():
        (tmp_path / "preprocessor_config.json").write_text(json.dumps({key: value}))
        with pytest.raises(RegardError):
            read_spectrogram(JsonFiles(tmp_path))


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int32", "uint16"])
def test_integer_samples_are_the_floats_that_soundfile_reads_of_them(kind: str) -> None:
    shares = np.array([0.0, 0.25, -0.5, -1.0])
    size = 2 ** (8 * np.dtype(kind).itemsize - 1)
    samples = (shares * size + (size if kind[0] == "u" else 0)).astype(kind)
    np.testing.assert_array_equal(read_sound(samples, speech.RATE), shares.astype(np.float32))
    if kind == "int16":
        file = file_of(samples, subtype="PCM_16")
        np.testing.assert_array_equal(read_sound(file, speech.RATE), shares.astype(np.float32))


@pytest.mark.parametrize(
    ("samples", "sentence"),
    [
        (np.array([0.5, -20000.0]), "must lie from -1 to 1; the largest is 20000. Divide"),
        (np.array([1, -20000]), "integers of 8, 16 or 32 bits; they are int64. Convert"),
        (np.array([0.5, None]), "must be floats from -1 to 1, .* they are object"),
        (np.zeros((2, 9)), r"its shape is \(2, 9\)\. Give the mean of its channels"),
    ],
)
def test_samples_of_another_scale_are_refused(samples: Any, sentence: str) -> None:
    with pytest.raises(RegardError, match=sentence):
        read_sound(samples, speech.RATE)
