"""Several heads: one average cannot be two.

A card that wants two others needs two rows of weights. One head can only split its weight between
them and give a mixture; with a heads axis on the same three matrices, and an output projection that
joins what the heads found, it has both. Nothing else changes.
"""

from pathlib import Path

from command import Numbers, run
from lookup import CARDS, deal, learn, matrices
from torch import Tensor

from regard import attend, attention_weights
from regard.figures.flow import flow
from regard.figures.style import save

WIDTH, HEAD_DIM, WANTS = 3 * CARDS + 1, 8, 2


def main(output: Path | None = None) -> Numbers:
    error_1, *_ = trained(1)
    error_2, w_query, w_key = trained(2)

    print(f"Mean squared error with one head {error_1:.3f}, with two {error_2:.4f}.")
    if output:
        card = deal(1, WANTS, seed=1)[0][0]
        weights = attention_weights(card @ w_query, card @ w_key).detach()
        names = card[:, :CARDS].argmax(-1).tolist()
        first, second = (
            card[:, start : start + CARDS].argmax(-1).tolist() for start in (CARDS, 2 * CARDS)
        )
        rows = [f"{a} wants {b}, {c}" for a, b, c in zip(names, first, second, strict=True)]
        figure = flow(weights.numpy(), rows, [f"is {name}" for name in names], least=0.2)
        save(figure, output / "09_heads.svg")
    return {"error_1_head": error_1, "error_2_heads": error_2}


def trained(heads: int) -> tuple[float, Tensor, Tensor]:
    """The error that so many heads come to, and their queries' and keys' matrices."""
    into = (heads, WIDTH, HEAD_DIM)
    w_query, w_key, w_value, w_output = matrices(into, into, into, (heads * HEAD_DIM, WANTS))

    def answer(cards: Tensor) -> Tensor:
        each = cards[:, None]  # (tables, 1, cards, dim): every head sees all of it
        found = attend(each @ w_query, each @ w_key, each @ w_value)
        return found.transpose(1, 2).flatten(2) @ w_output  # heads side by side, then joined

    error = learn(answer, [w_query, w_key, w_value, w_output], wants=WANTS)
    return error, w_query, w_key


if __name__ == "__main__":
    run(main)
