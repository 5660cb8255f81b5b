"""Scores of translators on sentence pairs: BLEU, chrF, loss, speed, and words that are unsure."""

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from regard.checkpoints import shipped
from regard.data import LeftOut
from regard.data.lines import Say, warn
from regard.data.pairs import read_pairs
from regard.errors import DamagedFileError, UnavailableError, UnsupportedError
from regard.generation.config import decoding_of
from regard.tasks.translation.certainty import Judged, mark_figures, of_language
from regard.tasks.translation.copying import copied_signs
from regard.tasks.translation.read import (
    PairFile,
    held_files,
    named_languages,
    pair_files,
    read_sources,
    two_files,
)
from regard.tasks.translation.task import Translation, Translator
from regard.tasks.translation.train_options import TranslationEvaluationOptions
from regard.training import corpus_scores
from regard.training.evaluation import Evaluator, Progress, Report, no_progress, write_texts
from regard.training.metrics import CorpusScores, ScoredTexts
from regard.training.resampling import Scored, intervals
from regard.training.sequence_scores import greedy_answers, mean_loss, spread

MOST_LOST, MOST_OTHER = 0.2, 0.03  # BLEU, and share of the texts, by int8
MARKS = ("wrong", "mark_precision", "mark_recall")  # figures of `mark_figures`


class TestSets(list[tuple[str, str]]):
    """The sentence pairs of several test sets."""

    def __init__(self) -> None:
        self.sources: list[str] = []  # of each pair, by name


@dataclass(frozen=True, eq=False)
class TranslationScores(Scored):
    """The translations of a test set, and the figures that compare them with its references."""

    translator: Translator
    pairs: Sequence[tuple[str, str]]
    results: list[Translation]
    sentences_per_second: float  # of decoding
    num_beams: int
    sources: Sequence[str] = ()  # of each pair, by name, where there are several
    calibrated: bool = False  # on these pairs

    def __len__(self) -> int:
        return len(self.pairs)

    @cached_property
    def translations(self) -> list[str]:
        """The texts of the results."""
        return [result.text for result in self.results]

    @cached_property
    def judged(self) -> Judged:
        """Their words beside the references."""
        return Judged.of(self.results, [target for _, target in self.pairs])

    @cached_property
    def _marks(self) -> NDArray[np.int64] | None:
        """Words of each pair as `mark_figures` counts them; None: the model marks no word."""
        below = self.translator.calibration.unsure_below
        return self.judged.counts(below) if below else None

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
        names, references = np.array(self.sources), [target for _, target in self.pairs]
        scores = dict[str, dict[str, Any]]()
        for name in dict.fromkeys(self.sources):
            rows = np.flatnonzero(names == name)
            texts = ScoredTexts(
                [self.translations[row] for row in rows], [references[row] for row in rows]
            )
            scores[name] = texts.figures_of(np.arange(len(rows)))
            scores[name] |= {"sentences": len(rows), "intervals": intervals(texts)}
        return scores

    @cached_property
    def loss(self) -> float:
        """Nats per target token."""
        return mean_loss(self.translator, self.pairs)

    def figures_of(self, rows: NDArray[np.int64]) -> dict[str, float]:
        """Return BLEU, chrF and the figures of the mark for these pairs, which may repeat."""
        marks = {} if self._marks is None else mark_figures(self._marks[rows])
        return self.texts.figures_of(rows) | marks


