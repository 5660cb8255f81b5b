"""Texts to their continuations, and chats."""

from typing import TYPE_CHECKING

from regard.lazy import modules
from regard.tasks.declaration import RUNNING_TEXT, TEXT, Kind, Training

if TYPE_CHECKING:
    from regard.tasks.text_generation import command, options, route, task, train, train_options
else:
    command, options, route, task, train, train_options = modules(
        __name__, "command", "options", "route", "task", "train", "train_options"
    )

TASK = Kind(
    "text-generation",
    "a language model",
    "to continue a text",
    "shakespeare, or a GPT-2, Llama or similar model",
    ("evaluate", "look", "roles", "explain", "studio", "serve"),
    task=lambda: task.Writer,
    model="Decoder",
    verb="generate",
    help="Continue texts, or chat.\n\nOne prompt is written as it comes; Ctrl-C keeps what"
    " is there. Of many, each text is followed by an empty line; --json tells them"
    " apart for a program.",
    inputs=TEXT,
    options=lambda: options.GenerationOptions,
    decoding=("Decoding", "Sampling"),
    result=lambda: task.Continuation,
    batch_size=16,
    shard=100,
    blank=True,
    route=lambda: route.ROUTE,
    command=lambda: command.Generate,
    training=Training(
        "language-model",
        "Train a language model, which continues a text, on running text.",
        RUNNING_TEXT,
        lambda: train.LanguageModelRecipe,
        lambda: train_options.LanguageModelOptions,
        columns=("text",),
        figures="loss, perplexity and bits per byte",
    ),
)
