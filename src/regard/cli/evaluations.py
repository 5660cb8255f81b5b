"""What `regard evaluate` does with each kind of model: the files it reads, how it scores them, and
what it shows. Nothing is imported before it is needed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from regard.errors import BadArgumentError

Progress = Callable[[int], None]
Say = Callable[[str], None]


def _in_label_report(result: Any, data: Any, count: int) -> list[dict[str, Any]]:
    return []  # which shows them itself


def _no_worst(result: Any, data: Any, count: int) -> list[dict[str, Any]]:
    return []


def _no_baselines(data: Any) -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Evaluation:
    """How models of one kind are evaluated.

    A result is `regard.recipes.resampling.Scored`: examples whose figures can be computed over any
    choice of them, which gives the intervals and the paired test.
    """

    unit: str  # what is counted: "questions"
    doing: str  # for the progress bar
    columns: tuple[str, ...]  # options that name the data's columns
    settings: tuple[str, ...]  # options of `score`
    compared: Callable[[Any], str]  # result → the figure of the paired test
    read: Callable[..., Any]  # (path, say, **columns) → data
    score: Callable[..., Any]  # (task, data, progress=…, **settings) → result
    outputs: Callable[[Any], Sequence[Any]]  # result → what the model gave, each comparable
    size: Callable[[Any], int | None] = len  # what the progress bar counts to, of the data
    # (result, data, count) → the worst examples, as JSON
    worst: Callable[[Any, Any, int], list[dict[str, Any]]] = _no_worst
    baselines: Callable[[Any], Mapping[str, Any]] = _no_baselines  # data → name → result
    named: Callable[[Any], Sequence[Any]] = list  # data → examples, as a classifier's report has it

    @property
    def options(self) -> frozenset[str]:
        """The options of the command that these models take, besides those of all."""
        shows = ("worst",) if self.worst is not _no_worst else ()
        return frozenset((*self.columns, *self.settings, *shows, "compare"))


def compare(evaluation: Evaluation, result: Any, other: Any, name: str) -> dict[str, Any]:
    """The paired test of two models' results, as JSON.

    Args:
        name: of the other model.

    Raises:
        BadArgumentError: the two did not predict the same tokens.
    """
    import numpy as np

    from regard.recipes.resampling import paired_chance

    if getattr(result, "text", None) != getattr(other, "text", None):
        raise BadArgumentError(
            f"a paired test needs the same tokens; {name} has another vocabulary. Evaluate the two"
            " one after the other, and compare their bits per byte."
        )
    own, theirs = (each.figures_of(np.arange(len(each))) for each in (result, other))
    figure = evaluation.compared(result)
    return {
        "model": name,
        "figure": figure,
        "value": theirs[figure],
        "difference": own[figure] - theirs[figure],
        "p": paired_chance(result, other, figure),
    }


def _read_labeled(path: str, say: Say, **columns: Any) -> Sequence[Any]:
    from regard.recipes.labels.labeled_texts import read_labeled

    return _kept(say, lambda **reading: read_labeled(path, **columns, **reading))


def _kept(say: Say, read: Callable[..., Iterable[Any]]) -> list[Any]:
    """The examples of a file; lines that cannot be used are counted, named and left out."""
    from regard.records import LeftOut

    bad = LeftOut()
    examples = list(read(on_bad_line=bad, say=say))
    bad.report(say)
    return examples


def _score_labeled(task: Any, data: Any, **options: Any) -> Any:
    from regard.recipes.labels.classification import evaluate_labels

    return evaluate_labels(task, data, **options)


def _read_images(path: str, say: Say) -> Any:
    from regard.recipes.labels.pictures import check_pictures, open_pictures

    check_pictures(path)
    return open_pictures(path, say=say)


def _named_images(data: Any) -> Sequence[Any]:
    from regard.recipes.examples import Example

    return [Example(data.name(number)) for number in range(len(data.labels))]


def _score_images(task: Any, data: Any, **options: Any) -> Any:
    from regard.recipes.labels.image_scores import evaluate_pictures

    return evaluate_pictures(task, data, **options)


def _read_questions(path: str, say: Say, **columns: Any) -> Sequence[Any]:
    from regard.recipes.answers.questions import QuestionReader
    from regard.recipes.options.encoders import QuestionAnsweringOptions

    reader = QuestionReader(QuestionAnsweringOptions(**columns), say)
    return _kept(say, lambda on_bad_line, say: reader.read(path, on_bad_line))


def _score_answers(task: Any, data: Any, **options: Any) -> Any:
    from regard.recipes.answers.question_answering import evaluate_with_threshold

    return evaluate_with_threshold(task, data, **options)


def _worst_answers(result: Any, data: Any, count: int) -> list[dict[str, Any]]:
    return [
        {
            "line": data[row].line,
            "question": data[row].text,
            "expected": [text for text, _ in data[row].targets],
            "answer": result.shown(row),
        }
        for row in result.worst(count)
    ]


def _read_text_pairs(path: str, say: Say, **columns: Any) -> Sequence[Any]:
    from regard.recipes.vectors.text_pairs import read_text_pairs

    return _kept(say, lambda **reading: read_text_pairs(path, **columns, **reading))


def _score_text_pairs(task: Any, data: Any, **options: Any) -> Any:
    from regard.recipes.vectors.evaluation import evaluate_pairs

    return evaluate_pairs(task, data, **options)


def _ranks_or_cosines(result: Any) -> Sequence[Any]:
    """The rank of each text's own pair; of pairs with a score, their cosines in hundredths."""
    ranked = result.ranking is not None
    return result.ranking.ranks if ranked else (100 * result.cosines).round()


