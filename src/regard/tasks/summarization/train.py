"""Learn to summarize documents, or to rewrite any text as another.

data/
    train.jsonl, dev.jsonl, test.jsonl   documents with their summaries after cleaning
    train.tokens                         the first of them as token ids, a row for each summary
    tokenizer.json, …
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from torch import nn

from regard.data import OnBadLine, TokenStore
from regard.errors import BadArgumentError
from regard.generation import GenerationConfig
from regard.models import AnyEncoderDecoder
from regard.tasks.summarization.score import (
    NAMES,
    SummaryEvaluator,
    lead_scores,
    read_documents_with_summaries,
    require_rouge,
    rouge,
    rouge_line,
    together,
)
from regard.tasks.summarization.task import Summarizer
from regard.tasks.summarization.train_options import SummarizationOptions
from regard.text import TokenizerPair, train_pair
from regard.training.card import CardText
from regard.training.examples import Example, read_examples, split_examples, write_examples
from regard.training.prepared import Values
from regard.training.sequence_scores import greedy_answers, mean_loss, spread
from regard.training.sequences import SequenceData, SequenceRecipe


@dataclass(frozen=True)
class SummaryData(SequenceData):
    """Documents with summaries."""

    lead_words: int  # of a training summary, on average
    documents: int  # to train on
    dev: list[Example]
    test: list[Example]


class SummarizationRecipe(SequenceRecipe[SummarizationOptions, SummaryData, Summarizer]):
    """An encoder–decoder that learns from documents and their summaries; see `Recipe`.

    The best model is the one of the highest ROUGE-L: it asks for the right words in the right
    order, and unlike ROUGE-2 it is not near zero, and mostly noise, while a model is young.
    """

    task = Summarizer
    data_class = SummaryData
    title = "Summarization"
    tag = "summarization"
    evaluator = SummaryEvaluator
    long_sources = True
    metric = "rougeL"
    shown: ClassVar = {
        "loss": "dev loss {:.3f}",
        "rouge1": "ROUGE-1 {:5.2f}",
        "rouge2": "-2 {:5.2f}",
        "rougeL": "-L {:5.2f}",
    }

    def check_files(self) -> None:
        require_rouge()
        super().check_files()

    @property
    def max_source_length(self) -> int:
        """The most tokens that are read of a document, those around it counted."""
        longest = self.options.max_source_length
        return longest if self.base is None else min(longest, self.base.positions)

    @property
    def longest_summary(self) -> int:
        """The most tokens of a summary that is trained on, without special tokens."""
        longest = self.options.max_length
        if self.base is None:
            return longest
        return min(longest, self.base.positions - len(self.base.expected("")))

    def prepare(self, folder: Path) -> SummaryData:
        data = super().prepare(folder)
        if not self._short_enough(data.tokenizers, list(_pairs(self.watched(data)))):
            raise BadArgumentError(
                f"all dev summaries have more than {self.longest_summary} tokens, so there is no"
                " loss to watch. Raise max_length, or give a dev file of shorter ones."
            )
        for what, scores in lead_scores(self.watched(data), data.lead_words).items():
            figures = ", ".join(f"{title} {scores.figures[k]:.2f}" for k, title in NAMES.items())
            self.say(f"dev, the {what} of each document: {figures}")
        return data

    def fill(self, folder: Path) -> tuple[str, Values]:
        [path] = self.source
        sizes = split_examples(
            path, self.options, folder, read=self.examples, fault=no_summary, say=self.say
        )
        for name in ("dev", "test"):
            write_examples(
                folder / f"{name}.jsonl", together(read_examples(folder / f"{name}.jsonl"))
            )

        def pairs() -> Iterator[tuple[str, str]]:
            return _pairs(read_examples(folder / "train.jsonl"))

        tokenizers = self._tokenizers(pairs())
        tokenizers.save(folder)
        store = self._store(folder, tokenizers, pairs())
        words = [len(summary.split()) for _, summary in pairs()]
        summary = (
            f"{sizes['train']:,} documents to train on, with {len(store):,} summaries;"
            f" {sizes['dev']:,} dev"
        )
        lead = max(1, round(sum(words) / len(words)))
        return summary, {"lead_words": lead, "documents": sizes["train"]}

    def _tokenizers(self, pairs: Iterator[tuple[str, str]]) -> TokenizerPair:
        if self.base is not None:
            tokenizers = self.base.tokenizers
        else:
            size, seed = self.options.vocab_size, self.options.seed
            tokenizers = train_pair(pairs, vocab_size=size, seed=seed)
            self.say(f"vocabulary: {tokenizers.source.vocab_size:,} subwords")
        tokenizers.source.settings["model_max_length"] = self.max_source_length
        return tokenizers

    def _store(
        self, folder: Path, tokenizers: TokenizerPair, pairs: Iterator[tuple[str, str]]
    ) -> TokenStore:
        """Yield the training pairs as ids; documents are cut, and longer summaries left out."""
        encode, truncated, long = self.encoder(tokenizers), 0, 0
        room = self.max_source_length - len(encode.before) - len(encode.after) - 1
        longest = self.longest_summary

        def rows() -> Iterator[tuple[list[int], list[int]]]:
            nonlocal truncated, long
            for source, target, cut in encode(pairs, room=room):
                if len(target) - len(encode.begin) > longest:
                    long += 1
                    continue
                truncated += cut
                yield source, target

        sizes = (tokenizers.source.vocab_size, tokenizers.target.vocab_size)
        store = TokenStore.write(folder / "train.tokens", rows(), vocab_size=sizes)
        said = f"{len(store.tokens):,} tokens"
        said += f"; {truncated:,} documents cut to {self.max_source_length}" if truncated else ""
        said += f"; {long:,} summaries over {longest} left out" if long else ""
        self.say(said)
        return store

    def examples(self, path: str, on_bad_line: OnBadLine, **reading: Any) -> Iterator[Example]:
        columns = self.options.columns()
        reading = {"on_bad_line": on_bad_line, "say": self.say, "note": self.say} | reading
        return read_documents_with_summaries(path, **columns, **reading)

    def new_task(self, model: AnyEncoderDecoder, data: SummaryData) -> Summarizer:
        generation = GenerationConfig(
            num_beams=4, no_repeat_ngram_size=3, max_new_tokens=self.options.max_length
        )
        longest = self.max_source_length
        return Summarizer(model, data.tokenizers, generation=generation, max_source_length=longest)

    def open_base(self, name: str) -> Summarizer:
        base = super().open_base(name)
        longest = min(self.options.max_source_length, base.positions)
        return base.decoding_by(max_source_length=longest)

    def _short_enough(
        self, tokenizers: TokenizerPair, pairs: list[tuple[str, str]]
    ) -> list[tuple[str, str]]:
        """Return the pairs whose loss the model can be asked for: as long as those it is trained
        on."""
        ids = tokenizers.target.encode_batch([summary for _, summary in pairs])
        longest = self.longest_summary
        return [pair for pair, tokens in zip(pairs, ids, strict=True) if len(tokens) <= longest]

    def watched(self, data: SummaryData) -> list[Example]:
        """Return the dev documents that every evaluation summarizes."""
        return spread(data.dev, self.options.dev_documents)

    def evaluate(self, model: nn.Module, data: SummaryData) -> dict[str, float]:
        summarizer, examples = self.task_of(model, data), self.watched(data)
        references = [example.targets for example in examples]
        pairs = list(_pairs(examples))
        documents = [example.text for example in examples]
        results = greedy_answers(
            summarizer, documents, [summary for _, summary in pairs], batch_size=32
        )
        summaries = [result.text for result in results]
        return {
            "loss": mean_loss(summarizer, self._short_enough(data.tokenizers, pairs)),
            **rouge(summaries, references).with_ends,
            "distinct": len(set(summaries)) / len(summaries),
            "documents": float(len(examples)),
        }

    def card(self, model: nn.Module, data: SummaryData, figures: dict[str, float]) -> CardText:
        leads = lead_scores(self.watched(data), data.lead_words)
        results = [
            f"Dev set, {figures['documents']:.0f} documents, greedy: {rouge_line(figures)},"
            f" loss {figures['loss']:.3f}",
            *(f"The {what} of each of them: {lead}" for what, lead in leads.items()),
        ]
        about = [f"Reads {self.max_source_length:,} tokens of a document; the rest is cut"]
        counts = {"documents": data.documents, "summaries": len(data.train)}
        return CardText(counts, results, about)


def no_summary(example: Example) -> str | None:
    return None if example.targets else "empty summary"


def _pairs(examples: Iterable[Example]) -> Iterator[tuple[str, str]]:
    """Each document with each of its summaries."""
    for example in examples:
        for summary in example.targets:
            yield example.text, summary
