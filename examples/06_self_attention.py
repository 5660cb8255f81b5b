"""Self-attention without parameters: words are what is averaged, and what it is weighed by.

No noise is to be removed here. The same average gives each word a vector that knows its sentence.
Query, key and value are one thing, the words' vectors; the similarity is their dot product. The dot
product with itself is large, so a word keeps nearly all of itself: the next example's reason.
"""

from pathlib import Path

from command import Numbers, run
from word_table import vectors

from regard import attend, attention_weights
from regard.figures.flow import flow
from regard.figures.style import save

SENTENCE = "money bank grows"


def main(output: Path | None = None) -> Numbers:
    words = vectors(SENTENCE)
    contextual = attend(words, words, words, score="dot")

    weights = attention_weights(words, words, score="dot")
    apart = (weights @ words - contextual).abs().max().item()
    tokens = SENTENCE.split()
    for token, row in zip(tokens, weights.tolist(), strict=True):
        print(f"{token:5} =", " + ".join(f"{w:.3f} {t}" for w, t in zip(row, tokens, strict=True)))
    if output:
        figure = flow(weights.numpy(), tokens, tokens, title="Each word, as an average of all")
        save(figure, output / "06_self_attention.svg")
    return {
        "dim": words.shape[1],
        "least_own": weights.diagonal().min().item(),
        "row_sum": weights[0].sum().item(),
        "from_weights": apart,
    }


if __name__ == "__main__":
    run(main)
