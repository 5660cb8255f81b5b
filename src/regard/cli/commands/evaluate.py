"""`regard evaluate`: translate a set of sentence pairs and score the result."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.options import BatchSize, LengthPenalty, MaxNewTokens, Threads, specified
from regard.cli.progress import progress_bar
from regard.cli.translators import Prefix, SourceLanguage, TargetLanguage, open_translator

if TYPE_CHECKING:
    from regard.translation.evaluation import Evaluation
    from regard.translation.translator import Translator


def evaluate(
    model: Annotated[
        str, typer.Argument(help="A shipped model's name, a model folder or hub:org/name.")
    ],
    pairs: Annotated[Path, typer.Argument(help="Sentence pairs: TSV, CSV, JSON lines or Parquet.")],
    source_language: SourceLanguage = None,
    target_language: TargetLanguage = None,
    prefix: Prefix = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File for the translations, one per line."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write one JSON object.")] = False,
    num_beams: Annotated[
        int, typer.Option("--num-beams", min=1, help="Hypotheses kept at each step; 1 is greedy.")
    ] = 5,
    length_penalty: LengthPenalty = None,
    max_new_tokens: MaxNewTokens = None,
    batch_size: BatchSize = 32,
    threads: Threads = None,
) -> None:
    """Score a translator: BLEU, chrF, loss and speed.

    BLEU and chrF are sacreBLEU's, with the signatures that make them comparable.
    """
    import torch

    from regard.translation.evaluation import read_test_set

    tested = read_test_set(pairs)
    if threads:
        torch.set_num_threads(threads)
    options = specified(
        num_beams=num_beams,
        length_penalty=length_penalty,
        max_new_tokens=max_new_tokens,
    )
    translator = open_translator(model, source_language, target_language, prefix)
    result = score(translator, tested, batch_size=batch_size, **options)
    if output is not None:
        from regard.files import whole_file

        with whole_file(output) as file:
            lines = (" ".join(text.splitlines()) for text in result.translations)
            file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
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
