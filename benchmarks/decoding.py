"""Translation speed beside transformers, on the same weights: sentences per second.

    python benchmarks/decoding.py
    python benchmarks/decoding.py PAIRS --model en-de

transformers opens the very folder that regard opens, in float32 and in bfloat16, and gets the same
subwords in the same batches with the same settings; what is timed goes from text to text. Without
the shipped model both run an untrained one of preset tiny, which never ends a sentence, to 24
tokens. "same" counts the sentences whose translation is regard's, letter for letter.
"""

import argparse
import itertools
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch

from regard.checkpoints import find_folder
from regard.data import pad, read_pairs
from regard.generation import GenerationConfig
from regard.models import EncoderDecoder, preset
from regard.tasks.translation.task import Translator
from regard.text import normalize, train_pair

PAIRS = Path(__file__).parents[2] / "shared" / "data" / "tatoeba_en_de" / "dev.tsv"
SETTINGS = [(1, 1), (1, 4), (32, 1), (32, 4)]  # sentences together, beams
Translate = Callable[[list[str], int, int], list[str]]


def untrained(folder: str, texts: list[str]) -> None:
    """Saves a tiny model with random weights and a vocabulary of these texts."""
    torch.manual_seed(1)
    tokenizers = train_pair(zip(texts, texts, strict=True), vocab_size=2000)
    ids = {"pad_id": tokenizers.target.pad_id, "eos_id": tokenizers.target.eos_id}
    size = preset("tiny", tokenizers.target.vocab_size, start_id=ids["pad_id"], norm="pre", **ids)
    generation = GenerationConfig(max_new_tokens=24)
    Translator(EncoderDecoder(size).eval(), tokenizers, generation=generation).save(folder)


def by_transformers(folder: Path, translator: Translator, dtype: torch.dtype) -> Translate:
    """transformers' model of the folder between regard's subwords in and out."""
    from transformers import AutoModelForSeq2SeqLM

    model: Any = AutoModelForSeq2SeqLM.from_pretrained(folder, dtype=dtype).eval()
    ids, settings = translator.model.config, translator.generation
    same = {
        "max_new_tokens": min(settings.max_new_tokens, ids.max_positions),
        "length_penalty": settings.length_penalty,
        "early_stopping": settings.early_stopping,
        "do_sample": False,
    }

    @torch.inference_mode()
    def translate(texts: list[str], batch_size: int, num_beams: int) -> list[str]:
        encoded = translator.tokenizers.source.encode_batch([normalize(text) for text in texts])
        order = sorted(range(len(encoded)), key=lambda k: len(encoded[k]))
        results = [""] * len(texts)
        options = same if num_beams > 1 else same | {"length_penalty": 1.0, "early_stopping": False}
        for start in range(0, len(order), batch_size):
            chosen = order[start : start + batch_size]
            source, _ = pad([encoded[k] for k in chosen], pad_id=ids.pad_id, eos_id=ids.eos_id)
            real = (source != ids.pad_id).long()
            output = model.generate(source, attention_mask=real, num_beams=num_beams, **options)
            for k, row in zip(chosen, output.tolist(), strict=True):
                results[k] = translator.tokenizers.target.decode(row)
        return results

    return translate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("pairs", nargs="?", type=Path, default=PAIRS, help="TSV to translate from")
    parser.add_argument("--model", default="en-de", help="a shipped model or a folder")
    parser.add_argument("--sentences", type=int, default=128, help="an eighth of them singly")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    arguments = parser.parse_args()
    if not arguments.pairs.is_file():
        parser.exit(0, f"{parser.prog} needs sentence pairs; {arguments.pairs} is not there.\n")
    torch.set_num_threads(arguments.threads)
    texts = list(dict.fromkeys(pair.source for pair in read_pairs(arguments.pairs)))
    random.Random(1).shuffle(texts)

    with tempfile.TemporaryDirectory() as made:
        folder, name = find_folder(arguments.model), arguments.model
        if not (folder / "config.json").exists():
            folder, name = Path(made), "an untrained model of preset tiny"
            untrained(made, texts)
        translator = Translator.load(folder)

        def by_regard(texts: list[str], batch_size: int, num_beams: int) -> list[str]:
            results = translator.run(texts, batch_size=batch_size, num_beams=num_beams)
            return [result.text for result in results]

        contenders: dict[str, Translate] = {"regard": by_regard}
        if find_spec("transformers"):
            for dtype in (torch.float32, torch.bfloat16):
                label = f"transformers, {str(dtype).removeprefix('torch.')}"
                contenders[label] = by_transformers(folder, translator, dtype)
        measure(contenders, texts[: arguments.sentences], arguments.rounds, name)
    if not find_spec("transformers"):
        print("transformers was not measured: it is not installed.")


def measure(contenders: dict[str, Translate], texts: list[str], rounds: int, name: str) -> None:
    """Prints a line for each setting and contender, who take turns."""
    print(f"{name}; torch {torch.__version__}, {torch.get_num_threads()} threads")
    print(f"{'together':>8}  {'beams':>5}  {'':24}{'sentences/s':>12}{'same':>10}  regard is")
    for together, beams in SETTINGS:
        some = texts if together > 1 else texts[: max(1, len(texts) // 8)]
        speeds: dict[str, list[float]] = {contender: [] for contender in contenders}
        results: dict[str, list[str]] = {}
        for number, (contender, translate) in itertools.product(
            range(rounds + 1), contenders.items()
        ):
            started = time.perf_counter()
            results[contender] = translate(some, together, beams)
            if number:  # the first round warms up
                speeds[contender].append(len(some) / (time.perf_counter() - started))
        for contender, found in speeds.items():
            ratio = statistics.median(
                ours / theirs for ours, theirs in zip(speeds["regard"], found, strict=True)
            )
            same = sum(a == b for a, b in zip(results["regard"], results[contender], strict=True))
            print(
                f"{together:8}  {beams:5}  {contender:24}{statistics.median(found):12.1f}"
                f"{f'{same}/{len(some)}':>10}  {ratio:.1f} × as fast",
                flush=True,
            )


if __name__ == "__main__":
    main()
