"""The looks and the needs of a word that was written: two questions with different answers.

A word looked at those on which its rows of attention have weight. It needs those without which its
probability falls, with the words before it as they are. It may need one that it hardly looks at:
the encoder has put what it needs, such as a gender, into the state of another (Jain & Wallace 2019,
"Attention is not Explanation", is why one should ask).
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, cast

import numpy as np
from numpy.typing import NDArray

from regard.arrays import Array, as_numpy, without_gradients
from regard.attention import Call
from regard.errors import UnsupportedError, check_choice
from regard.inspection.answers import Reliance
from regard.inspection.hiding import Position, SwitchedOff, no_axes
from regard.inspection.naming import spelled
from regard.inspection.trace_data import Edit, TraceData
from regard.inspection.views.ablation import log_probabilities, of_tokens

# Where a word is hidden: in all rows; in those of another sequence, which cross-attention has; or
# in those of the other words of its own.
Way = Literal["anywhere", "across", "within"]
WAYS = ("anywhere", "across", "within")
MOST_WORDS = 512  # each takes a run of the model
LITTLE, MUCH = 0.1, 0.3  # of the weight, and of the probability


@dataclass(frozen=True)
class Need:
    """A word that was written, and each word that was read."""

    word: str
    step: int  # of its first token, whose probability it is
    probability: float
    looked: list[float]  # the weight on each word, the mean over layers and heads; they add up to 1
    changes: list[float]  # of the probability without each word

    def unseen(self, little: float = LITTLE, much: float = MUCH) -> list[int]:
        """Return the numbers of the words that it needs and hardly looks at: with less than
        `little` of the weight, and a loss of more than `much`."""
        pairs = enumerate(zip(self.looked, self.changes, strict=True))
        return [k for k, (looked, change) in pairs if looked < little and change < -much]


@dataclass(frozen=True)
class Needed:
    """The looks and the needs of each word of an output."""

    read: list[str]  # the words that were read
    words: list[Need]

    def __str__(self) -> str:
        """Return a line for each word: what it looked at most, and what it needed most."""
        return "\n".join(map(self.line, range(len(self.words))))

    def line(self, number: int) -> str:
        """Return what a word looked at most, and what it needed most."""
        need = self.words[number]
        most, worst = int(np.argmax(need.looked)), int(np.argmin(need.changes))
        unseen = [k for k in need.unseen() if k != worst]
        needed = [f"{self.read[k]} ({100 * need.changes[k]:+.0f} points)" for k in (worst, *unseen)]
        looked = f"{self.read[most]} ({need.looked[most]:.0%})"
        return f"{need.word}: looked at {looked}; needed {' and '.join(needed)}"


@without_gradients
def needed(trace: TraceData, way: Way = "anywhere") -> Needed:
    """Return what each word that was written looked at, and what it loses without each word that
    was read. The output stays as it was written.

    Takes a run of the model for each word that was read. Where a language model generated nothing,
    the word is the likeliest behind the text.

    >>> trace = regard.load("en-de").trace("My sister wants to buy a new car next week.")
    >>> needed = trace.needed()
    >>> needed.read[1], needed.words[0].word, round(needed.words[0].changes[1], 1)
    ('sister', 'Meine', -0.9)

    Args:
        way: where a word is hidden: "anywhere"; "across", from the rows of cross-attention alone;
            "within", from the other words of its own sequence alone.

    Raises:
        UnsupportedError: a trace without its model, or of one that writes no tokens, or more than
            MOST_WORDS words that were read.
        BadArgumentError: another way.
    """
    if trace.labels:
        raise UnsupportedError(
            "a label has no row of attention of its own: `measures` of the trace, and “why” on the"
            " page, say what it needs."
        )
    lost = list(_without_each(trace, way))
    read, out = _axes(trace)
    tokens, info = trace.axes[read].tokens, trace.axes[out]
    if trace.generation is None:
        start, rows = 0, {len(info.tokens) - 1: (info.predicts or info.tokens)[-1]}
    else:
        start = info.prompt - 1  # the row of the first step
        spans = [span for span in info.words or [] if span[0] > start]
        rows = {first - 1: spelled(info.tokens[first:end]) for first, end in spans}
    maps = [tap.weights() for tap in trace.values() if (tap.queries, tap.keys) == (out, read)]
    weights = np.mean([as_numpy(each.mean(0))[[*rows]] for each in maps], 0)
    changes = np.stack([np.exp(after) - np.exp(before) for _, before, after in lost], 1)
    looked = np.stack([weights[:, list(word)].sum(1) for word, _, _ in lost], 1)
    steps = [row - start for row in rows]
    before = np.exp(lost[0][1])
    return Needed(
        [spelled(tokens[word.start : word.stop]) for word, _, _ in lost],
        [
            Need(name, step, float(before[step]), looked[k].tolist(), changes[step].tolist())
            for k, (name, step) in enumerate(zip(rows.values(), steps, strict=True))
        ],
    )


def reliances(trace: TraceData, way: Way = "anywhere") -> Iterator[Reliance]:
    """Yield what the whole output, or the likeliest label, loses without each word that was read.

    Raises:
        UnsupportedError: as `needed` does.
    """
    for word, before, after in _without_each(trace, way):
        changes = np.exp(after) - np.exp(before)
        yield Reliance(word.start, word.stop, float((after - before).sum()), changes.tolist())


def _without_each(
    trace: TraceData, way: Way = "anywhere"
) -> Iterator[tuple[range, NDArray[np.float64], NDArray[np.float64]]]:
    """Yield the positions of each word that was read, special tokens left out, and the
    log-probabilities of the tokens that were written, or of the likeliest label, with it and
    without it: (steps,)."""
    check_choice("way", way, WAYS)
    read, _ = _axes(trace)
    words = trace.axes[read].words or [(k, k + 1) for k in range(len(trace.axes[read].tokens))]
    if len(words) > MOST_WORDS:
        raise UnsupportedError(
            f"each word that was read takes a run of the model, and this text has {len(words):,};"
            f" look at one of at most {MOST_WORDS}."
        )

    def axes_of(tap: str) -> tuple[str, str]:
        queries, keys = trace.axes_of(tap)
        is_hidden = way == "anywhere" or (way == "across") == (queries != keys)
        return (queries, keys) if is_hidden else no_axes(tap)

    score = _scoring(trace)
    before = score(SwitchedOff())
    for word in (range(first, end) for first, end in words):
        parts = tuple(Position(read, position) for position in word)
        yield word, before, score(SwitchedOff(parts, axes_of))


def _axes(trace: TraceData) -> tuple[str, str]:
    """Return the axis that was read, and that of the output."""
    first = next(iter(trace.axes))
    # Of a language model; what an encoder–decoder was given to read is no output.
    predicting = first if trace.axes[first].predicts else None
    written = predicting if trace.generation is None else trace.generation.axis
    out = first if trace.labels else written
    if trace.rerun is None or out is None:
        raise UnsupportedError(
            "what an output depends on is known for a text or a label, with its model: this trace"
            " was loaded from a file, or is of another kind of model."
        )
    return ("source" if "source" in trace.axes else out), out


def _unchanged(tap: str, call: Call) -> None:
    """Replace nothing."""


def _scoring(trace: TraceData) -> Callable[[SwitchedOff], NDArray[np.float64]]:
    """Return what gives the log-probabilities of the tokens that were written, or else of the
    likeliest, (steps,), of a run without some parts."""

    def logs(off: SwitchedOff) -> Array:
        run = cast(Callable[[Edit], Array], trace.rerun)
        return log_probabilities(trace, run(off.under(_unchanged)))

    ids = trace.output_ids or logs(SwitchedOff()).argmax(-1).tolist()
    return lambda off: as_numpy(of_tokens(logs(off), ids)).astype(np.float64)
