"""Documents with their summaries, and scores of summarizers: ROUGE, beside the first words."""

import re
import time
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.data import BadCellError, Column, Role, read_examples
from regard.errors import BadArgumentError
from regard.letters import words
from regard.packages import optional_package
from regard.tasks.summarization.task import Rewriter
from regard.tasks.summarization.train_options import SummaryEvaluationOptions
from regard.text import normalize
from regard.text.cutting import sentences
from regard.training.evaluation import (
    Evaluator,
    Figures,
    Progress,
    Report,
    no_progress,
    write_texts,
)
from regard.training.examples import Example
from regard.training.resampling import Scored, intervals

DOCUMENT: tuple[str, ...] = (
    "document",
    "article",
    "text",
    "source",
    "documents",
    "dialogue",
    "input",
)
DOCUMENT += ("body", "content", "story", "review", "texte", "texto", "testo", "tekst", "dokument")
SUMMARY: tuple[str, ...] = (
    "summary",
    "summaries",
    "highlights",
    "target",
    "abstract",
    "targets",
    "output",
)
SUMMARY += ("tldr", "tl;dr", "headline", "title", "résumé", "resume", "zusammenfassung", "resumen")
SUMMARY += ("resumo", "riassunto", "samenvatting")


def read_documents_with_summaries(
    path: str,
    *,
    document: Column | None = None,
    summary: Column | None = None,
    complete: bool = False,
    **reading: Any,
) -> Iterator[Example]:
    """Return the documents of a file with their summaries, a row at a time.

    Args:
        complete: whether a row with an empty cell is a bad line.
    """
    roles = (Role("document", DOCUMENT, document), Role("summary", SUMMARY, summary))

    def example(values: tuple[Any, ...], line: int) -> Example:
        cells = [_texts(cell, role.name) for cell, role in zip(values, roles, strict=True)]
        text = " ".join(cells[0])
        summaries = [summary for summary in cells[1] if summary.strip()]
        if complete and not (summaries and text.strip()):
            what = "a document" if summaries else "a summary"
            raise BadCellError(
                f"expected {what}; got an empty cell. Fill it, or take the line out.", "empty cell"
            )
        return Example(text, None, list(dict.fromkeys(summaries)), line)

    return read_examples(path, roles, example, **reading)


def read_summaries(path: str, **reading: Any) -> Iterator[Example]:
    """Return the documents to score a summarizer on, each once, with all of its summaries."""
    return iter(together(read_documents_with_summaries(path, complete=True, **reading)))


def together(examples: Iterator[Example]) -> list[Example]:
    """Return an example for each document, with all of its summaries as references."""
    by_text: dict[str, Example] = {}
    for example in examples:
        first = by_text.setdefault(normalize(example.text), example)
        first.targets.extend(text for text in example.targets if text not in first.targets)
    return list(by_text.values())


def _texts(value: Any, role: str) -> list[str]:
    """Return the texts of a cell: one, or a list of them."""
    texts = value if isinstance(value, list) else [value]
    if all(isinstance(text, str) for text in texts):
        return texts
    raise BadCellError(
        f"expected a text or a list of texts as the {role}; got {type(value).__name__}. Name its"
        f" column with `{role}`."
    )


NAMES = {"rouge1": "ROUGE-1", "rouge2": "ROUGE-2", "rougeL": "ROUGE-L"}


@dataclass(frozen=True, eq=False)
class RougeScores(Scored):
    """F1 of every summary, from 0 to 100, (summaries, kinds of ROUGE): what is resampled."""

    each: NDArray[np.float64]
    signature: str  # how words were counted

    def __len__(self) -> int:
        return len(self.each)

    def figures_of(self, rows: NDArray[np.int64]) -> dict[str, float]:
        """Return the means over these summaries, which may repeat."""
        return dict(zip(NAMES, self.each[rows].mean(0).tolist(), strict=True))

    @cached_property
    def ends(self) -> tuple[dict[str, float], dict[str, float]]:
        """The low and the high ends of the means' 95 % intervals."""
        spans = intervals(self)
        low, high = ({name: span[end] for name, span in spans.items()} for end in (0, 1))
        return low, high

    @property
    def with_ends(self) -> dict[str, float]:
        """The means, and the ends of their intervals as `rouge1_low`, `rouge1_high`, …"""
        low, high = self.ends
        return {
            **self.figures,
            **{f"{name}_low": value for name, value in low.items()},
            **{f"{name}_high": value for name, value in high.items()},
        }

    def __str__(self) -> str:
        return rouge_line(self.with_ends)


def rouge_line(figures: Figures) -> str:
    """Figures of `RougeScores.with_ends`: `ROUGE-1 31.05 [30.11, 32.00]  ROUGE-2 …`"""
    return "  ".join(
        f"{title} {figures[name]:.2f} [{figures[f'{name}_low']:.2f}, {figures[f'{name}_high']:.2f}]"
        for name, title in NAMES.items()
    )