class TranslationReport(Report):
    """A report on a translator: BLEU, chrF, loss, speed, and the mark of unsure words."""

    result: TranslationScores

    titles: ClassVar = {
        "bleu": ("BLEU", "{:.2f}"),
        "chrf": ("chrF", "{:.2f}"),
        "wrong": ("words that the reference lacks", "{:.1%}"),
        "mark_precision": ("precision of the mark", "{:.1%}"),
        "mark_recall": ("recall of the mark", "{:.1%}"),
    }

    def lines(self) -> list[str]:
        result, lines = self.result, []
        for name in ("bleu", "chrf"):
            title, (low, high) = self.titles[name][0], self.intervals[name]
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
            for name in ("bleu", "chrf"):
                title, (low, high) = self.titles[name][0], figures["intervals"][name]
                parts.append(f"{title} {figures[name]:5.2f} ({low:.2f} to {high:.2f})")
            lines.append("  ".join([*parts, f"{figures['sentences']:,} sentences"]))
        return [
            *lines,
            f"loss         {result.loss:.4f} nats per target token",
            f"speed        {result.sentences_per_second:.1f} sentences/s"
            f" ({self.count:,} sentences, {result.num_beams} beams)",
            *self.details(),
        ]

    def details(self) -> list[str]:
        below = self.result.translator.calibration.unsure_below
        card = self.result.judged.card(below) if self.result.calibrated else []
        if not below:
            return card
        share = {
            name: "{:.1%} ({:.1%} to {:.1%})".format(self.figures[name], *self.intervals[name])
            for name in MARKS
        }
        words = (
            "none was written"
            if math.isnan(self.figures["wrong"])
            else (f"{share['wrong']} are not in the reference")
        )
        marked = f"{share['mark_precision']} of those are not in it"
        if math.isnan(self.figures["mark_precision"]):
            marked = "no word is marked"
        elif not math.isnan(self.figures["mark_recall"]):
            marked += f"; {share['mark_recall']} of all that are not are marked"
        return [
            f"words        {words}",
            f"unsure       below a probability of {below}: {marked}",
            *card,
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
        content |= {name: self.figures[name] for name in MARKS if name in self.figures}
        content |= {"sources": result.by_source} if result.by_source else {}
        return content | ({"compared": self.compared} if self.compared else {})


class TranslationEvaluator(
    Evaluator[
        TranslationEvaluationOptions, Translator, Sequence[tuple[str, str]], TranslationScores
    ]
):
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
        if self.options.calibrate is not None:
            folder = None if task.handle.source is None else task.handle.source.folder
            if folder is None or task.has_languages:
                raise UnsupportedError(
                    f"{task.name} cannot be calibrated: `calibrate` needs a folder with a"
                    " translator of one pair of languages."
                )
            if folder.parent == shipped.FOLDER:
                raise UnsupportedError(
                    f"{task.name} is a part of regard, and `calibrate` writes into the model's"
                    f" folder: copy {folder}, and name the copy."
                )
        return task

    def files(self, data: str) -> Sequence[str]:
        return PairFile(two_files(data)).paths

    def read(self, path: str) -> list[tuple[str, str]]:
        if not path.endswith(".toml"):
            return self._pairs(PairFile(two_files(path)))
        target = self.options.target_language
        files = [file for file in read_sources(path) if target in (None, file.language or target)]
        sets = TestSets()
        for file in held_files(None, [], files) or files:
            pairs = self._pairs(file)
            sets += pairs
            sets.sources += [file.source] * len(pairs)
        return sets

    def _pairs(self, file: PairFile) -> list[tuple[str, str]]:
        languages = named_languages(self.options, file)
        strict, say = self.options.strict, self.say
        pairs = read_test_set(file.path, languages=languages, strict=strict, say=say)
        return [(second, first) for first, second in pairs] if file.reverse else pairs

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
            [source for source, _ in data], force=True, progress=progress, **settings
        )
        speed = len(data) / (time.perf_counter() - started)
        beams = task.generation.updated(**decoding_of(settings)).num_beams
        sources = data.sources if isinstance(data, TestSets) else ()
        scores = TranslationScores(task, data, results, speed, beams, sources)
        return self._calibrated(scores) if self.options.calibrate else scores

    def _calibrated(self, scores: TranslationScores) -> TranslationScores:
        """Return the scores with the translator's bounds measured on them, which are also
        written."""
        task, source = scores.translator, scores.translator.handle.source
        assert source is not None
        assert self.options.calibrate is not None
        files = pair_files(self.options.calibrate)
        texts = [source for file in files for source, _ in self._pairs(file)]
        below, precision = scores.judged.threshold(), self._precision(scores)
        copied = copied_signs(task, [source for source, _ in scores.pairs])
        bounds = replace(of_language(texts), unsure_below=below, precision=precision, copied=copied)
        bounds.save(source.folder)
        return replace(scores, translator=task.decoding_by(calibration=bounds), calibrated=True)

    def _precision(self, scores: TranslationScores) -> str:
        """Return int8 if it changes little: at most `MOST_LOST` BLEU and `MOST_OTHER` texts."""
        texts, references = zip(*scores.pairs, strict=True)
        settings = self.options.decoding()
        outputs = list[list[str]]()
        for precision in ("fp32", "int8"):
            try:
                task = scores.translator.run_by("native", precision=precision)
            except (UnsupportedError, UnavailableError):
                return "fp32"
            outputs.append([result.text for result in task.run(texts, force=True, **settings)])
        exact, rounded = outputs
        other = sum(a != b for a, b in zip(exact, rounded, strict=True)) / len(texts)
        lost = corpus_scores(exact, references).bleu - corpus_scores(rounded, references).bleu
        return "int8" if other <= MOST_OTHER and lost <= MOST_LOST else "fp32"

    def compared(self, result: TranslationScores) -> str:
        return "bleu"

    def outputs(self, result: TranslationScores) -> list[str]:
        return result.translations

    def write(self, report: Report) -> None:
        write_texts(self.options.output, report.result.translations)


def read_test_set(
    path: str | Path | tuple[str, str],
    *,
    languages: tuple[str, str] | None = None,
    strict: bool = False,
    say: Say = warn,
) -> list[tuple[str, str]]:
    """Return the (source, reference) pairs in a file; lines with an empty source are left out.

    Args:
        languages: as `read_pairs` takes them.
        strict: whether the first line that is not a pair is the end; else these are left out.
        say: called with a sentence on what was left out.

    Raises:
        DamagedFileError: the file has no pairs.
    """
    bad = LeftOut(strict=strict)
    every = read_pairs(path, languages=languages, on_bad_line=bad, say=say)
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
) -> tuple[dict[str, float], Judged]:
    """Return a run's dev figures: the loss on all pairs; BLEU, chrF and share of distinct outputs
    of greedy decoding on `sentences` of them, spread evenly: files are often sorted. And the words
    of these outputs."""
    scored = spread(pairs, sentences)
    sources, references = [source for source, _ in scored], [target for _, target in scored]
    whole = translator.decoding_by(whole=True)  # as the pairs that it is trained on
    results = greedy_answers(whole, sources, references, batch_size=128)
    hypotheses = [result.text for result in results]
    scores = corpus_scores(hypotheses, references)
    figures = {
        "loss": mean_loss(translator, pairs),
        "bleu": scores.bleu,
        "chrf": scores.chrf,
        "distinct": len(set(hypotheses)) / len(set(sources)),
        "sentences": float(len(scored)),
    }
    return figures, Judged.of(results, references)


def figures_of_all(figures: Mapping[str, dict[str, float]]) -> dict[str, float]:
    """Return the figures of several target languages, or sources, as one: means, the least share of
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
