"""Columns that tasks read of the files they answer."""

from regard.data.roles import Role

TEXT = Role(
    "text",
    (
        *("text", "sentence", "content", "document", "article", "body", "source"),
        *("review", "comment", "tweet", "message", "post", "utterance", "headline", "title"),
        *("review_text", "comment_text", "tweet_text"),
    ),
    text=True,
    beside=True,
)
TEXT_PAIR = Role("text_pair", ("text_pair",), required=False, text=True, beside=True)
QUESTION = Role("question", ("question", "query"), text=True, beside=True)
CONTEXT = Role(
    *("context", ("context", "passage", "paragraph", "document")),
    required=False,
    text=True,
    beside=True,
)
IMAGE = Role("text", ("image", *TEXT.known), text=True, beside=True)
SOUND = Role("text", ("sound", "audio", "file", *TEXT.known), text=True, beside=True)
