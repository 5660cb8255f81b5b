"""Which step, layer and head of cross-attention aligns words best.

    python benchmarks/alignment.py
    python benchmarks/alignment.py --model runs/mine --pairs dev.tsv

A word that stands once on both sides (a name, mostly) is a link that needs no annotator. For each
such word in the pairs, is the source word with the most attention the same word? The decoder is
given the reference translation. Both steps of Kobayashi et al. 2020, section 5, are counted.
"""

import argparse
from collections import Counter
from pathlib import Path

import torch
from torch import Tensor

import regard
from regard.data import pad, read_pairs
from regard.inspection import STEPS, cross_attention, group_words
from regard.tasks.translation.task import Translator

DATA = Path(__file__).parents[1].parent / "shared" / "data" / "tatoeba_en_de" / "dev.tsv"


def main() -> None:
    """Prints the share of links found, best first."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", default="en-de")
    parser.add_argument("--pairs", type=Path, default=DATA)
    parser.add_argument("--rows", type=int, default=12, help="how many rows to print")
    options = parser.parse_args()
    if not options.pairs.is_file():
        parser.exit(0, f"{parser.prog} needs sentence pairs; {options.pairs} is not there.\n")
    translator = regard.load(options.model)
    found: Counter[tuple[str, str]] = Counter()
    links = 0
    for pair in read_pairs(options.pairs):
        for where, correct, total in _links(translator, pair.source, pair.target):
            found[where] += correct
            links += total
    print(f"{links:,} links in {options.pairs.name}, model {options.model}")
    for (step, place), count in found.most_common(options.rows):
        print(f"{count / links:6.1%}  {step:6}  {place}")
    for step in STEPS:
        print(f"default place at the {step} step: {found[step, DEFAULT] / links:.1%}")


DEFAULT = "mean of all layers and heads"


def _links(
    translator: Translator, source: str, target: str
) -> list[tuple[tuple[str, str], int, int]]:
    """For each place: how many of the pair's links it finds; the total comes once."""
    model, tokenizers = translator.model, translator.tokenizers
    source_ids, target_ids = tokenizers.source.encode(source), tokenizers.target.encode(target)
    source_words = tokenizers.source.words(source_ids)
    target_words = tokenizers.target.words(target_ids)
    left = [word.text.strip(".,?!") for word in source_words]
    right = [word.text.strip(".,?!") for word in target_words]
    shared = [w for w in right if len(w) > 2 and left.count(w) == 1 and right.count(w) == 1]
    if not shared:
        return []
    ids = {"pad_id": model.config.pad_id, "eos_id": model.config.eos_id}
    source_batch, target_batch = pad([source_ids], **ids)[0], pad([target_ids], **ids)[0]
    counted = []
    for step in STEPS:
        maps = torch.stack(
            [
                cross_attention(model, source_batch, target_batch, layer=layer, step=step)[0]
                for layer in range(model.config.decoder_layers)
            ]
        )  # (layers, heads, target, source)
        places: dict[str, Tensor] = {DEFAULT: maps.mean((0, 1))}
        for layer, heads in enumerate(maps):
            places[f"layer {layer}, mean of its heads"] = heads.mean(0)
            for head, weights in enumerate(heads):
                places[f"layer {layer}, head {head}"] = weights
        for place, weights in places.items():
            words = group_words(
                weights, [w.indices for w in target_words], [w.indices for w in source_words]
            )
            correct = sum(
                int(words[right.index(word)].argmax()) == left.index(word) for word in shared
            )
            counted.append(((step, place), correct, 0))
    where, correct, _ = counted[0]
    return [(where, correct, len(shared)), *counted[1:]]


if __name__ == "__main__":
    main()
