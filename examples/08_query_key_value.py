"""Query, key, value: three learned views of one vector.

What I look for is not what I am, and neither is what I have to say. Cards that want the numbers of
other cards cannot find them by similarity: the card most similar to a card is that card itself.
"""

from pathlib import Path

import torch
from command import Numbers, run
from lookup import CARDS, deal, learn, matrices

from regard import attend, attention_weights
from regard.figures.heatmap import heatmap
from regard.figures.style import save

WIDTH, HEAD_DIM = 2 * CARDS + 1, 8  # of a card: its name, the name it wants, its number


def main(output: Path | None = None) -> Numbers:
    w_query, w_key, w_value = matrices((WIDTH, HEAD_DIM), (WIDTH, HEAD_DIM), (WIDTH, 1))

    error = learn(
        lambda cards: attend(cards @ w_query, cards @ w_key, cards @ w_value),
        [w_query, w_key, w_value],
        wants=1,
    )

    cards, right = deal(512, wants=1, seed=1)
    by_similarity = attend(cards, cards, cards)[..., -1:]
    without = (by_similarity - right).square().mean().item()
    own = attention_weights(cards, cards).argmax(-1) == torch.arange(CARDS)
    alike = own.float().mean().item()
    print(f"Without parameters {alike:.0%} of the cards look at themselves most.")
    print(f"Without parameters the mean squared error is {without:.3f}, with them {error:.4f}.")
    card = cards[0]
    weights = attention_weights(card @ w_query, card @ w_key).detach()
    asked = card[:, CARDS : 2 * CARDS].argmax(-1)
    names = card[:, :CARDS].argmax(-1)
    found = names[weights.argmax(-1)]
    print("wanted:", *asked.tolist(), "  looked at:", *found.tolist())
    if output:
        rows = [f"{name} wants {want}" for name, want in zip(names, asked, strict=True)]
        columns = [f"is {name}" for name in names]
        figure = heatmap(weights.numpy(), rows, columns, title="Each card finds the one it wants")
        save(figure, output / "08_query_key_value.svg")
    return {
        "error": error,
        "error_without": without,
        "own_without": alike,
        "found": (asked == found).float().mean().item(),
    }


if __name__ == "__main__":
    run(main)
