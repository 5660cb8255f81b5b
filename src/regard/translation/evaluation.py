"""Scores of translators on sentence pairs: BLEU, chrF, loss and speed."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from regard.data import read_pairs
from regard.errors import DamagedFileError
from regard.options import decoding_of
from regard.recipes.evaluation import Evaluator, Progress, Report, no_progress, write_texts
from regard.recipes.resampling import Scored, intervals
from regard.recipes.sequences import greedy_answers, mean_loss, spread
from regard.records import LeftOut
from regard.records.lines import Say, warn
from regard.training import corpus_scores
from regard.training.metrics import CorpusScores, ScoredTexts
from regard.translation.files import held_files, read_sources
from regard.translation.options import TranslationEvaluationOptions
from regard.translation.translator import Translator


class TestSets(list[tuple[str, str]]):
    """The sentence pairs of several test sets."""

    def __init__(self) -> None:
        self.sources: list[str] = []  # of each pair, by name


@dataclass(frozen=True, eq=False)
class TranslationScores(Scored):
    """The translations of a test set, and the figures that compare them with its references."""

    translator: Translator
    pairs: Sequence[tuple[str, str]]
    translations: list[str]
    sentences_per_second: float  # of decoding
    num_beams: int
    sources: Sequence[str] = ()  # of each pair, by name, where there are several

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def corpus(self) -> CorpusScores:
        """BLEU and chrF, sacreBLEU's, from 0 to 100, with their signatures."""
        return corpus_scores(self.translations, [target for _, target in self.pairs])

    @cached_property
    def texts(self) -> ScoredTexts:
        """The same for any choice of the pairs."""
        return ScoredTexts(self.translations, [target for _, target in self.pairs])

    @cached_property
    def by_source(self) -> dict[str, dict[str, Any]]:
        """BLEU and chrF of each source with their intervals, and the number of its sentences."""
        names = np.array(self.sources)
        scores = dict[str, dict[str, Any]]()
        for name in dict.fromkeys(self.sources):
            rows = np.flatnonzero(names == name).tolist()
            translations = [self.translations[row] for row in rows]
            part = replace(self, pairs=[self.pairs[row] for row in rows], translations=translations)
            scores[name] = part.figures | {"sentences": len(rows), "intervals": intervals(part)}
        return scores

    @cached_property
    def loss(self) -> float:
        """Nats per target token."""
        return mean_loss(self.translator, self.pairs)

    def figures_of(self, rows: NDArray[np.int64]) -> dict[str, float]:
        """Return BLEU and chrF of these pairs, which may repeat."""
        return self.texts.figures_of(rows)


class TranslationReport(Report):
    """A report on a translator: BLEU, chrF, loss and speed."""

    result: TranslationScores

    titles: ClassVar = {"bleu": ("BLEU", "{:.2f}"), "chrf": ("chrF", "{:.2f}")}

    def lines(self) -> list[str]:
        result, lines = self.result, []
        for name, (title, _) in self.titles.items():
            low, high = self.intervals[name]
            signature = getattr(result.corpus, f"{name}_signature")
            value = getattr(result.corpus, name)
            lines.append(f"{title}         {value:.2f}   {low:.2f} to {high:.2f}   {signature}")
        if (compared := self.compared) is not None:
            lines.append(
                f"BLEU of {compared['model']}: {compared['value']:.2f}; difference"
                f" {compared['difference']:+.2f}, p = {compared['p']:.3f} (paired bootstrap)"
            )
        width = max(map(len, result.by_source), default=0)
        for source, figures in result.by_source.items():
            parts = [f"  {source:<{width}}"]
            for name, (title, _) in self.titles.items():
                low, high = figures["intervals"][name]
                parts.append(f"{title} {figures[name]:5.2f} ({low:.2f} to {high:.2f})")
            lines.append("  ".join([*parts, f"{figures['sentences']:,} sentences"]))
        return [
            *lines,
            f"loss         {result.loss:.4f} nats per target token",
            f"speed        {result.sentences_per_second:.1f} sentences/s"
            f" ({self.count:,} sentences, {result.num_beams} beams)",
        ]

    def content(self) -> dict[str, Any]:
        result, corpus = self.result, self.result.corpus
        content: dict[str, Any] = {
            "bleu": corpus.bleu,
            "bleu_signature": corpus.bleu_signature,
            "chrf": corpus.chrf,
            "chrf_signature": corpus.chrf_signature,
            "loss": result.loss,
            "sentences": self.count,
            "sentences_per_second": result.sentences_per_second,
            "num_beams": result.num_beams,
            "intervals": self.intervals,
        }
        content |= {"sources": result.by_source} if result.by_source else {}
        return content | ({"compared": self.compared} if self.compared else {})


class TranslationEvaluator(Evaluator[TranslationEvaluationOptions]):
    """Evaluation of translators."""

    unit = "sentences"
    doing = "translating"
    report_class = TranslationReport

    def configured(self, task: Translator, name: str) -> Translator:
        source, target = self.options.source_language, self.options.target_language
        if source or target:
            task = task.between(source, target)
        if self.options.prefix is not None:
            task.prefix = self.options.prefix
        if ignored := ", ".join(task.not_followed):
            self.say(f"{name} asks for {ignored}; regard ignores that.")
        return task

    def read(self, path: str) -> list[tuple[str, str]]:
        options: dict[str, Any] = {"strict": self.options.strict, "say": self.say}
        if not path.endswith(".toml"):
            return read_test_set(path, **options)
        files = read_sources(path)
        sets = TestSets()
        for file in held_files(None, [], files) or files:
            pairs = read_test_set(file.path, **options)
            sets += pairs
            sets.sources += [file.source] * len(pairs)
        return sets

    def score(
        self,
        task: Translator,
        data: Sequence[tuple[str, str]],
        *,
        progress: Progress = no_progress,
    ) -> TranslationScores:
        settings = self.options.decoding()
        started = time.perf_counter()
        results = task.run(
            [source for source, _ in data], any_script=True, progress=progress, **settings
        )
        speed = len(data) / (time.perf_counter() - started)
        beams = task.generation.updated(**decoding_of(settings)).num_beams
        sources = data.sources if isinstance(data, TestSets) else ()
        return TranslationScores(task, data, [each.text for each in results], speed, beams, sources)

    def compared(self, result: TranslationScores) -> str:
        return "bleu"

    def outputs(self, result: TranslationScores) -> list[str]:
        return result.translations

    def write(self, report: Report) -> None:
        write_texts(self.options.output, report.result.translations)


def read_test_set(
    path: str | Path | tuple[str, str], *, strict: bool = False, say: Say = warn
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
    """Return a run's dev figures: the loss on all pairs; BLEU, chrF and share of distinct outputs
    of greedy decoding on `sentences` of them, spread evenly: files are often sorted."""
    scored = spread(pairs, sentences)
    sources, references = [source for source, _ in scored], [target for _, target in scored]
    whole = translator.decoding_by(whole=True)  # as the pairs that it is trained on
    hypotheses = greedy_answers(whole, sources, references, batch_size=128)
    scores = corpus_scores(hypotheses, references)
    return {
        "loss": mean_loss(translator, pairs),
        "bleu": scores.bleu,
        "chrf": scores.chrf,
        "distinct": len(set(hypotheses)) / len(set(sources)),
        "sentences": float(len(scored)),
    }


def figures_of_all(figures: Mapping[str, dict[str, float]]) -> dict[str, float]:
    """The figures of several target languages, or sources, as one: means, the least share of
    distinct outputs, all sentences; and BLEU, chrF and loss of each, such as "bleu_de"."""
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
