"""Which translator a command means: the options that say so, and the one that they open."""

from typing import TYPE_CHECKING, Annotated

from regard.cli.options import option, run_by
from regard.cli.texts import say_not_followed

if TYPE_CHECKING:
    from regard.translation.translator import Translator

SourceLanguage = Annotated[
    str | None,
    option(
        "Source language, for a model of several languages, such as de or de_DE.", default="model's"
    ),
]
TargetLanguage = Annotated[
    str | None, option("Target language, for a model of several languages.", default="model's")
]
Prefix = Annotated[
    str | None,
    option(
        "Text to put before every sentence, such as T5's 'translate English to German: '.",
        default="model's",
    ),
]


def open_translator(
    model: str,
    source: str | None,
    target: str | None,
    prefix: str | None,
    *,
    engine: str = "torch",
    precision: str | None = None,
    threads: int | None = None,
) -> "Translator":
    """The model as these options want it; what it does not follow of its own files is said.

    Args:
        engine, precision, threads: what computes; see `Task.run_by`.

    Raises:
        RegardError: no such model, language or engine, or it does not translate.
    """
    from regard.api.loading import load

    translator = run_by(load(model, "translation"), engine, precision, threads)
    if source or target:
        translator = translator.between(source, target)
    if prefix is not None:
        translator.prefix = prefix
    say_not_followed(model, translator.not_followed)
    return translator
