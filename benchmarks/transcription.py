"""Transcribing beside transformers and faster-whisper: Whisper's tiny shape, random weights.

    python benchmarks/transcription.py

A checkpoint of transformers is made: the size and the vocabulary of openai/whisper-tiny, weights
drawn by seed 1. The sounds are 30 seconds of noise each, which all decode greedily to 100 tokens,
about as many as 30 seconds of speech have. faster-whisper has the same checkpoint, as CTranslate2's
converter writes it, and its own decoding but for the rules that would read a window again. Each
program has one thread, and its processor's seconds count, from samples to text, so that what else
runs does not: the least of several rounds, in which the programs take turns. The real-time factor
is the seconds of sound for each of them. Printed first is whether the texts are those of
transformers.
"""

import argparse
import logging
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

import regard
from regard.arrays import Array

RATE, SECONDS, NEW = 16_000, 30, 100
WORDS, LANGUAGES, TIMES = 50_257, 99, 1501
SUPPRESSED = [*range(1, 90), *range(WORDS + 1, WORDS + 8 + LANGUAGES)]
Transcribe = Callable[[list[Array]], list[str]]


def vocabulary() -> list[str]:
    """The names of the special tokens, in the order of their ids behind the words."""
    from transformers.models.whisper.tokenization_whisper import LANGUAGES as names

    languages = [f"<|{name}|>" for name in list(names)[:LANGUAGES]]
    rest = ["translate", "transcribe", "startoflm", "startofprev", "nospeech", "notimestamps"]
    return ["<|endoftext|>", "<|startoftranscript|>", *languages, *(f"<|{x}|>" for x in rest)]


def make(folder: Path) -> Any:
    """transformers' model, saved with its tokenizer in the folder."""
    import tokenizers
    import transformers

    letters = sorted(tokenizers.pre_tokenizers.ByteLevel.alphabet())
    words = letters + [f"w{k}Ġ" for k in range(WORDS - len(letters))]
    backend = tokenizers.Tokenizer(
        tokenizers.models.BPE({word: k for k, word in enumerate(words)}, [])
    )
    backend.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = tokenizers.decoders.ByteLevel()
    backend.add_special_tokens(signs := vocabulary())
    backend.add_tokens([f"<|{k / 50:.2f}|>" for k in range(TIMES)])
    ids = {sign: WORDS + k for k, sign in enumerate(signs)}
    end, start = ids["<|endoftext|>"], ids["<|startoftranscript|>"]
    special = dict(pad_token_id=end, bos_token_id=end, eos_token_id=end)
    special |= dict(decoder_start_token_id=start)
    config = transformers.WhisperConfig(vocab_size=backend.get_vocab_size(), **special)
    torch.manual_seed(1)
    model = transformers.WhisperForConditionalGeneration(config).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.requires_grad and "norm" not in name:
                weight.normal_(std=0.1 if "embed" in name else 0.06)
    model.generation_config = transformers.GenerationConfig(
        **special,
        **dict(max_length=448, suppress_tokens=SUPPRESSED),
        **dict(begin_suppress_tokens=[letters.index("Ġ"), end], is_multilingual=True),
        lang_to_id={sign: ids[sign] for sign in signs[2 : 2 + LANGUAGES]},
        task_to_id={name: ids[f"<|{name}|>"] for name in ("translate", "transcribe")},
        no_timestamps_token_id=ids["<|notimestamps|>"],
    )
    model.save_pretrained(folder)
    backend.save(str(folder / "tokenizer.json"))
    transformers.WhisperFeatureExtractor().save_pretrained(folder)
    return model


def noise(seed: int) -> Array:
    """Noise that swells and fades, (samples,)."""
    draw = np.random.default_rng(seed)
    loud = np.repeat(draw.uniform(0, 0.9, SECONDS * 20), RATE // 20)
    return (loud * draw.uniform(-1, 1, SECONDS * RATE)).astype(np.float32)


def by_transformers(model: Any, folder: Path) -> Transcribe:
    """The model of transformers, a sound at a time."""
    import tokenizers
    import transformers

    extractor = transformers.WhisperFeatureExtractor.from_pretrained(folder)
    backend = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))

    @torch.inference_mode()
    def transcribe(sounds: list[Array]) -> list[str]:
        texts = []
        for sound in sounds:
            features = extractor(sound, sampling_rate=RATE, return_tensors="pt").input_features
            asked = dict(language="en", task="transcribe", max_new_tokens=NEW)
            [ids] = model.generate(features, **asked).tolist()
            texts.append(backend.decode([id_ for id_ in ids if id_ < WORDS]).strip())
        return texts

    return transcribe


def by_regard(folder: Path, precision: str) -> Transcribe:
    """The package's engine."""
    task: Any = regard.load(folder).run_by("native", precision=precision, threads=1)

    def transcribe(sounds: list[Array]) -> list[str]:
        results = task.run(sounds, language="en", no_speech=1.0, max_new_tokens=NEW)
        return [result.transcription for result in results]

    return transcribe


def by_faster_whisper(folder: Path, kind: str) -> Transcribe:
    """faster-whisper, by CTranslate2."""
    import ctranslate2
    import faster_whisper

    target = folder.with_name("ct2")
    if not target.exists():
        copied = ["tokenizer.json", "preprocessor_config.json"]
        ctranslate2.converters.TransformersConverter(str(folder), copy_files=copied).convert(
            str(target)
        )
    model = faster_whisper.WhisperModel(str(target), device="cpu", compute_type=kind, cpu_threads=1)

    def transcribe(sounds: list[Array]) -> list[str]:
        texts = []
        for sound in sounds:
            segments, _ = model.transcribe(
                sound, language="en", beam_size=1, temperature=0.0, without_timestamps=True,
                max_new_tokens=NEW, condition_on_previous_text=False, no_speech_threshold=None,
                log_prob_threshold=None, compression_ratio_threshold=None,
                suppress_tokens=SUPPRESSED,
            )  # fmt: skip
            texts.append("".join(segment.text for segment in segments).strip())
        return texts

    return transcribe


def main() -> None:
    """Prints a line for each program."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--sounds", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "theirs"
        model, sounds = make(folder), [noise(seed) for seed in range(arguments.sounds)]
        programs = {"transformers, fp32": by_transformers(model, folder)}
        for precision in ("fp32", "int8"):
            programs[f"regard, {precision}"] = by_regard(folder, precision)
        try:
            for kind in ("float32", "int8"):
                made = by_faster_whisper(folder, kind)
                programs[f"faster-whisper, {kind}"] = made
        except ImportError:
            print("faster-whisper is not installed")
        texts = dict[str, list[str]]()
        best = dict.fromkeys(programs, float("inf"))
        for _ in range(arguments.rounds):
            for name, program in programs.items():
                start = time.process_time()
                texts[name] = program(sounds)
                best[name] = min(best[name], time.process_time() - start)
    expected = texts["transformers, fp32"]
    print(f"{len(sounds)} sounds of {SECONDS} s, {NEW} tokens each, one thread")
    print(f"{'':26}{'same text':>10}{'characters':>12}{'seconds':>9}{'real-time factor':>18}")
    for name, seconds in best.items():
        same = sum(a == b for a, b in zip(texts[name], expected, strict=True))
        characters = sum(map(len, texts[name]))
        factor = len(sounds) * SECONDS / seconds
        print(f"{name:26}{f'{same}/{len(sounds)}':>10}{characters:12}{seconds:9.2f}{factor:18.1f}")


if __name__ == "__main__":
    main()
