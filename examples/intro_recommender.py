# python examples/intro_recommender.py
"""A recommender as attention over a history: which rated books decide what is said of the next?

The new book is the query, the books of the history are the keys, and their ratings the values: the
expected rating is a weighted average, as in kernel regression (Nadaraya 1964), over items instead
of points (Sarwar et al. 2001; with learned weights, Zhou et al. 2018). The vectors are those that
the shipped encoder minilm has for the descriptions. Without a query all weights are equal, and
every book is expected to be as good as the average.
"""

import numpy as np
import typer

import regard
from regard import attend
from regard.attention import scaled

HISTORY = {
    "A detective hunts a murderer through foggy London.": 5.0,
    "A police inspector solves a killing in a small village.": 4.0,
    "Two lovers meet again after the war.": 2.0,
    "A princess falls in love with a poor musician.": 1.0,
    "How to grow tomatoes and beans in your own garden.": 3.0,
    "Roses, lilies and tulips through the year.": 3.0,
}
NEW = {
    "crime": "The commissioner finds a dead body in the harbor.",
    "love": "She marries the man whom her sister loves.",
    "garden": "Planting apple trees in autumn.",
}
SHARPNESS = 12.0  # of the scores, which are cosines: the larger, the fewer books decide


def main() -> dict[str, float]:
    encoder = regard.load("minilm")
    books, ratings = list(HISTORY), np.array(list(HISTORY.values()))
    queries, keys = (encoder(texts) for texts in (list(NEW.values()), books))
    weights = attend(queries, keys, np.eye(len(books), dtype=np.float32), score=scaled(SHARPNESS))
    expected = (weights @ ratings).tolist()
    print(f"On average a book has {ratings.mean():.2f}.")
    for text, rating, row in zip(NEW.values(), expected, weights, strict=True):
        print(f"{rating:.2f}  {text}")
        for place in row.argsort()[:-3:-1]:
            print(f"      {row[place]:4.0%} of it from: {ratings[place]:.0f}, {books[place]}")
    return dict(zip(NEW, expected, strict=True))


if __name__ == "__main__":
    typer.run(main)
