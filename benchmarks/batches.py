"""A translation alone and in any batch: the same tokens and the same score, to the last bit.

    python benchmarks/batches.py
    python benchmarks/batches.py SENTENCES --model en-de --precision int8 --sentences 10000

Random English sentences are translated by the native engine one by one, and again in batches whose
sizes and members are drawn at random. What differs is counted, and makes the exit code 1.
"""

import argparse
import random
import sys
from pathlib import Path

from regard.tasks.translation.task import Translation, Translator

PAIRS = Path(__file__).parents[2] / "shared" / "data" / "tatoeba_en_de" / "train.tsv"
AT_ONCE = 500  # sentences between two lines of the report


def key(result: Translation) -> tuple[list[str], float]:
    """What must be the same."""
    return result.tokens, result.score


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "texts", nargs="?", type=Path, default=PAIRS, help="a file, or TSV of pairs"
    )
    parser.add_argument("--model", default="en-de")
    parser.add_argument("--precision", default="int8")
    parser.add_argument("--sentences", type=int, default=10_000)
    parser.add_argument("--num-beams", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    if not arguments.texts.is_file():
        parser.exit(0, f"{parser.prog} needs sentences; {arguments.texts} is not there.\n")
    translator = Translator.load(arguments.model).run_by(
        "native", precision=arguments.precision, threads=arguments.threads
    )
    lines = arguments.texts.read_text().splitlines()
    texts = list(dict.fromkeys(line.split("\t")[0] for line in lines))
    draw = random.Random(1)
    draw.shuffle(texts)
    texts = texts[: arguments.sentences]
    options = {"num_beams": arguments.num_beams, "force": True}
    different = 0
    for first in range(0, len(texts), AT_ONCE):
        some = texts[first : first + AT_ONCE]
        alone = [key(each) for each in translator.run(some, batch_size=1, **options)]
        order = draw.sample(range(len(some)), len(some))
        while order:
            size = min(draw.randint(2, 64), len(order))
            batch, order = order[:size], order[size:]
            found = translator.run([some[k] for k in batch], batch_size=size, **options)
            different += sum(alone[k] != key(each) for k, each in zip(batch, found, strict=True))
        print(f"{first + len(some)} sentences, {different} differ", flush=True)
    sys.exit(different > 0)


if __name__ == "__main__":
    main()
