"""Options of answering questions."""

from regard.engine.options import force_option
from regard.options import Options, option


class AnswerOptions(Options):
    """Options of answering questions."""

    force: bool = force_option()

    top_k: int = option(
        1, "Answers to each question; if more than one, as line number, answer and score.", min=1
    )
    max_answer_len: int | None = option(
        None, "Longest answer, in tokens.", shown="model's, else 15", min=1
    )
    or_none: bool | None = option(
        None,
        "Allow an empty answer, in case the context contains none, or never give one.",
        shown="model's",
        flag="--or-none/--always-answer",
    )
