"""The errors that speak to a user: what was expected, what came, what to do."""


class RegardError(ValueError):
    """A mistake the user can mend: one sentence, which commands print before they exit with 2."""

    index: int | None = None  # of the refused text among several, from 0
