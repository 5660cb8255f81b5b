"""Texts of a CTranslate2 folder in int8: regard's beside those of ctranslate2 itself.

    python benchmarks/ct2_int8.py --peers /path/to/python

The shipped en-de is written in CTranslate2's format, with matrices in int8, and 500 sentences are
translated greedily by regard and by ctranslate2, which the interpreter of --peers has. fp32 and
float32 compute with the folder's integers and scales alone; int8 also rounds what they are
multiplied with, in each program's own way. Printed is how many texts are equal, token for token.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from inference import PAIRS, installed, sentences

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from fixtures.ctranslate2 import write_folder
from regard.checkpoints import from_pretrained, open_checkpoint
from regard.engine.native.loading import open_native
from regard.generation import GenerationConfig

TEXTS, NEW = 500, 64
PEER = """
import json, sys, ctranslate2
translator = ctranslate2.Translator(sys.argv[1], compute_type=sys.argv[2], intra_threads=1)
results = translator.translate_batch(
    json.load(sys.stdin), beam_size=1, max_decoding_length=int(sys.argv[3]), max_batch_size=32
)
json.dump([result.hypotheses[0] for result in results], sys.stdout)
"""
Texts = list[list[str]]


def write(folder: Path) -> list[str]:
    """The folder; its tokens by their ids."""
    checkpoint = open_checkpoint("en-de")
    config, ids = checkpoint.config, checkpoint.tokenizers.source.backend.get_vocab()
    tokens = sorted(ids, key=lambda token: ids[token])
    start, end = tokens[config.start_id], tokens[config.eos_id]
    names = {"decoder_start_token": start, "bos_token": start, "eos_token": end}
    write_folder(folder, from_pretrained("en-de"), tokens, "int8", settings=names)
    return tokens


def by_regard(folder: Path, precision: str, tokens: list[str], texts: list[list[int]]) -> Texts:
    checkpoint = open_checkpoint(folder)
    native = open_native(checkpoint, precision, threads=1)
    start, end = checkpoint.config.start_id, checkpoint.config.eos_id
    config = GenerationConfig(max_new_tokens=NEW, eos_token_id=end)
    found = [native.generate(np.array([ids]), np.array([[start]]), config) for ids in texts]
    return [[tokens[id_] for id_ in best.tokens if id_ != end] for [[best, *_]] in found]


def by_ctranslate2(python: str, folder: Path, kind: str, texts: Texts) -> Texts:
    command = [python, "-c", PEER, str(folder), kind, str(NEW)]
    done = subprocess.run(
        command, input=json.dumps(texts), stdout=subprocess.PIPE, text=True, check=True
    )
    written: Texts = json.loads(done.stdout)
    return written


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--peers", default=sys.executable, help="the interpreter with ctranslate2")
    parser.add_argument("--pairs", type=Path, default=PAIRS, help="TSV with English sentences")
    arguments = parser.parse_args()
    python = arguments.peers
    if shutil.which(python) is None or not installed(python, "ctranslate2"):
        parser.exit(0, f"{parser.prog} needs ctranslate2, which {python} lacks.\n")
    if not arguments.pairs.is_file():
        parser.exit(0, f"{parser.prog} needs sentence pairs; {arguments.pairs} is not there.\n")
    tokenizer = open_checkpoint("en-de").tokenizers.source
    ids = [list(tokenizer.inputs(text).ids) for text in sentences(arguments.pairs)[:TEXTS]]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "int8"
        tokens = write(folder)
        texts = [[tokens[id_] for id_ in row] for row in ids]
        written = {
            f"ctranslate2, {kind}": by_ctranslate2(python, folder, kind, texts)
            for kind in ("float32", "int8")
        } | {
            f"regard, {precision}": by_regard(folder, precision, tokens, ids)
            for precision in ("fp32", "int8")
        }
    print(f"{'equal of ' + str(len(ids)):22}" + "".join(f"{name:>22}" for name in written))
    for name, ours in written.items():
        line = f"{name:22}"
        for theirs in written.values():
            line += f"{sum(a == b for a, b in zip(ours, theirs, strict=True)):22}"
        print(line)


if __name__ == "__main__":
    main()