def _worst_ranks(result: Any, data: Any, count: int) -> list[dict[str, Any]]:
    """The texts whose own pair was ranked lowest; pairs with a score have no rank."""
    if result.ranking is None:
        return []
    first: dict[str, Any] = {}
    for example in data:
        first.setdefault(example.text, example)
    texts = list(first.values())
    ranks = result.ranking.ranks
    rows = [int(row) for row in (-ranks).argsort(kind="stable")[:count] if ranks[row] > 1]
    return [
        {"line": texts[row].line, "text": texts[row].text, "pair": texts[row].pair}
        | {"rank": int(ranks[row])}
        for row in rows
    ]


def _read_summaries(path: str, say: Say, **columns: Any) -> Sequence[Any]:
    from regard.recipes.summaries.documents import read_summaries
    from regard.recipes.summaries.rouge import require_rouge

    require_rouge()
    return _kept(say, lambda **reading: read_summaries(path, **columns, **reading))


def _score_summaries(task: Any, data: Any, **options: Any) -> Any:
    from regard.recipes.summaries.summary_scores import evaluate_summaries

    return evaluate_summaries(task, data, lead_words=lead_words(data), **options)


def lead_words(data: Sequence[Any]) -> int:
    """The words of a summary, on average over the references."""
    counts = [len(summary.split()) for example in data for summary in example.targets]
    return max(1, round(sum(counts) / len(counts))) if counts else 1


def _lead(data: Sequence[Any]) -> Mapping[str, Any]:
    from regard.recipes.summaries.summary_scores import lead_tables

    return lead_tables(data, lead_words(data))


def _worst_summaries(result: Any, data: Any, count: int) -> list[dict[str, Any]]:
    return [
        {
            "line": data[row].line,
            "rougeL": result.each.each[row, -1].item(),
            "summary": result.summaries[row],
            "references": data[row].targets,
        }
        for row in result.worst(count)
    ]


def _read_text(path: str, say: Say, text: str | None = None) -> Any:
    from regard.recipes.language.corpus import Documents

    documents = Documents(path, text, say=say)
    if documents.report.kept < documents.report.read:
        say(f"{path}: documents: {documents.report}")
    return documents


def _score_text(task: Any, data: Any, **options: Any) -> Any:
    from regard.recipes.language.text_scores import evaluate_text

    return evaluate_text(task, data.pieces(), separated=len(data) > 1, **options)


def _score_masked(task: Any, data: Any, **options: Any) -> Any:
    from regard.recipes.language.text_scores import evaluate_masked

    return evaluate_masked(task, data.pieces(), **options)


_GENERATION = ("num_beams", "length_penalty", "max_new_tokens")

# By the names in `catalog.KINDS`; translators have figures of whole texts, and are apart.
EVALUATIONS: dict[str, Evaluation] = {
    "text-classification": Evaluation(
        "texts",
        "classifying",
        ("text", "pair", "label", "separator"),
        ("batch_size", "figure"),
        lambda result: "macro_f1" if result.several else "accuracy",
        _read_labeled,
        _score_labeled,
        lambda result: result.predicted,
        worst=_in_label_report,
    ),
    "image-classification": Evaluation(
        "images",
        "classifying",
        (),
        ("batch_size", "figure"),
        lambda result: "macro_f1" if result.several else "accuracy",
        _read_images,
        _score_images,
        lambda result: result.predicted,
        size=lambda data: len(data.labels),
        worst=_in_label_report,
        named=_named_images,
    ),
    "summarization": Evaluation(
        "documents",
        "summarizing",
        ("document", "summary"),
        ("batch_size", *_GENERATION, "output"),
        lambda result: "rougeL",
        _read_summaries,
        _score_summaries,
        lambda result: result.summaries,
        worst=_worst_summaries,
        baselines=_lead,
    ),
    "question-answering": Evaluation(
        "questions",
        "answering",
        ("question", "context", "answer", "start"),
        ("batch_size",),
        lambda result: "f1",
        _read_questions,
        _score_answers,
        lambda result: [result.shown(row) for row in range(len(result))],
        worst=_worst_answers,
    ),
    "feature-extraction": Evaluation(
        "texts or pairs",
        "encoding",
        ("text", "pair", "score"),
        ("batch_size",),
        lambda result: "spearman" if result.ranking is None else "mrr",
        _read_text_pairs,
        _score_text_pairs,
        _ranks_or_cosines,
        size=lambda data: 2 * len(data),
        worst=_worst_ranks,
    ),
    "text-generation": Evaluation(
        "blocks of text",
        "reading",
        ("text",),
        ("batch_size",),
        lambda result: "loss",
        _read_text,
        _score_text,
        lambda result: result.likeliest,
        size=lambda data: None,
    ),
    "fill-mask": Evaluation(
        "blocks of text",
        "reading",
        ("text",),
        (),
        lambda result: "loss",
        _read_text,
        _score_masked,
        lambda result: result.likeliest,
        size=lambda data: None,
    ),
}


def check_exists(path: Path) -> None:
    """Raises NotFoundError where there is neither a file nor a folder."""
    from regard.errors import NotFoundError

    if not path.exists():
        raise NotFoundError(
            f"expected the data at {path}; there is no such file or folder. Check the path."
        )
