"""How well a translator translates a set of sentence pairs: BLEU, chrF, loss and speed."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.data import read_pairs
from regard.errors import DamagedFileError
from regard.recipes.sequence_scores import greedy_answers, mean_loss, spread
from regard.records import LeftOut
from regard.records.lines import Say, warn
from regard.training import corpus_scores
from regard.training.metrics import ScoredTexts
from regard.translation.translator import Translator


@dataclass(frozen=True)
class Evaluation:
    """The translations of a test set, and the figures that compare them with its references."""

    translations: list[str]
    scored: ScoredTexts  # the same, for intervals and tests
    bleu: float  # both from 0 to 100, sacreBLEU's
    bleu_signature: str
    chrf: float
    chrf_signature: str
    loss: float  # nats per target token
    sentences: int
    sentences_per_second: float  # of decoding
    num_beams: int


def evaluate(
    translator: Translator,
    pairs: Sequence[tuple[str, str]],
    *,
    batch_size: int = 32,
    progress: Callable[[int], None] = lambda done: None,
    **options: Any,
) -> Evaluation:
    """Translates the sources of (source, reference) pairs and scores the result.

    Args:
        batch_size, progress, options: as `Translator.run` takes them.

    Raises:
        BadArgumentError: no pairs, or what `Translator.run` refuses.
    """
    sources, references = [source for source, _ in pairs], [target for _, target in pairs]
    started = time.perf_counter()
    results = translator.run(
        sources, any_script=True, batch_size=batch_size, progress=progress, **options
    )
    seconds = time.perf_counter() - started
    translations = [result.text for result in results]
    scores = corpus_scores(translations, references)
    return Evaluation(
        translations=translations,
        scored=ScoredTexts(translations, references),
        bleu=scores.bleu,
        bleu_signature=scores.bleu_signature,
        chrf=scores.chrf,
        chrf_signature=scores.chrf_signature,
        loss=mean_loss(translator, pairs),
        sentences=len(pairs),
        sentences_per_second=len(pairs) / seconds,
        num_beams=options.get("num_beams", translator.generation.num_beams),
    )


def read_test_set(
    path: str | Path, *, strict: bool = False, say: Say = warn
) -> list[tuple[str, str]]:
    """The (source, reference) pairs in a file; lines with an empty source are left out.

    Args:
        strict: whether the first line that is not a pair is the end; else these are left out.
        say: called with a sentence on what was left out.

    Raises:
        DamagedFileError: the file has no pairs.
    """
    bad = LeftOut(strict=strict)
    every = read_pairs(path, on_bad_line=bad, say=say)
    pairs = [(pair.source, pair.target) for pair in every if pair.source.strip()]
    bad.report(say)
    if not pairs:
        raise DamagedFileError(
            f"{path} contains no sentence pairs; one per line was expected. Check that it is the"
            " right file."
        )
    return pairs


def dev_figures(
    translator: Translator, pairs: Sequence[tuple[str, str]], *, sentences: int
) -> dict[str, float]:
    """What a training run watches: the loss on all pairs; BLEU, chrF and the share of distinct
    outputs of greedy decoding on `sentences` of them, spread evenly: files are often sorted."""
    scored = spread(pairs, sentences)
    sources, references = [source for source, _ in scored], [target for _, target in scored]
    hypotheses = greedy_answers(translator, sources, references, batch_size=128)
    scores = corpus_scores(hypotheses, references)
    return {
        "loss": mean_loss(translator, pairs),
        "bleu": scores.bleu,
        "chrf": scores.chrf,
        "distinct": len(set(hypotheses)) / len(set(sources)),
        "sentences": float(len(scored)),
    }


def figures_of_all(figures: Mapping[str, dict[str, float]]) -> dict[str, float]:
    """The figures of several target languages as one: means, the least share of distinct outputs,
    all sentences; and BLEU, chrF and loss of each, such as "bleu_de"."""
    each = figures.values()

    def mean(name: str) -> float:
        return sum(one[name] for one in each) / len(figures)

    return {
        **{name: mean(name) for name in ("loss", "bleu", "chrf")},
        "distinct": min(one["distinct"] for one in each),
        "sentences": sum(one["sentences"] for one in each),
        **{
            f"{name}_{language}": one[name]
            for language, one in figures.items()
            for name in ("loss", "bleu", "chrf")
        },
    }
