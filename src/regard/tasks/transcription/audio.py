"""Sounds, and their spectrograms as preprocessor_config.json says how to make them."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from regard.data.lines import check_file
from regard.errors import (
    BadArgumentError,
    DamagedFileError,
    NotFoundError,
    UnsupportedError,
    refusing,
)
from regard.files import check_content
from regard.json_files import JsonFiles
from regard.packages import optional_package

Floats = NDArray[np.float32]
Sound: TypeAlias = "str | os.PathLike[str] | bytes | Floats"
"""A file, what a file contains, or samples at the model's own rate, (samples,): floats from -1 to
1, or integers of up to 32 bits."""

LONGEST = 12  # hours of a sound, whose samples and spectrogram are in memory as a whole
LOUDEST = 16.0  # a float sample may pass 1, and no scale of integers is so small
_FRAMES = 4096  # of a spectrogram that are transformed together


@dataclass(frozen=True)
class Spectrogram:
    """From a sound to the logarithms of its power in bands of frequencies; Whisper's defaults.

    Bands are as wide as they sound alike (Slaney 1998, Auditory Toolbox, mfcc), up to 8000 Hz.
    """

    mel_bins: int = 80  # bands
    rate: int = 16000  # samples a second
    hop: int = 160  # samples from one frame to the next
    window: int = 400  # samples of a frame
    seconds: int = 30  # that the model reads at once

    def __post_init__(self) -> None:
        if min(self.mel_bins, self.rate, self.hop, self.window, self.seconds) < 1:
            raise BadArgumentError("sizes of a spectrogram must be positive.")
        if self.rate != 100 * self.hop:
            raise BadArgumentError(
                f"a frame must be a hundredth of a second, which times are counted by; a"
                f" hop_length of {self.hop} and a sampling_rate of {self.rate} are not."
            )

    @property
    def frames(self) -> int:
        """Frames that the model reads at once."""
        return self.seconds * self.rate // self.hop

    def __call__(self, samples: Floats) -> Floats:
        """Sample, (samples,) → (mel_bins, frames) of the whole sound; silence follows one that is
        shorter than the model reads at once."""
        missing = self.seconds * self.rate - len(samples)
        half = self.window // 2
        padded = np.pad(np.pad(samples, (0, max(0, missing))), half, mode="reflect")
        parts = np.lib.stride_tricks.sliding_window_view(padded, self.window)[:: self.hop][:-1]
        steps = np.arange(self.window, dtype=np.float64) / self.window
        hann = (0.5 - 0.5 * np.cos(2 * np.pi * steps)).astype(np.float32)
        bands = np.empty((self.mel_bins, len(parts)), np.float32)
        for first in range(0, len(parts), _FRAMES):
            power = np.abs(np.fft.rfft(parts[first : first + _FRAMES] * hann)) ** 2
            bands[:, first : first + _FRAMES] = self._filters @ power.T
        bands = np.log10(np.maximum(bands, 1e-10))
        return (np.maximum(bands, bands.max() - 8) + 4) / 4

    @cached_property
    def _filters(self) -> Floats:
        """Triangles over the frequencies of a frame, (mel_bins, window // 2 + 1)."""
        edges = _hertz(np.linspace(0, _mels(8000), self.mel_bins + 2))
        frequencies = np.linspace(0, self.rate // 2, self.window // 2 + 1)
        left, middle, right = edges[:-2, None], edges[1:-1, None], edges[2:, None]
        rising, falling = (frequencies - left) / (middle - left), right - frequencies
        triangles = np.maximum(0, np.minimum(rising, falling / (right - middle)))
        return (triangles * (2 / (right - left))).astype(np.float32)


def _mels(hertz: float) -> float:
    """Return a pitch: linear up to 1000 Hz, which is 15; from there on logarithmic."""
    return 15 + 27 * float(np.log(hertz / 1000) / np.log(6.4)) if hertz > 1000 else hertz * 3 / 200


def _hertz(mels: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(mels < 15, mels * 200 / 3, 1000 * 6.4 ** ((mels - 15) / 27))


def read_spectrogram(files: JsonFiles) -> Spectrogram:
    """Return the one in preprocessor_config.json, or in processor_config.json.

    Raises:
        NotFoundError: there is no such file.
        UnsupportedError: it has a setting that is not supported.
    """
    settings = files.get("preprocessor_config.json")
    if settings is None:
        settings = files.get("processor_config.json", {}).get("feature_extractor")
    if settings is None:
        raise NotFoundError(
            f"{files.folder} has no preprocessor_config.json, which says how to make spectrograms."
            " Copy it from where the model came from."
        )
    with refusing(f"the settings of spectrograms in {files.folder} are malformed"):
        if settings.get("dither") or settings.get("padding_value"):
            raise UnsupportedError(
                f"dither and padding_value must be 0 for spectrograms here; {files.folder} has"
                " others. Use transformers for this model."
            )
        names = dict(mel_bins="feature_size", rate="sampling_rate", hop="hop_length")
        names |= dict(window="n_fft", seconds="chunk_length")
        usual = Spectrogram()
        return Spectrogram(
            **{name: int(settings.get(key, getattr(usual, name))) for name, key in names.items()}
        )


def read_sound(sound: Sound, rate: int) -> Floats:
    """Sample at this rate, (samples,), of which channels are the mean.

    Raises:
        BadArgumentError: no samples, more than LONGEST hours of them, or NaN or infinity in them.
        DamagedFileError: a file of another kind.
        UnavailableError: a package that reads files, or changes their rate, is not installed.
    """
    name = "the content" if isinstance(sound, bytes) else "the sound"
    if isinstance(sound, str | os.PathLike):
        check_file(Path(sound), "a sound")
        name = str(sound)
    samples, own_rate = (sound, rate) if isinstance(sound, np.ndarray) else _read(sound, name)
    if samples.ndim != 1:
        raise BadArgumentError(
            f"{name} must be samples, (samples,); its shape is {samples.shape}. Give the mean of"
            " its channels."
        )
    if not samples.size:
        raise BadArgumentError(f"{name} has no samples. Record or save it again.")
    _check_length(len(samples) / own_rate, name)
    samples = _from_integers(samples, name)
    if not np.isfinite(samples).all():
        raise BadArgumentError(f"{name} contains NaN or infinity. Record or save it again.")
    if (largest := float(np.abs(samples).max())) > LOUDEST:
        raise BadArgumentError(
            f"samples of {name} must lie from -1 to 1; the largest is {largest:g}. Divide them by"
            " the largest number of their format, as 32768 of 16 bits."
        )
    if own_rate != rate:
        with optional_package(
            "soxr", f"{name} has {own_rate:,} samples a second, and another rate needs"
        ):
            import soxr
        samples = soxr.resample(samples, own_rate, rate)
    return np.ascontiguousarray(samples, np.float32)


def _from_integers(samples: NDArray[Any], name: str) -> NDArray[Any]:
    """Sample, (samples,), from -1 to 1: integers are shares of the largest of their format, and
    unsigned ones have their middle at silence, as in WAV."""
    if samples.dtype.kind == "f":
        return samples
    if samples.dtype.kind not in "iu" or samples.dtype.itemsize > 4:
        raise BadArgumentError(
            f"samples of {name} must be floats from -1 to 1, or integers of 8, 16 or 32 bits; they"
            f" are {samples.dtype}. Convert them first."
        )
    half = 2.0 ** (8 * samples.dtype.itemsize - 1)
    middle = half if samples.dtype.kind == "u" else 0.0
    return ((samples - middle) / half).astype(np.float32)


def sound_seconds(path: str | os.PathLike[str]) -> float:
    """Return the length of a file, of which only the head is read.

    Raises:
        DamagedFileError: a file of another kind.
    """
    with _opened(path, str(path)) as file:
        return float(file.frames / file.samplerate)


def _read(sound: str | os.PathLike[str] | bytes, name: str) -> tuple[Floats, int]:
    with _opened(io.BytesIO(sound) if isinstance(sound, bytes) else sound, name) as file:
        _check_length(file.frames / file.samplerate, name)
        samples = file.read(dtype="float32", always_2d=True)
        return samples.mean(1, dtype=np.float32), file.samplerate


@contextmanager
def _opened(sound: str | os.PathLike[str] | io.BytesIO, name: str) -> Iterator[Any]:
    with optional_package("soundfile", "reading sounds needs"):
        import soundfile
    if isinstance(sound, str | os.PathLike):
        check_content(sound)
    try:
        with soundfile.SoundFile(sound) as file:
            yield file
    except (soundfile.SoundFileError, ValueError, TypeError) as error:
        raise DamagedFileError(
            f"{name} is not a sound file that can be read ({str(error).rstrip('.')}). Save it as"
            " WAV, FLAC, OGG or MP3; ffmpeg -i FILE sound.wav does."
        ) from error


def _check_length(seconds: float, name: str) -> None:
    if seconds > LONGEST * 3600:
        raise BadArgumentError(
            f"{name} is {seconds / 3600:.1f} hours long; a sound may have {LONGEST}. Cut it."
        )
