"""The errors that speak to a user: what was expected, what came, what to do."""


class RegardError(ValueError):
    """A mistake the user can mend. The message is one sentence; commands print it and exit with 2."""
