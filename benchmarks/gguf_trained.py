"""Does regard write transformers' tokens from a trained model's GGUF file?

    python benchmarks/gguf_trained.py model.gguf [more.gguf …]

transformers and regard's native engine open the same file, split 200 prompts into tokens with its
tokenizer, and continue each greedily by 20 tokens. transformers dequantizes the weights, so both
compute with the same numbers in float32. Printed are the prompts that are split alike, and those
whose continuations are equal, token for token. Of each that is not, the gap between the two
best logits of transformers where they part: a gap of rounding's size means that it decides.
"""

import argparse
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import torch

from regard.checkpoints import open_checkpoint
from regard.engine.native.loading import open_native
from regard.generation import GenerationConfig, generate

NEW = 20
Texts = list[list[int]]
BEGINNINGS = (
    "The history of {} begins", "In {} you will find", "My favorite thing about {} is",
    "A short poem about {}:\n", "Question: What is {}?\nAnswer:", "Yesterday I read that {}",
    "If {} did not exist,", "{}, they said, was", "To understand {}, one must first",
    "1. Buy {}.\n2.", "The price of {} rose by 7% in 2024, because", "It is not known why {}",
    "def {}(", "Dear Sir,\n\nI write to you about {}.", "{} oder", "L'histoire de {} est",
    "“{}!” she cried, and", "The three parts of {} are", "Once upon a time, {}", "{} vs.",
)  # fmt: skip
TOPICS = (
    "music", "the sea", "Berlin", "mathematics", "a good breakfast", "steam engines", "trust",
    "football", "the old bridge", "black holes",
)  # fmt: skip
PROMPTS = [beginning.format(topic) for beginning, topic in product(BEGINNINGS, TOPICS)]


def by_transformers(file: Path, ends: list[int]) -> tuple[Texts, Texts, Any]:
    """The tokens of the prompts and of their continuations, and the model."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    of = {"pretrained_model_name_or_path": file.parent, "gguf_file": file.name}
    tokenizer = AutoTokenizer.from_pretrained(**of)
    model = AutoModelForCausalLM.from_pretrained(**of, dtype=torch.float32).eval()
    options = {"max_new_tokens": NEW, "do_sample": False, "eos_token_id": ends}

    def write(prompts: Texts) -> Texts:
        ids = torch.tensor(prompts)
        whole = model.generate(ids, attention_mask=torch.ones_like(ids), **options)
        texts: Texts = whole[:, ids.shape[1] :].tolist()
        return texts

    prompts = [tokenizer(text).input_ids for text in PROMPTS]
    return prompts, _by_length(prompts, write, ends), model


def by_regard(file: Path, ends: list[int]) -> tuple[Texts, Texts]:
    """The tokens of the prompts and of their continuations."""
    checkpoint = open_checkpoint(file)
    tokenizer, native = checkpoint.tokenizers.source, open_native(checkpoint)
    config = GenerationConfig(max_new_tokens=NEW, eos_token_id=ends)

    def write(prompts: Texts) -> Texts:
        ids = np.array(prompts)
        return [list(best[0].tokens) for best in generate(native.start(ids > -1), ids, config)]

    prompts = [list(tokenizer.inputs(text).ids) for text in PROMPTS]
    return prompts, _by_length(prompts, write, ends)


def _by_length(prompts: Texts, write: Callable[[Texts], Texts], ends: list[int]) -> Texts:
    """Continuations of prompts, those of one length together, so that none is padded."""
    texts: Texts = [[] for _ in prompts]
    for length in sorted({len(prompt) for prompt in prompts}):
        places = [place for place, prompt in enumerate(prompts) if len(prompt) == length]
        written = write([prompts[place] for place in places])
        for place, text in zip(places, written, strict=True):
            texts[place] = _until(text, ends)
    return texts


def _until(tokens: list[int], ends: list[int]) -> list[int]:
    """What stands before the first end."""
    return tokens[: next((k for k, token in enumerate(tokens) if token in ends), None)]


def gap(model: Any, prompt: list[int], one: list[int], other: list[int]) -> float:
    """Between the two best logits where the continuations part."""
    same = next(
        (k for k, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )
    with torch.no_grad():
        best = model(torch.tensor([prompt + one[:same]])).logits[0, -1].topk(2).values
    return float(best[0] - best[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path, metavar="model.gguf")
    files = parser.parse_args().files
    if not files:
        parser.exit(0, f"{parser.prog} needs a trained model's GGUF file.\n")
    print(f"{'':44} prompts split alike  equal continuations")
    for file in files:
        ends = open_checkpoint(file).files.get("generation_config.json", {})["eos_token_id"]
        prompts, theirs, model = by_transformers(file, ends)
        split, ours = by_regard(file, ends)
        alike = sum(a == b for a, b in zip(prompts, split, strict=True))
        equal = sum(a == b for a, b in zip(theirs, ours, strict=True))
        count = len(PROMPTS)
        print(f"{file.name:44} {alike:>11} of {count}  {equal:>12} of {count}")
        for text, prompt, one, other in zip(PROMPTS, prompts, theirs, ours, strict=True):
            if one != other:
                print(f"  {text!r}: a gap of {gap(model, prompt, one, other):.1e}")


if __name__ == "__main__":
    main()
