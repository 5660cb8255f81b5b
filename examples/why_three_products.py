# python examples/why_three_products.py --output .
"""Why three products: what a word looks for may depend on a word, on a distance, or on both.

A made-up language has four rules: an adjective looks at the word behind it, a verb at the word
before it, any word that follows "not" at "not", and every other word at itself. One head learns
them from random sentences, four times, with more and more terms in its score. A bias for each
distance is the same for every word; a product of a word with a distance is not (He et al. 2021,
DeBERTa, equation 2).

The picture needs `pip install matplotlib`.
"""

from pathlib import Path
from typing import Annotated

import torch
import typer
from torch import Tensor, nn

from regard.attention import scaled
from regard.attention.disentangled import Distances
from regard.attention.record import Attention
from regard.figures.heatmap import heatmap
from regard.figures.style import save

Folder = Annotated[Path | None, typer.Option(file_okay=False, help="for the picture")]
WORDS = ["not", "deep", "red", "old", "sees", "eats", "has", "dog", "house", "bread"]
ADJECTIVES, VERBS = range(1, 4), range(4, 7)
SENTENCE = "old dog sees not red house has bread"
LENGTH, DIM = len(SENTENCE.split()), 16
WAYS = ("content", "content and a bias", "content to position too", "all three products")


def looked_at(ids: Tensor) -> Tensor:
    """The place that each word of sentences, (batch, LENGTH), looks at."""
    places = torch.arange(LENGTH).expand_as(ids)
    among = [torch.isin(ids, torch.tensor(list(words))) for words in (ADJECTIVES, VERBS)]
    place = places + among[0].long() - among[1].long()
    place = torch.where((place < 0) | (place >= LENGTH), places, place)
    after_not = nn.functional.pad(ids[:, :-1] == 0, (1, 0))
    return torch.where(after_not, places - 1, place)


class Head(nn.Module):
    """One head, whose terms are added in the order of WAYS."""

    def __init__(self, terms: int):
        super().__init__()
        self.terms, products = terms, (1, 1, 2, 3)[terms]
        self.score = scaled((products * DIM) ** -0.5)
        self.words, self.distances = nn.Embedding(len(WORDS), DIM), nn.Embedding(5, DIM)
        self.query, self.key = nn.Linear(DIM, DIM), nn.Linear(DIM, DIM)
        self.bias = nn.Parameter(torch.zeros(5))

    def parts(self, ids: Tensor) -> list[Tensor]:
        """The terms of the scores of sentences, (batch, 1, LENGTH, LENGTH) each."""
        x, r = self.words(ids)[:, None], self.distances.weight[None, None]
        query, key = self.query(x), self.key(x)
        places = torch.arange(LENGTH)
        rows = (places[:, None] - places).clamp(-2, 2) + 2  # query minus key: two and more are one
        content = self.score(query, key)
        if self.terms == 1:
            return [content, self.bias[rows].expand_as(content)]
        others = Distances(self.query(r), self.key(r), rows).scores(self.score, query, key)
        return [content, *others[: max(self.terms - 1, 0)]]

    def weights(self, ids: Tensor) -> Tensor:
        """(batch, LENGTH, LENGTH)."""
        x, terms = self.words(ids)[:, None], self.parts(ids)
        bias = sum(terms[1:], torch.zeros_like(terms[0]))
        return Attention(self.query(x), self.key(x), x, self.score, None, bias).weights()[:, 0]


def sentences(count: int, random: torch.Generator) -> Tensor:
    return torch.randint(len(WORDS), (count, LENGTH), generator=random)


def learn(terms: int) -> Head:
    torch.manual_seed(0)
    head, random = Head(terms), torch.Generator().manual_seed(1)
    optimizer = torch.optim.Adam(head.parameters(), lr=0.05)
    for _ in range(150):
        ids = sentences(32, random)
        right = head.weights(ids).gather(-1, looked_at(ids)[..., None])
        optimizer.zero_grad()
        (-right.log().mean()).backward()
        optimizer.step()
    return head


def main(output: Folder = None) -> dict[str, float]:
    shares = {}
    ids = sentences(500, torch.Generator().manual_seed(2))
    for terms, name in enumerate(WAYS):
        head = learn(terms)
        with torch.no_grad():
            right = head.weights(ids).gather(-1, looked_at(ids)[..., None])
        shares[name] = right.mean().item()
        print(f"{name:24} {shares[name]:.3f} of the weight where it belongs")
    words = SENTENCE.split()
    ids = torch.tensor([[WORDS.index(word) for word in words]])
    with torch.no_grad():
        terms, weights = [part[0, 0] for part in head.parts(ids)], head.weights(ids)[0]
    print("\nin", SENTENCE)
    for key in (3, 5):
        numbers, total = [part[4, key].item() for part in terms], sum(terms)[4, key].item()
        print(
            f"red → {words[key]:6}", *(f"{number:+7.2f}" for number in numbers), f"= {total:6.2f}"
        )
        shares[f"score of {words[key]}"] = total
        shares[f"terms of {words[key]}"] = sum(numbers)
    if output:
        save(heatmap(weights.numpy(), words, words, title="All three products"),
             output / "why_three_products.svg")  # fmt: skip
    return shares


if __name__ == "__main__":
    typer.run(main)
