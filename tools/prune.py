"""A small encoder from a large one: its first layers, and the subwords that texts need.

    python tools/prune.py FOLDER OUTPUT --layers 3 --pieces 6000 --texts pairs.tsv.gz more.tsv

Nothing is trained: a text whose subwords are all kept has the states that the first layers of the
large model give it, rounded to bfloat16. Kept are the special tokens, every single character, and
the subwords that occur most often in the first columns of the texts. FOLDER is a BERT with
WordPiece, as Hugging Face writes it.
"""

import argparse
import gzip
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

WORDS = "embeddings.word_embeddings.weight"
POSITIONS = "embeddings.position_embeddings.weight"
FILES = ("config.json", "tokenizer.json", "tokenizer_config.json")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--layers", type=int, required=True)
    parser.add_argument("--pieces", type=int, required=True, help="size of the new vocabulary")
    parser.add_argument("--positions", type=int, default=512, help="tokens of the longest text")
    parser.add_argument("--texts", type=Path, nargs="+", required=True)
    options = parser.parse_args()
    needed = [options.folder / name for name in (*FILES, "model.safetensors")]
    if missing := [str(path) for path in [*needed, *options.texts] if not path.is_file()]:
        parser.error(f"there is no file {', '.join(missing)}")
    if options.output.exists():
        parser.error(f"{options.output} exists; give a new folder")

    tokenizer = json.loads((options.folder / "tokenizer.json").read_text("utf-8"))
    tokenizer |= {"truncation": None, "padding": None}
    counts = count(tokenizer, options.texts)
    kept = choose(tokenizer, counts, options.pieces)
    config = json.loads((options.folder / "config.json").read_text("utf-8"))
    config |= {
        "num_hidden_layers": options.layers,
        "vocab_size": len(kept),
        "max_position_embeddings": options.positions,
        "torch_dtype": "bfloat16",
    }
    weights = prune(load_file(options.folder / "model.safetensors"), options.layers, kept)
    weights[POSITIONS] = weights[POSITIONS][: options.positions]

    options.output.mkdir()
    save_file(
        {name: x.to(torch.bfloat16).contiguous() for name, x in weights.items()},
        options.output / "model.safetensors",
        metadata={"format": "pt"},
    )
    settings = json.loads((options.folder / "tokenizer_config.json").read_text("utf-8"))
    settings = {k: v for k, v in settings.items() if k != "name_or_path"}
    files = {
        "config.json": {k: v for k, v in config.items() if not k.startswith("_")},
        "tokenizer.json": renumbered(tokenizer, kept),
        "tokenizer_config.json": settings | {"model_max_length": options.positions},
    }
    for name, content in files.items():
        text = json.dumps(
            content, ensure_ascii=False, indent=None if name == "tokenizer.json" else 1
        )
        (options.output / name).write_text(text + "\n", "utf-8")

    known = sum(counts[index] for index in kept)
    print(f"{sum(x.numel() for x in weights.values()):,} parameters, {len(kept):,} subwords;")
    print(f"{known / counts.total():.2%} of {counts.total():,} subwords of the texts are kept")


def count(tokenizer: dict[str, Any], texts: list[Path]) -> Counter[int]:
    """How often each id occurs in the texts' first columns."""
    reader, counts = Tokenizer.from_str(json.dumps(tokenizer)), Counter[int]()
    for encoding in reader.encode_batch_fast(list(first_columns(texts)), add_special_tokens=False):
        counts.update(encoding.ids)
    return counts


def first_columns(texts: list[Path]) -> Iterator[str]:
    for path in texts:
        with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else path.open() as f:
            yield from (line.rstrip("\n").split("\t")[0] for line in f)


def choose(tokenizer: dict[str, Any], counts: Counter[int], size: int) -> list[int]:
    """The ids to keep, ascending: those that cannot go, then the most frequent."""
    vocabulary: dict[str, int] = tokenizer["model"]["vocab"]
    prefix = tokenizer["model"]["continuing_subword_prefix"]
    kept = {token["id"] for token in tokenizer["added_tokens"]}
    kept |= {
        index
        for piece, index in vocabulary.items()
        if len(piece.removeprefix(prefix)) == 1 and piece.removeprefix(prefix).isascii()
    }
    for index, _ in counts.most_common():
        if len(kept) >= size:
            break
        kept.add(index)
    return sorted(kept)


def prune(weights: dict[str, Any], layers: int, kept: list[int]) -> dict[str, Any]:
    """The weights of the first layers, and the rows of the ids that are kept."""
    weights = {name: x for name, x in weights.items() if not name.endswith("position_ids")}
    of_layers = {name: int(name.split(".")[2]) for name in weights if ".layer." in name}
    return {
        name: x[kept] if name == WORDS else x
        for name, x in weights.items()
        if of_layers.get(name, 0) < layers
    }


def renumbered(tokenizer: dict[str, Any], kept: list[int]) -> dict[str, Any]:
    """The tokenizer with the ids that are kept, counted from 0."""
    new = {old: index for index, old in enumerate(kept)}
    model = tokenizer["model"]
    vocabulary = {piece: new[old] for piece, old in model["vocab"].items() if old in new}
    added = [token | {"id": new[token["id"]]} for token in tokenizer["added_tokens"]]
    post: dict[str, Any] = tokenizer["post_processor"]
    special = {
        name: token | {"ids": [new[old] for old in token["ids"]]}
        for name, token in post["special_tokens"].items()
    }
    return tokenizer | {
        "added_tokens": added,
        "post_processor": post | {"special_tokens": special},
        "model": model | {"vocab": dict(sorted(vocabulary.items(), key=lambda item: item[1]))},
    }


if __name__ == "__main__":
    main()
