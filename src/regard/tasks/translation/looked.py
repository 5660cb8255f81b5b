"""A sentence of a text as a trace shows it: by what the text says, not by what stands for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple

from regard.engine.text_to_text import Looked
from regard.generation import GenerationConfig, Hypothesis
from regard.inspection.naming import Naming
from regard.inspection.shown import spread
from regard.inspection.writing import Found
from regard.tasks.translation.passage import Passage

if TYPE_CHECKING:
    from regard.inspection.answers import AxisInfo, Step
    from regard.inspection.trace_data import TraceData
    from regard.tasks.translation.task import Translator

IN_PARTS = (
    "the translation is put together from those of the parts between what stays: the model lost"
    " a word that stands for it"
)


class PutTogether(NamedTuple):
    """A sentence's translation from parts, as it is looked at."""

    tokens: Sequence[int]
    score: float | None = None
    finished: bool = True


@dataclass
class LookedSentence(Looked):
    """A sentence, with what is around it in its line."""

    translator: Translator = field(kw_only=True)
    passage: Passage = field(kw_only=True)
    around: tuple[str, str] = ("", "")
    texts: list[str] | None = None  # of the hypotheses, as they are put together

    @classmethod
    def of(
        cls,
        translator: Translator,
        tag: str,
        its: Sequence[Passage],
        number: int,
        notes: list[str],
    ) -> LookedSentence:
        """Return the sentence of this number.

        Args:
            tag: the target that the text names itself.
            its: the passages of the text.
        """
        passage, text = its[number], its[number].text
        begin = its[number - 1].end if number else 0
        before = text[begin : passage.begin].rpartition("\n")[2]
        after, *_ = text[passage.end :].split("\n", 1)
        end = passage.end + len(after)
        after = "" if number + 1 < len(its) and its[number + 1].begin < end else after
        stays = [f"{word} stands for {span}" for word, span in passage.restorations.items()]
        return cls(
            tag + passage.units[0],
            [*notes, *stays],
            translator=translator,
            passage=passage,
            around=(before.lstrip(), after.rstrip()),
        )

    def written(
        self, hypotheses: Sequence[Hypothesis], config: GenerationConfig
    ) -> Sequence[Found]:
        task, looked_at = self.translator, list[Found]()
        fragments = task.answers_to(self.passage.units[1:], config)
        self.texts = []
        for hypothesis in hypotheses:
            answers = [task.spelled(hypothesis.tokens), *fragments]
            text, used = self.passage.translated(answers)
            self.texts.append(text.join(self.around))
            if used.start:
                looked_at.append(
                    PutTogether(task.expected(task.tidied(self.passage.stood_for(answers))))
                )
                self.notes += [] if IN_PARTS in self.notes else [IN_PARTS]
            else:
                looked_at.append(hypothesis)
        return looked_at

    def show(self, trace: TraceData, *, forced: bool) -> None:
        info = trace.generation
        assert info is not None
        names, source = dict(self._standing()), trace.axes["source"]
        tokens = spread(source.tokens, self.passage.source.join(self.around))
        trace.axes["source"] = replace(source, tokens=tokens)
        if not forced:
            texts = self.texts or [
                self._with_spans(hypothesis.text) for hypothesis in info.hypotheses
            ]
            hypotheses = [
                replace(hypothesis, text=text, tokens=spread(hypothesis.tokens, text))
                for hypothesis, text in zip(info.hypotheses, texts, strict=True)
            ]
            shown = hypotheses[info.shown].tokens
            trace.axes["target"] = _behind_prompt(trace.axes["target"], shown, names)
            steps = [
                _named(step, token, names) for step, token in zip(info.steps, shown, strict=True)
            ]
            trace.generation = replace(info, steps=steps, hypotheses=hypotheses)
        if trace.token_of and names:
            trace.token_of = partial(_name, names, trace.token_of)
        if by_torch := trace.by_torch:
            trace.by_torch = cache(partial(self._shown, by_torch, forced))

    def _shown(self, make: Callable[[], TraceData], forced: bool) -> TraceData:
        trace = make()
        self.show(trace, forced=forced)
        return trace

    def _standing(self) -> Iterator[tuple[str, str]]:
        """Yield the tokens that stand for something by themselves, with what that is."""
        target = self.translator.tokenizers.target
        for word, span in self.passage.restorations.items():
            if len(ids := target.encode(word)) == 1:
                [name] = Naming.of(target).names(ids)
                yield name, name.replace(word, span)

    def _with_spans(self, text: str) -> str:
        """Return a text that was written otherwise than the sentence alone, with what stays in
        it."""
        return " ".join(self.passage.restored(text.split(), "")).join(self.around)


def _name(names: Mapping[str, str], token_of: Callable[[int], str], id_: int) -> str:
    return names.get(token := token_of(id_), token)


def _named(step: Step, token: str, names: Mapping[str, str]) -> Step:
    """Return the step that gave this token, whose other candidates may stand for something."""
    candidates = [
        replace(other, token=token if other.id == step.id else names.get(other.token, other.token))
        for other in step.candidates
    ]
    return replace(step, token=token, candidates=candidates)


def _behind_prompt(axis: AxisInfo, shown: Sequence[str], names: Mapping[str, str]) -> AxisInfo:
    """Return the axis with these names of what was written behind its prompt, and was predicted."""
    read, written = axis.tokens[: axis.prompt], axis.tokens[axis.prompt :]
    following = dict(enumerate(zip(written, shown, strict=False), axis.prompt - 1))
    predicts = [
        following[row][1] if piece == following.get(row, ("",))[0] else names.get(piece, piece)
        for row, piece in enumerate(axis.predicts or [])
    ]
    return replace(
        axis, tokens=[*read, *shown[: len(written)]], predicts=axis.predicts and predicts
    )
