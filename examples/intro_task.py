# python examples/intro_task.py
"""Task-specific vectors: the same sentences through an untrained and a trained model.

The trained one is the shipped `sentences`, for which a sentence and its translation belong
together. The untrained one has the same configuration and random weights. For each English
sentence, is its own German one the nearest?

It needs `pip install torch`.
"""

import numpy as np
import torch
import typer

import regard
from regard.tasks.embedding.task import Embedder

PAIRS = {
    "Where is the station?": "Wo ist der Bahnhof?",
    "I would like a cup of tea.": "Ich möchte eine Tasse Tee.",
    "The dog is sleeping.": "Der Hund schläft.",
    "She bought a new car.": "Sie hat ein neues Auto gekauft.",
    "It is raining today.": "Heute regnet es.",
    "My brother reads a book.": "Mein Bruder liest ein Buch.",
    "We are going to school.": "Wir gehen in die Schule.",
    "The window is open.": "Das Fenster ist offen.",
}


def cosines(embedder: Embedder) -> np.ndarray:
    """(English, German)"""
    english, german = (np.stack(embedder(list(texts))) for texts in (PAIRS, PAIRS.values()))
    return np.asarray(english @ german.T)


def main() -> dict[str, float]:
    trained = regard.load("sentences")
    torch.manual_seed(0)
    network = type(trained.model)(trained.model.config).eval()
    untrained = Embedder(network, trained.tokenizer, pooling=trained.pooling)
    numbers: dict[str, float] = {}
    for name, embedder in (("untrained", untrained), ("trained", trained)):
        table = cosines(embedder)
        own, other = np.diag(table).mean(), table[~np.eye(len(PAIRS), dtype=bool)].mean()
        found = (table.argmax(1) == np.arange(len(PAIRS))).mean()
        print(f"{name:10} own translation {own:.2f}, others {other:.2f}; nearest {found:4.0%}")
        numbers |= {f"{name}_own": float(own), f"{name}_other": float(other), name: float(found)}
    return numbers


if __name__ == "__main__":
    typer.run(main)
