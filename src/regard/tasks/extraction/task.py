"""Extractive summarization: the sentences of a text that say most of it, as they stand there.

An encoder judges every token by its whole text, as BERTSum judges the first token of each sentence
(Liu and Lapata 2019, section 3); the score of a sentence is the mean over its tokens.
"""

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from regard.engine.batching import read_each
from regard.engine.task import check_known
from regard.errors import BadArgumentError
from regard.tasks.summarization.task import Summary
from regard.tasks.token_classification.task import OUTSIDE, Scored, TokenReader
from regard.text.cutting import sentences

TASK = "summarization"  # under task_specific_params of config.json
CHOSEN = "SUMMARY"  # the label of a sentence's tokens
LABELS = (OUTSIDE, CHOSEN)


class Extractor(TokenReader):
    """Summarizes each text by one of its sentences.

    >>> from regard.models import Encoder, encoder_preset
    >>> from regard.text import train_tokenizer
    >>> text = "The old man sees the house. It is red."
    >>> tokenizer = train_tokenizer([text] * 20, vocab_size=400, encoder=True)
    >>> config = encoder_preset(
    ...     "tiny", tokenizer.vocab_size, head="token_classification", labels=LABELS
    ... )
    >>> extractor = Extractor(Encoder(config).eval(), tokenizer)  # not trained
    >>> extractor(text) in ("The old man sees the house.", "It is red.")
    True

    Args:
        model: one that reads texts, with the head "token_classification", of which one label is
            "SUMMARY", in evaluation mode.
        name: what to call it in messages.
    """

    def __call__(self, text: str | Sequence[str], **options: Any) -> str | list[str]:
        """One text → its summary; a list → a list. Options as in `run`."""
        if isinstance(text, str):
            return self.run([text], **options)[0].summary
        return [result.summary for result in self.run(text, **options)]

    def with_options(self, **options: object) -> tuple[Self, dict[str, Any]]:
        """Refuses the options of models that write."""
        for name in options.keys() - {"alternatives", "force", "tokens"}:
            raise BadArgumentError(
                f"`{name}` belongs to a model that writes; {self.name} takes a sentence of the"
                " text. Leave it out."
            )
        return self, options

    def run(
        self,
        texts: Sequence[str],
        *,
        alternatives: int = 1,
        force: bool = False,
        tokens: bool = False,
        batch_size: int = 8,
        progress: Callable[[int], None] = lambda done: None,
        **others: object,
    ) -> list[Summary]:
        """Return the sentence of each text that summarizes it best, whatever else is in the list.

        Its score is a probability, the mean over its tokens. An empty text has an empty summary.

        Args:
            alternatives: sentences of each text to give, best first.
            force: also read a text whose characters the vocabulary lacks.
            tokens: also give the tokens of the sentence.
            batch_size: windows read together.
            progress: called with the number of texts just finished.

        Raises:
            BadArgumentError: an option of models that write, or a text that cannot be read.
        """
        self.with_options(**others)
        if not force:
            read_each(lambda text: check_known(text, self.tokenizer, self.name), texts)
        scores = self.scores(texts, batch_size=batch_size, progress=progress)
        return [
            self._summary(text, row, alternatives) for text, row in zip(texts, scores, strict=True)
        ]

    def _summary(self, text: str, row: Sequence[Scored], alternatives: int) -> Summary:
        place = self.labels.index(CHOSEN)
        summaries = []
        for start, end in sentences(text):
            inside = [token for token in row if start <= token.start < end]
            if inside:
                score = float(np.mean([token.probabilities[place] for token in inside]))
                ids = [number for token in inside for number in token.ids]
                pieces = self.tokenizer.tokens(ids)
                summaries.append(Summary(text[start:end], score, True, tokens=pieces, ids=ids))
        summaries.sort(key=lambda summary: -summary.score)
        best = summaries[0] if summaries else Summary("", 0.0, finished=True)
        return Summary(**{**vars(best), "alternatives": summaries[:alternatives]})
