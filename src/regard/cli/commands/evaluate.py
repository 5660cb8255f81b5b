"""`regard evaluate`: translate a set of sentence pairs and score the result."""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from regard.cli.options import BatchSize, LengthPenalty, MaxNewTokens, Threads
from regard.cli.progress import progress_bar
from regard.cli.translators import Prefix, SourceLanguage, TargetLanguage, open_translator
from regard.errors import DamagedFileError

if TYPE_CHECKING:
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
        typer.Option("--output", "-o", help="File for the translations, one a line."),
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

    references = read_references(pairs)
    if threads:
        torch.set_num_threads(threads)
    options: dict[str, Any] = {
        "num_beams": num_beams,
        "length_penalty": length_penalty,
        "max_new_tokens": max_new_tokens,
    }
    options = {name: value for name, value in options.items() if value is not None}
    translator = open_translator(model, source_language, target_language, prefix)
    hypotheses, figures = measure(translator, references, batch_size=batch_size, **options)
    if output is not None:
        from regard.files import whole_file

        with whole_file(output) as file:
            lines = (" ".join(text.splitlines()) for text in hypotheses)
            file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    show(figures, as_json=as_json)


def read_references(path: Path) -> list[tuple[str, str]]:
    """The sources and references in a file of pairs; empty lines hold none."""
    from regard.data import read_pairs

    pairs = [(pair.source, pair.target) for pair in read_pairs(path) if pair.source.strip()]
    if not pairs:
        raise DamagedFileError(f"{path} holds no sentence pairs; one a line was expected.")
    return pairs


def measure(
    translator: "Translator",
    pairs: Sequence[tuple[str, str]],
    *,
    batch_size: int = 32,
    **generation: Any,
) -> tuple[list[str], dict[str, Any]]:
    """Translations of the pairs' sources, and the figures that compare them with the targets."""
    from regard.training import corpus_scores
    from regard.translation.training import mean_loss

    sources = [source for source, _ in pairs]
    started = time.perf_counter()
    with progress_bar(len(sources), "translating") as bar:
        results = translator.run(sources, batch_size=batch_size, progress=bar, **generation)
    seconds = time.perf_counter() - started
    hypotheses = [result.text for result in results]
    scores = corpus_scores(hypotheses, [target for _, target in pairs])
    return hypotheses, {
        "bleu": scores.bleu,
        "bleu_signature": scores.bleu_signature,
        "chrf": scores.chrf,
        "chrf_signature": scores.chrf_signature,
        "loss": mean_loss(translator, pairs),
        "sentences": len(pairs),
        "sentences_per_second": len(pairs) / seconds,
        "num_beams": generation.get("num_beams", translator.generation.num_beams),
    }


def show(figures: dict[str, Any], *, as_json: bool) -> None:
    """Prints what `measure` found."""
    if as_json:
        json.dump(figures, sys.stdout, ensure_ascii=False)
        print()
        return
    print(f"BLEU         {figures['bleu']:.2f}   {figures['bleu_signature']}")
    print(f"chrF         {figures['chrf']:.2f}   {figures['chrf_signature']}")
    print(f"loss         {figures['loss']:.4f} nats per target token")
    print(
        f"speed        {figures['sentences_per_second']:.1f} sentences/s"
        f" ({figures['sentences']:,} sentences, {figures['num_beams']} beams)"
    )
