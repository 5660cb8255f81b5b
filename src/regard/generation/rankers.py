"""Rankers: what a hypothesis is worth, which are kept, and when none better can come."""

from dataclasses import dataclass

from jaxtyping import Float
from torch import Tensor

from regard.generation.config import GenerationConfig


@dataclass(frozen=True)
class Hypothesis:
    """One generated sequence."""

    tokens: tuple[int, ...]  # after the prompt; the end-of-sentence token is included
    score: float  # what it was ranked by: the sum of log-probabilities / length ** length_penalty
    token_logprobs: tuple[float, ...]  # the model's own, of each token, before any filter
    finished: bool  # False: cut off at max_new_tokens


def length_penalised(
    totals: Float[Tensor, "*any"], length: int, length_penalty: float
) -> Float[Tensor, "*any"]:
    """Summed log-probabilities as transformers scores them: totals / length ** length_penalty.

    `length` counts generated tokens, the end of sentence included and the prompt not.
    """
    return totals / length**length_penalty


class NBest:
    """The best hypotheses that one search has finished, best first."""

    def __init__(self, config: GenerationConfig):
        self.size = config.num_beams
        self.early_stopping = config.early_stopping
        self.hypotheses: list[Hypothesis] = []

    @property
    def is_full(self) -> bool:
        return len(self.hypotheses) == self.size

    def add(self, hypothesis: Hypothesis) -> None:
        """Takes the hypothesis if it is among the best; of equals the earlier one stays ahead."""
        self.hypotheses.append(hypothesis)
        self.hypotheses.sort(key=lambda each: -each.score)
        del self.hypotheses[self.size :]

    def is_settled(self, best_running: float) -> bool:
        """Whether to stop, given the best score that a hypothesis still running may reach."""
        if best_running == -float("inf"):
            return True
        if not self.is_full:
            return False
        return self.early_stopping is True or not best_running > self.hypotheses[-1].score


def reachable_length(config: GenerationConfig, generated: int) -> int:
    """The length at which a running total is judged against finished scores (transformers' rule).

    Only "never" looks ahead: a total can but fall, while a positive penalty's divisor grows with
    the length, so the full length bounds what a hypothesis may still reach.
    """
    if config.early_stopping == "never" and config.length_penalty > 0:
        return config.max_new_tokens
    return generated
