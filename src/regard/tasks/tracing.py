"""What the tasks' traces have in common: a text that fits, and what was written."""

from collections.abc import Sequence

from regard.errors import BadArgumentError
from regard.generation import Hypothesis
from regard.inspection.answers import HypothesisInfo
from regard.inspection.naming import Naming
from regard.inspection.writing import Written
from regard.text import Tokenizer


def check_text(ids: Sequence[int], room: int, name: str) -> None:
    """Raises BadArgumentError for a text of no tokens, or of more than a model has positions."""
    if not ids:
        raise BadArgumentError("there is no text to look at; give a sentence.")
    if len(ids) > room:
        raise BadArgumentError(
            f"a text may have {room} tokens with {name}; got {len(ids)}. Look at a part of it."
        )


def written(
    found: Sequence[Hypothesis],
    hypothesis: int,
    tokenizer: Tokenizer,
    axis: str,
    prompt: int,
    *,
    searched: bool,
) -> Written:
    """What a model wrote, best first, with the hypothesis that is traced.

    Args:
        axis, prompt: where it stands: on that axis, behind so many positions.
        searched: False for a text that a caller gave.

    Raises:
        BadArgumentError: there is no such hypothesis.
    """
    if not 0 <= hypothesis < len(found):
        if not searched:
            raise BadArgumentError(f"a given target is hypothesis 0; got {hypothesis}.")
        raise BadArgumentError(
            f"the search found hypotheses 0 to {len(found) - 1}; got {hypothesis}."
        )
    naming = Naming.of(tokenizer)
    return Written(
        ids=list(found[hypothesis].tokens),
        hypotheses=[
            HypothesisInfo(
                text=tokenizer.decode(id_ for id_ in each.tokens if id_ < tokenizer.vocab_size),
                tokens=naming.names(each.tokens),
                score=each.score if searched else None,
                finished=each.finished,
            )
            for each in found
        ],
        shown=hypothesis,
        axis=axis,
        prompt=prompt,
        searched=searched,
    )