def rouge(summaries: Sequence[str], references: Sequence[Sequence[str]]) -> RougeScores:
    """Scores each summary against the best of its references.

    The words are rouge-score's own, with Porter's stemmer, where the references are in ASCII
    letters; rouge-score leaves any other letter out, so in other scripts and languages the words
    are Unicode's (see `letters`), and are not stemmed.
    """
    if len(summaries) != len(references) or not references:
        raise BadArgumentError(
            "scoring needs as many summaries as lists of references, at least one;"
            f" got {len(summaries)} and {len(references)}."
        )
    scorer_of = require_rouge()
    stemmed = _mostly_ascii(text for texts in references for text in texts)
    scorer = scorer_of(list(NAMES), use_stemmer=stemmed)
    spelled = str if stemmed else _Spelled()
    rows = [
        [max(scores[name].fmeasure for scores in matches) for name in NAMES]
        for summary, texts in zip(summaries, references, strict=True)
        for matches in [[scorer.score(spelled(text), spelled(summary)) for text in texts]]
    ]
    words = "Porter's stemmer" if stemmed else "words of any script, not stemmed"
    return RougeScores(100 * np.array(rows), f"F1, best reference, {words}, rouge-score")


def require_rouge() -> Callable[..., Any]:
    """rouge-score's scorer. Raises UnavailableError where the package is not installed."""
    with optional_package("rouge-score", "scoring summaries needs"):
        from rouge_score.rouge_scorer import RougeScorer
    return RougeScorer


class _Spelled:
    """Spells words in ASCII, which is all that rouge-score reads: each as "w" and a number.

    Words are those of `letters`, in lower case.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __call__(self, text: str) -> str:
        text = unicodedata.normalize("NFC", text).casefold()
        spelled = (text[begin:end] for begin, end in words(text))
        return " ".join(
            f"w{self._numbers.setdefault(word, len(self._numbers))}" for word in spelled
        )


def _mostly_ascii(texts: Iterable[str]) -> bool:
    """Return True if at most one letter in a hundred is outside ASCII, as in English."""
    letters = others = 0
    for text in texts:
        signs = re.findall(r"[^\W\d_]", text)
        letters += len(signs)
        others += sum(not letter.isascii() for letter in signs)
    return 100 * others <= letters


@dataclass(frozen=True)
class SummaryEvaluation(Scored):
    """The summaries of documents, and the figures that compare them with their references."""

    summaries: list[str]
    each: RougeScores  # of every summary
    truncated: int  # documents that were cut
    documents_per_second: float

    def __len__(self) -> int:
        return len(self.summaries)

    def figures_of(self, rows: NDArray[np.int64]) -> dict[str, float]:
        """ROUGE over these documents, which may repeat."""
        return self.each.figures_of(rows)

    @property
    def note(self) -> str:
        cut = f"{self.truncated:,} documents cut; " if self.truncated else ""
        return f"{cut}{self.documents_per_second:.1f} a second; {self.each.signature}"

    def worst(self, count: int) -> list[int]:
        """Return the documents whose summaries have the lowest ROUGE-L."""
        scores = self.each.each[:, list(NAMES).index("rougeL")]
        return [int(row) for row in np.argsort(scores, kind="stable")[:count]]


class SummaryEvaluator(
    Evaluator[SummaryEvaluationOptions, Rewriter, Sequence[Example], SummaryEvaluation]
):
    """Evaluation of summarizers, beside the documents' first words."""

    unit = "documents"
    doing = "summarizing"

    reader = staticmethod(read_summaries)

    def read(self, path: str) -> Sequence[Example]:
        require_rouge()
        return super().read(path)

    def score(
        self, task: Rewriter, data: Sequence[Example], *, progress: Progress = no_progress
    ) -> SummaryEvaluation:
        """Summarize the documents and compare with their references."""
        if not data:
            raise BadArgumentError("evaluating needs at least one document; got none.")
        started = time.perf_counter()
        texts, settings = [example.text for example in data], self.options.decoding()
        results = task.run(texts, force=True, progress=progress, **settings)
        speed = len(data) / (time.perf_counter() - started)
        summaries = [result.text for result in results]
        return SummaryEvaluation(
            summaries=summaries,
            each=rouge(summaries, [example.targets for example in data]),
            truncated=sum(result.truncated for result in results),
            documents_per_second=speed,
        )

    def compared(self, result: SummaryEvaluation) -> str:
        return "rougeL"

    def outputs(self, result: SummaryEvaluation) -> list[str]:
        return result.summaries

    def baselines(self, data: Sequence[Example]) -> dict[str, RougeScores]:
        return lead_scores(data, lead_words(data))

    def example(
        self, result: SummaryEvaluation, row: int, data: Sequence[Example]
    ) -> dict[str, Any]:
        return {
            "line": data[row].line,
            "rougeL": result.each.each[row, -1].item(),
            "summary": result.summaries[row],
            "references": data[row].targets,
        }

    def write(self, report: Report) -> None:
        write_texts(self.options.output, report.result.summaries)


def lead_words(examples: Sequence[Example]) -> int:
    """Return the words of a summary, on average over the references."""
    counts = [len(summary.split()) for example in examples for summary in example.targets]
    return max(1, round(sum(counts) / len(counts))) if counts else 1


def lead_scores(examples: Sequence[Example], words: int) -> dict[str, RougeScores]:
    """ROUGE of each document's first sentence, and of its first words."""
    references = [example.targets for example in examples]
    texts = [example.text for example in examples]
    leads = {
        "first sentence": [first_sentence(text) for text in texts],
        f"first {words} words": [" ".join(text.split()[:words]) for text in texts],
    }
    return {name: rouge(lead, references) for name, lead in leads.items()}


def first_sentence(text: str) -> str:
    """Return a text up to the end of its first sentence; "" of a blank one."""
    return next((text[start:end] for start, end in sentences(text)), "")
