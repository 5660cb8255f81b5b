"""Scores of summarizers: ROUGE, and that of the documents' first words."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from regard.errors import BadArgumentError
from regard.recipes.evaluation import Evaluator, Progress, Report, no_progress, write_texts
from regard.recipes.examples import Example
from regard.recipes.options.evaluation import SummaryEvaluationOptions
from regard.recipes.summaries.documents import read_summaries
from regard.recipes.summaries.rouge import (
    NAMES,
    RougeScores,
    RougeTable,
    require_rouge,
    rouge_table,
    with_intervals,
)
from regard.tasks.summarization import Rewriter

_SENTENCE_END = re.compile(r"(?<=[.!?।…])\s+|(?<=[。！？])")


@dataclass(frozen=True)
class SummaryEvaluation:
    """The summaries of documents, and the figures that compare them with their references."""

    summaries: list[str]
    each: RougeTable  # of every summary
    truncated: int  # documents that were cut
    documents_per_second: float

    def __len__(self) -> int:
        return len(self.summaries)

    def figures_of(self, rows: NDArray[np.int64]) -> dict[str, float]:
        """ROUGE over these documents, which may repeat."""
        return self.each.figures_of(rows)

    @property
    def note(self) -> str:
        """Notes on the scores."""
        cut = f"{self.truncated:,} documents cut; " if self.truncated else ""
        return f"{cut}{self.documents_per_second:.1f} a second; {self.each.signature}"

    def worst(self, count: int) -> list[int]:
        """The documents whose summaries have the lowest ROUGE-L."""
        scores = self.each.each[:, list(NAMES).index("rougeL")]
        return [int(row) for row in np.argsort(scores, kind="stable")[:count]]


class SummaryEvaluator(Evaluator[SummaryEvaluationOptions]):
    """Evaluation of summarizers, beside the documents' first words."""

    unit = "documents"
    doing = "summarizing"

    def read(self, path: str) -> list[Example]:
        require_rouge()
        return self.examples(read_summaries, path, **self.options.values("document", "summary"))

    def score(
        self, task: Rewriter, data: Sequence[Example], *, progress: Progress = no_progress
    ) -> SummaryEvaluation:
        """Summarize the documents and compare with their references."""
        if not data:
            raise BadArgumentError("evaluating needs at least one document; got none.")
        started = time.perf_counter()
        texts, settings = [example.text for example in data], self.options.decoding()
        results = task.run(texts, any_script=True, progress=progress, **settings)
        speed = len(data) / (time.perf_counter() - started)
        summaries = [result.text for result in results]
        return SummaryEvaluation(
            summaries=summaries,
            each=rouge_table(summaries, [example.targets for example in data]),
            truncated=sum(result.truncated for result in results),
            documents_per_second=speed,
        )

    def compared(self, result: SummaryEvaluation) -> str:
        return "rougeL"

    def outputs(self, result: SummaryEvaluation) -> list[str]:
        return result.summaries

    def baselines(self, data: Sequence[Example]) -> dict[str, RougeTable]:
        return lead_tables(data, lead_words(data))

    def worst(
        self, result: SummaryEvaluation, data: Sequence[Example], count: int
    ) -> list[dict[str, Any]]:
        return [
            {
                "line": data[row].line,
                "rougeL": result.each.each[row, -1].item(),
                "summary": result.summaries[row],
                "references": data[row].targets,
            }
            for row in result.worst(count)
        ]

    def write(self, report: Report) -> None:
        write_texts(self.options.output, report.result.summaries)


def lead_words(examples: Sequence[Example]) -> int:
    """Return the words of a summary, on average over the references."""
    counts = [len(summary.split()) for example in examples for summary in example.targets]
    return max(1, round(sum(counts) / len(counts))) if counts else 1


def lead_scores(examples: Sequence[Example], words: int) -> dict[str, RougeScores]:
    """ROUGE of each document's first sentence, and of its first words."""
    tables = lead_tables(examples, words)
    return {name: with_intervals(table) for name, table in tables.items()}


def lead_tables(examples: Sequence[Example], words: int) -> dict[str, RougeTable]:
    """The same for every document."""
    references = [example.targets for example in examples]
    texts = [example.text for example in examples]
    leads = {
        "first sentence": [first_sentence(text) for text in texts],
        f"first {words} words": [" ".join(text.split()[:words]) for text in texts],
    }
    return {name: rouge_table(lead, references) for name, lead in leads.items()}


def first_sentence(text: str) -> str:
    """A text up to the first mark that ends a sentence and is followed by a space."""
    return _SENTENCE_END.split(text.strip(), maxsplit=1)[0]
