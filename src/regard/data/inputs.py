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
    asked=True,
)
TEXT_PAIR = Role("text_pair", ("text_pair",), required=False, text=True, asked=True)
QUESTION = Role("question", ("question", "query"), text=True, asked=True)
CONTEXT = Role(
    *("context", ("context", "passage", "paragraph", "document")),
    required=False,
    text=True,
    asked=True,
)
IMAGE = Role("text", ("image", *TEXT.known), text=True, asked=True)
SOUND = Role("text", ("sound", "audio", "file", *TEXT.known), text=True, asked=True)
