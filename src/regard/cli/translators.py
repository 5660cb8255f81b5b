"""Which translator a command means: the options that say so, and the one that they open."""

from typing import TYPE_CHECKING, Annotated

import typer

from regard.cli.texts import say_not_followed

if TYPE_CHECKING:
    from regard.translation.translator import Translator

SourceLanguage = Annotated[
    str | None,
    typer.Option(
        "--source-language",
        help="Source language, for a model of several languages, such as de or de_DE.",
        show_default="model's",
    ),
]
TargetLanguage = Annotated[
    str | None,
    typer.Option(
        "--target-language",
        help="Target language, for a model of several languages.",
        show_default="model's",
    ),
]
Prefix = Annotated[
    str | None,
    typer.Option(
        "--prefix",
        help="Text to put before every sentence, such as T5's 'translate English to German: '.",
        show_default="model's",
    ),
]


def open_translator(
    model: str, source: str | None, target: str | None, prefix: str | None
) -> "Translator":
    """The model as these options want it; what it does not follow of its own files is said.

    Raises:
        RegardError: no such model or language, or it does not translate.
    """
    from regard.api.loading import load

    translator = load(model, "translation")
    if source or target:
        translator = translator.between(source, target)
    if prefix is not None:
        translator.prefix = prefix
    say_not_followed(model, translator.not_followed)
    return translator
