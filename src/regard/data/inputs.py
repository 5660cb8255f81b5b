"""Columns that tasks read of the files they answer, in commands and in jobs."""

from collections.abc import Sequence

from regard.data.roles import Role, plain_name

TEXT = Role(
    "text",
    (
        *("text", "sentence", "content", "document", "article", "body", "source"),
        *("review", "comment", "tweet", "message", "post", "utterance", "headline", "title"),
        *("review_text", "comment_text", "tweet_text"),
    ),
    text=True,
)
QUESTION = Role("question", ("question", "query"), text=True)
CONTEXT = Role(
    "context", ("context", "passage", "paragraph", "document"), required=False, text=True
)


def name_of(column: str, names: Sequence[str]) -> str:
    """Return the name that a file has for a task's column; the task's where it has none.

    >>> name_of("text", ["id", "Review"]), name_of("text", ["id", "text", "review"])
    ('Review', 'text')
    """
    synonyms = next((role.known for role in (TEXT, QUESTION, CONTEXT) if role.name == column), ())
    places = {plain_name(name): name for name in reversed(names)}
    return next((places[name] for name in synonyms if name in places), column)
