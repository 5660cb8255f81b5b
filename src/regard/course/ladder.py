"""The ladder: the same pairs learned without attention, with Bahdanau's, and by the Transformer.

OUTPUT/
    data/                            prepared once: every rung has the same pairs and subwords
    fixed-context/, bahdanau/, transformer/
                                     a training run each, result.json: what it came to, and the
                                     scored translations, a line each: translations.txt by beam
                                     search, greedy.txt without a search
    ladder.md, ladder.json, ladder.svg
"""

import time
from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

from regard.errors import BadArgumentError
from regard.files import whole_file, write_json
from regard.generation import GenerationConfig
from regard.generation.config import GREEDY
from regard.json_files import read_object
from regard.tasks.translation.data import pairs_of
from regard.tasks.translation.result import Translation
from regard.tasks.translation.task import Translator
from regard.tasks.translation.train import TranslationRecipe, Watch, train_translation
from regard.tasks.translation.train_options import BEAMS, TrainingOptions
from regard.training import Progress, RunFolder, chance, corpus_scores
from regard.training.processes import launched
from regard.training.sequence_scores import mean_loss

BUCKETS = 5  # of sentences by length
BATCH_SIZE = 32  # of the scored translations
FILES = "translations.txt", "greedy.txt"

Translations = dict[str, list[str]]  # by the file that has them


@dataclass(frozen=True)
class Rung:
    """A kind of model."""

    name: str  # of its folder
    title: str
    path: str  # steps that a word of the source takes to the word that translates it, of n words
    options: dict[str, Any]  # what differs from the other rungs


def rungs(cell: str) -> tuple[Rung, ...]:
    """Return the rungs from the lowest to the highest; the first two have these cells."""
    recurrent = {"architecture": "recurrent", "cell": cell}
    name = cell.upper()
    return (
        Rung("fixed-context", f"{name}, one fixed context", "n", recurrent | {"attention": "none"}),
        Rung(
            "bahdanau",
            f"{name}, Bahdanau's attention",
            "1",
            recurrent | {"attention": "bahdanau"},
        ),
        Rung("transformer", "Transformer", "1", {"architecture": "transformer"}),
    )


@dataclass(frozen=True)
class RungResult:
    """Figures of a rung."""

    name: str
    title: str
    bleu: float  # of beam search
    greedy_bleu: float
    bleu_by_length: list[float]  # of beam search in each bucket
    bleu_signature: str
    loss: float  # nats per target token
    parameters: int
    training_tokens_per_second: float  # target tokens, evaluations not counted
    decoding_tokens_per_second: float
    path: str
    step: int  # of the best model
    steps: int  # trained in all
    minutes: float  # of training, evaluations counted


@dataclass(frozen=True)
class Ladder:
    """All rungs on one set of sentences."""

    test: str  # what was translated: "1,000 test pairs"
    buckets: list[tuple[int, int]]  # source words, from and to
    rungs: list[RungResult]
    # From the second rung on: the p-value of its difference in BLEU from the one below.
    chances: list[float]
    greedy_chances: list[float]

    @property
    def minutes(self) -> float:
        """Minutes of training, over all rungs."""
        return sum(rung.minutes for rung in self.rungs)

    def table(self) -> str:
        """Return the table as Markdown, in columns."""
        head = ["", "loss", "BLEU", "p", "greedy", "p", *map(words, self.buckets)]
        head += ["parameters", "trained", "decoded", "path", "minutes"]
        chances = [["", *map("{:.3f}".format, own)] for own in (self.chances, self.greedy_chances)]
        rows = [
            [
                rung.title,
                f"{rung.loss:.3f}",
                f"{rung.bleu:.1f}",
                p,
                f"{rung.greedy_bleu:.1f}",
                greedy_p,
                *(f"{bleu:.1f}" for bleu in rung.bleu_by_length),
                f"{rung.parameters / 1e6:.2f} M",
                f"{rung.training_tokens_per_second:,.0f}/s",
                f"{rung.decoding_tokens_per_second:,.0f}/s",
                rung.path,
                f"{rung.minutes:.1f}",
            ]
            for rung, p, greedy_p in zip(self.rungs, *chances, strict=True)
        ]
        return markdown([head, *rows])

    def caption(self) -> str:
        """Return a caption that says what the table's numbers are."""
        return (
            f"Of {self.test}: loss in nats per target token; BLEU ({self.rungs[0].bleu_signature})"
            f" of {GenerationConfig(**BEAMS).rows} beams, of greedy decoding, and of the beams by"
            " the source's length in words. p: of the difference from the row before, by paired"
            " bootstrap. Trained, decoded by beams: target tokens a second, evaluations not"
            " counted. Path: steps from a word to its translation, in a sentence of n words."
            f" {self.minutes:.1f} minutes of training in all."
        )


def climb(
    pairs: str | tuple[str, str],
    options: TrainingOptions,
    *,
    watch: Watch = lambda event, progress: None,
    say: Callable[[str], None] = lambda sentence: None,
    command: str = "",
    cell: str = TrainingOptions.cell,
) -> Ladder:
    """Trains every rung in a folder of `options.output`, or resumes there, and scores them all.

    Args:
        options: what the rungs share; limits are of each of them.
        watch, say, command: as `train_translation` takes them.
        cell: "gru" or "lstm".

    Raises:
        RegardError: as training.
    """
    if launched() > 1:
        raise BadArgumentError(
            f"the ladder is climbed by one process; got {launched()}. Start it without torchrun."
        )
    folder = Path(options.output)
    steps = [
        (rung, replace(options, output=str(folder / rung.name), **rung.options))
        for rung in rungs(cell)
    ]
    TranslationRecipe(pairs, options, say=say, command=command).check_files()
    with RunFolder(folder, warn=say).locked():
        return _climb(pairs, options, steps, watch, say, command)


