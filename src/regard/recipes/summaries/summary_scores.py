"""How well a summarizer summarizes documents: ROUGE, and that of the documents' first words."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from regard.errors import BadArgumentError
from regard.recipes.examples import Example
from regard.recipes.summaries.rouge import NAMES, RougeScores, rouge
from regard.tasks.summarization import Rewriter

_SENTENCE_END = re.compile(r"(?<=[.!?।…])\s+|(?<=[。！？])")


@dataclass(frozen=True)
class SummaryEvaluation:
    """The summaries of documents, and the figures that compare them with their references."""

    summaries: list[str]
    rouge: RougeScores
    lead: dict[str, RougeScores]  # of the baselines: what each is → its scores
    truncated: int  # documents that were cut
    documents_per_second: float

    def table(self) -> str:
        """The figures, a line each."""
        rows = {"summaries": self.rouge, **self.lead}
        width = max(map(len, rows))
        lines = [f"{name:<{width}}  {scores}" for name, scores in rows.items()]
        cut = f", {self.truncated:,} of them cut" if self.truncated else ""
        lines.append(
            f"{len(self.summaries):,} documents{cut}, {self.documents_per_second:.1f} a second;"
            f" {self.rouge.signature}; in brackets 95 % of 1,000 bootstrap samples"
        )
        return "\n".join(lines)

    @property
    def figures(self) -> dict[str, Any]:
        """By name, for JSON."""
        return {
            **{name: self.rouge.mean[name] for name in NAMES},
            **{f"{name}_low": self.rouge.low[name] for name in NAMES},
            **{f"{name}_high": self.rouge.high[name] for name in NAMES},
            "lead": {what: scores.mean for what, scores in self.lead.items()},
            "documents": len(self.summaries),
            "truncated": self.truncated,
            "documents_per_second": self.documents_per_second,
            "signature": self.rouge.signature,
        }


def evaluate_summaries(
    summarizer: Rewriter,
    examples: Sequence[Example],
    *,
    lead_words: int,
    batch_size: int = 8,
    progress: Callable[[int], None] = lambda done: None,
    **options: Any,
) -> SummaryEvaluation:
    """Summarizes the examples' texts and compares with their targets.

    Args:
        lead_words: words of the second baseline; what the training summaries have on average.
        batch_size, progress, options: as `Summarizer.run` takes them.

    Raises:
        BadArgumentError: no examples, or what `Summarizer.run` refuses.
        UnavailableError: rouge-score is not installed.
    """
    if not examples:
        raise BadArgumentError("evaluating needs at least one document; got none.")
    started = time.perf_counter()
    results = summarizer.run(
        [example.text for example in examples], batch_size=batch_size, progress=progress, **options
    )
    seconds = time.perf_counter() - started
    summaries = [result.text for result in results]
    return SummaryEvaluation(
        summaries=summaries,
        rouge=rouge(summaries, [example.targets for example in examples]),
        lead=lead_scores(examples, lead_words),
        truncated=sum(result.truncated for result in results),
        documents_per_second=len(examples) / seconds,
    )


def lead_scores(examples: Sequence[Example], words: int) -> dict[str, RougeScores]:
    """ROUGE of each document's first sentence, and of its first words."""
    references = [example.targets for example in examples]
    texts = [example.text for example in examples]
    return {
        "first sentence": rouge([first_sentence(text) for text in texts], references),
        f"first {words} words": rouge([" ".join(t.split()[:words]) for t in texts], references),
    }


def first_sentence(text: str) -> str:
    """A text up to the first mark that ends a sentence and is followed by a space."""
    return _SENTENCE_END.split(text.strip(), maxsplit=1)[0]
