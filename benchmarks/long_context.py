"""Questions to ever longer contexts: seconds in all, which must grow as the context does.

    python benchmarks/long_context.py

The model is a BERT of one small layer, with random weights: its own share is small, so the time is
that of cutting the text into windows and of choosing among their answers. Needs transformers, which
writes the model's folder.
"""

import argparse
import random
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

WORDS = [
    *("the", "small", "dog", "sees", "a", "red", "house", "near", "the", "river"),
    *("and", "an", "old", "man", "in", "vienna"),
]
SIZES = dict(
    hidden_size=16,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=16,
    max_position_embeddings=512,
)


def write_model(folder: Path) -> None:
    from tokenizers import BertWordPieceTokenizer
    from transformers import BertConfig, BertForQuestionAnswering, BertTokenizer

    trained = BertWordPieceTokenizer()
    trained.train_from_iterator([" ".join(WORDS)], vocab_size=120, show_progress=False)
    tokenizer = BertTokenizer(vocab=trained.get_vocab())
    tokenizer.save_pretrained(folder)
    config = BertConfig(vocab_size=len(tokenizer), **SIZES)
    BertForQuestionAnswering(config).save_pretrained(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--words", type=int, nargs="+", default=[2048, 8192, 32768, 131072])
    arguments = parser.parse_args()
    if find_spec("transformers") is None:
        parser.exit(0, f"{parser.prog} needs transformers: pip install transformers\n")

    from regard.tasks.question_answering.task import Answerer

    with tempfile.TemporaryDirectory() as name:
        write_model(Path(name))
        answerer = Answerer.load(name)
        draw = random.Random(1)
        print(f"{'words':>8}{'seconds':>9}{'per 1,000':>11}")
        for count in arguments.words:
            context = " ".join(draw.choices(WORDS, k=count))
            began = time.perf_counter()
            answerer.run([("who sees the dog", context)])
            seconds = time.perf_counter() - began
            print(f"{count:8,}{seconds:9.2f}{seconds / count * 1000:11.4f}")


if __name__ == "__main__":
    main()
