# python examples/why_three_products.py --output .
"""Why three products: what a word looks for may depend on a word, on a distance, or on both.

An adjective looks at the word behind it, a verb at the one before it, any word after "not" at
"not", all others at themselves. A head learns that, with more and more terms in its score.

It needs `pip install torch`, and the picture `pip install matplotlib`.
"""

from pathlib import Path
from typing import Annotated

import torch
import typer
from torch import Tensor, nn

from regard.attention.disentangled import Distances
from regard.attention.scores import scaled
from regard.figures.heatmap import heatmap
from regard.figures.style import save

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the picture")]
WORDS = ["not", "deep", "red", "old", "sees", "eats", "has", "dog", "house", "bread"]
SENTENCE = ["old", "dog", "sees", "not", "red", "house", "has", "bread"]
LENGTH, DIM = len(SENTENCE), 16
TERMS = ["content", "content to position", "position to content", "bias"]
WAYS = [TERMS[:1], TERMS[::3], TERMS[:2], TERMS[:3]]


def looked_at(ids: Tensor) -> Tensor:
    """The place that each word of sentences, (batch, LENGTH), looks at."""
    steps = torch.tensor([0, 1, 1, 1, -1, -1, -1, 0, 0, 0])[ids]  # by the word
    steps[:, 1:][ids[:, :-1] == WORDS.index("not")] = -1
    return (torch.arange(LENGTH) + steps).clamp(0, LENGTH - 1)


class Head(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.distances = nn.Embedding(len(WORDS), DIM), nn.Embedding(5, DIM)
        self.query, self.key = nn.Linear(DIM, DIM), nn.Linear(DIM, DIM)
        self.bias = nn.Parameter(torch.zeros(5))

    def forward(self, ids: Tensor) -> dict[str, Tensor]:
        """The terms of the scores of sentences, (batch, 1, LENGTH, LENGTH) each."""
        x, r, places = self.words(ids)[:, None], self.distances.weight[None, None], range(LENGTH)
        query, key, score = self.query(x), self.key(x), scaled((3 * DIM) ** -0.5)
        rows = torch.tensor([[min(max(i - j, -2), 2) + 2 for j in places] for i in places])
        both = Distances(self.query(r), self.key(r), rows).scores(score, query, key)
        return dict(zip(TERMS, [score(query, key), *both, self.bias[rows]], strict=True))


def main(output: Folder = None) -> dict[str, float]:
    measured = {}
    for way in WAYS:
        random, head = torch.manual_seed(0), Head()
        optimizer = torch.optim.Adam(head.parameters(), lr=0.05)
        for _ in range(150):
            ids = torch.randint(len(WORDS), (32, LENGTH), generator=random)
            scores = sum(head(ids)[term] for term in way)[:, 0]
            optimizer.zero_grad()
            nn.functional.cross_entropy(scores.mT, looked_at(ids)).backward()
            optimizer.step()
        ids = torch.randint(len(WORDS), (500, LENGTH), generator=random)  # other sentences
        ids[0] = torch.tensor([WORDS.index(word) for word in SENTENCE])
        terms, name = head(ids), " + ".join(way)
        weights = sum(terms[term] for term in way)[:, 0].softmax(-1).detach()
        measured[name] = weights.gather(-1, looked_at(ids)[..., None]).mean().item()
        print(f"{measured[name]:.3f} of the weight where it belongs: {name}")
    print("\nin", *SENTENCE)
    for key in (3, 5):
        parts = [terms[term][0, 0, 4, key].item() for term in way]
        print("red →", SENTENCE[key], *(f"{part:+.2f}" for part in parts), f"= {sum(parts):.2f}")
    if output:
        save(heatmap(weights[0].numpy(), SENTENCE, SENTENCE), output / "why_three_products.svg")
    return measured


if __name__ == "__main__":
    typer.run(main)
