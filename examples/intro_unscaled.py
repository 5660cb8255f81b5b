"""Training with and without √d: the cards that look for each other, with wider and wider heads.

The task, the first weights and the steps are the same; the score alone differs. A number's
variance is 1, so an error of 1 is that of always saying zero. The learning rate is that of the
other examples, which was chosen for narrow heads with the root.
"""

from pathlib import Path

from command import Numbers, run
from lookup import CARDS, learn, matrices
from torch import Tensor

from regard import attend

WIDTH, HEAD_DIMS, SEEDS, STEPS = 2 * CARDS + 1, (8, 512), (1, 2, 3), 150
SCORES = {"q · k": "dot", "q · k / √d": "scaled_dot"}


def error(score: str, head_dim: int, seed: int) -> float:
    """After the training, on new cards."""
    w_query, w_key, w_value = matrices((WIDTH, head_dim), (WIDTH, head_dim), (WIDTH, 1), seed=seed)

    def answer(cards: Tensor) -> Tensor:
        return attend(cards @ w_query, cards @ w_key, cards @ w_value, score=score)

    return learn(answer, [w_query, w_key, w_value], wants=1, steps=STEPS)


def main(_output: Path | None = None) -> Numbers:
    numbers: Numbers = {}
    print(f"mean squared error after {STEPS} steps, for {len(SEEDS)} first weights")
    for head_dim in HEAD_DIMS:
        for name, score in SCORES.items():
            errors = [error(score, head_dim, seed) for seed in SEEDS]
            print(f"d = {head_dim:3}  {name:10}", "".join(f"{each:9.4f}" for each in errors))
            numbers[f"{score}_{head_dim}"] = max(errors)
    return numbers


if __name__ == "__main__":
    run(main)
