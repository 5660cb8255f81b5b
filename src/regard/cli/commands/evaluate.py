"""`regard evaluate`: translate a set of sentence pairs and score the result."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli import options
from regard.cli.options import argument, option
from regard.cli.progress import progress_bar
from regard.cli.texts import destination
from regard.cli.translators import Prefix, SourceLanguage, TargetLanguage, open_translator

if TYPE_CHECKING:
    from regard.translation.evaluation import Evaluation
    from regard.translation.translator import Translator

Output = Annotated[
    Path | None, option("File for the translations, one per line.", "--output", "-o")
]


def evaluate(
    context: typer.Context,
    model: Annotated[str, argument("A shipped model's name, a model folder or hub:org/name.")],
    pairs: Annotated[Path, argument("Sentence pairs: TSV, CSV, JSON lines or Parquet.")],
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    prefix: Prefix = None,
    output: Output = None,
    as_json: options.Json = False,
    num_beams: Annotated[int, option("Hypotheses kept at each step; 1 is greedy.", min=1)] = 5,
    length_penalty: options.LengthPenalty = None,
    max_new_tokens: options.MaxNewTokens = None,
    batch_size: options.BatchSize = 32,
    threads: options.Threads = None,
) -> None:
    """Score a translator: BLEU, chrF, loss and speed.

    BLEU and chrF are sacreBLEU's, with the signatures that make them comparable.
    """
    from regard.translation.evaluation import read_test_set

    tested = read_test_set(pairs)
    options.use_threads(threads)
    translator = open_translator(model, source_language, target_language, prefix)
    settings = options.generation_options(context)
    result = score(translator, tested, batch_size=batch_size, **settings)
    if output is not None:
        with destination(output) as file:
            file.writelines(f"{' '.join(text.splitlines())}\n" for text in result.translations)
    show(result, as_json=as_json)


def score(
    translator: "Translator", pairs: Sequence[tuple[str, str]], **options: Any
) -> "Evaluation":
    """`translation.evaluation.evaluate` with a bar on a terminal."""
    from regard.translation import evaluation

    with progress_bar(len(pairs), "translating") as bar:
        return evaluation.evaluate(translator, pairs, progress=bar, **options)


def show(result: "Evaluation", *, as_json: bool) -> None:
    """Prints the figures."""
    if as_json:
        figures = {name: value for name, value in vars(result).items() if name != "translations"}
        print(json.dumps(figures, ensure_ascii=False))
        return
    print(f"BLEU         {result.bleu:.2f}   {result.bleu_signature}")
    print(f"chrF         {result.chrf:.2f}   {result.chrf_signature}")
    print(f"loss         {result.loss:.4f} nats per target token")
    print(
        f"speed        {result.sentences_per_second:.1f} sentences/s"
        f" ({result.sentences:,} sentences, {result.num_beams} beams)"
    )