def _climb(
    pairs: str | tuple[str, str],
    options: TrainingOptions,
    steps: Sequence[tuple[Rung, TrainingOptions]],
    watch: Watch,
    say: Callable[[str], None],
    command: str,
) -> Ladder:
    folder = Path(options.output)
    recipe = TranslationRecipe(pairs, options, say=say, command=command)
    data = recipe.prepare(folder / "data")
    name = "test" if data.test else "dev"
    tested = pairs_of(data.test or data.dev)
    buckets = by_length([source for source, _ in tested])
    references = [target for _, target in tested]
    results: list[RungResult] = []
    translated: list[Translations] = []
    for number, (rung, its) in enumerate(steps, start=1):
        say(f"rung {number} of {len(steps)}: {rung.title}")
        progress = train_translation(pairs, its, watch=watch, say=say, command=command, data=data)
        known = _known(folder / rung.name, progress)
        if known is None:
            say(f"translating {len(tested):,} {name} pairs")
            known = _measure(rung, folder / rung.name, progress, tested, buckets)
        results.append(known[0])
        translated.append(known[1])
    chances = (
        [chance(one[file], other[file], references) for one, other in pairwise(translated)]
        for file in FILES
    )
    ladder = Ladder(f"{len(tested):,} {name} pairs", buckets, results, *chances)
    write_json(folder / "ladder.json", asdict(ladder))
    with whole_file(folder / "ladder.md") as file:
        file.write_text(f"{ladder.table()}\n\n{ladder.caption()}\n", encoding="utf-8")
    return ladder


def _known(folder: Path, progress: Progress) -> tuple[RungResult, Translations] | None:
    """Return the result and the translations of an earlier call, if the run has not gone on
    since."""
    if not all((folder / name).exists() for name in ("result.json", *FILES)):
        return None
    figures = read_object(folder / "result.json")
    if figures.keys() != {each.name for each in fields(RungResult)}:
        return None  # of another version of regard
    result = RungResult(**figures)
    lines = {name: (folder / name).read_text(encoding="utf-8").split("\n")[:-1] for name in FILES}
    return (result, lines) if result.steps == progress.step else None


def _measure(
    rung: Rung,
    folder: Path,
    progress: Progress,
    pairs: Sequence[tuple[str, str]],
    buckets: Sequence[tuple[int, int]],
) -> tuple[RungResult, Translations]:
    translator = Translator.load(folder / "model", name=rung.name)
    sources, references = [source for source, _ in pairs], [target for _, target in pairs]
    beams, seconds = _timed(translator, sources, BEAMS)
    greedy, _ = _timed(translator, sources, GREEDY)
    tokens = sum(len(each.tokens) + 1 for each in beams)  # and the end of the sentence
    found = [[" ".join(each.text.split()) for each in every] for every in (beams, greedy)]
    texts = found[0]
    scores = corpus_scores(texts, references)
    ends = [end for _, end in buckets]
    parts: list[list[int]] = [[] for _ in buckets]
    for index, source in enumerate(sources):
        parts[bisect_left(ends, len(source.split()))].append(index)
    result = RungResult(
        name=rung.name,
        title=rung.title,
        bleu=scores.bleu,
        greedy_bleu=corpus_scores(found[1], references).bleu,
        bleu_by_length=[
            corpus_scores([texts[k] for k in part], [references[k] for k in part]).bleu
            for part in parts
        ],
        bleu_signature=scores.bleu_signature,
        loss=mean_loss(translator, pairs),
        parameters=sum(p.numel() for p in translator.model.parameters() if p.requires_grad),
        training_tokens_per_second=progress.tokens_per_second,
        decoding_tokens_per_second=tokens / seconds,
        path=rung.path,
        step=progress.best_step,
        steps=progress.step,
        minutes=progress.seconds / 60,
    )
    translations = dict(zip(FILES, found, strict=True))
    for name, lines in translations.items():
        with whole_file(folder / name) as file:
            file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    write_json(folder / "result.json", asdict(result))
    return result, translations


def _timed(
    translator: Translator, sources: Sequence[str], search: dict[str, Any]
) -> tuple[list[Translation], float]:
    """Return the translations and the seconds that they took."""
    started = time.perf_counter()
    results = translator.run(sources, force=True, batch_size=BATCH_SIZE, **search)
    return results, time.perf_counter() - started


def by_length(texts: Sequence[str], count: int = BUCKETS) -> list[tuple[int, int]]:
    """Return at most `count` ranges of length in words, (from, to), of about as many texts each.

    Equal lengths are never in two of them.
    """
    lengths = sorted(len(text.split()) for text in texts)
    ends = [lengths[len(lengths) * part // count - 1] for part in range(1, count + 1)]
    ends = sorted({end for end in ends[:-1] if end >= lengths[0]} | {lengths[-1]})
    starts = [lengths[0], *(end + 1 for end in ends[:-1])]
    return list(zip(starts, ends, strict=True))


def words(bucket: tuple[int, int]) -> str:
    """Return a range of lengths as a heading."""
    start, end = bucket
    return str(end) if start == end else f"{start}–{end}"


def markdown(rows: Sequence[Sequence[str]]) -> str:
    """Return a table whose columns are aligned in plain text too; the first row is the head."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    rule = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    return "\n".join(
        "| "
        + " | ".join(
            cell.rjust(width) if index else cell.ljust(width)
            for index, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        + " |"
        for row in (rows[0], rule, *rows[1:])
    )
