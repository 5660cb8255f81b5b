"""Questions with a context and its answers, from SQuAD's JSON or from columns.

A target of an example is [text, start]: context[start:start + len(text)] is the text. Where an
answer is not found, the start is NOT_THERE or NOT_AT_START. No target: the context has no answer.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from regard.data import BadCellError, BadLine, OnBadLine, Role, read_examples
from regard.data.cells import literal
from regard.data.lines import Say
from regard.data.reader import BadLines, suffix_of
from regard.data.seen import hash_text
from regard.data.streams import open_bytes, unpacking
from regard.errors import DamagedFileError, shortened
from regard.json_files import unrepeated
from regard.tasks.question_answering.train_options import QuestionColumns
from regard.text import normalize
from regard.training.examples import Example

T = TypeVar("T")

QUESTION = ("question", "query")
CONTEXT = ("context", "passage", "paragraph", "document", "text")
ANSWER = ("answer", "answers", "answer_text")
START = ("start", "answer_start")
TITLE = ("title", "article")
ID = ("id", "question_id", "qid")

NOT_THERE, NOT_AT_START = -1, -2
FAULTS = {NOT_THERE: "answer not in its context", NOT_AT_START: "answer not at its start"}

_SHOWN = 3  # faults that are described one by one
_NUMPY = re.compile(r"array\((\[.*?\]), dtype=\w+\)", re.DOTALL)  # as pandas writes a row's answers
_KEY = re.compile(r'"question"\s*:')  # no string in JSON has such quotes inside


class _Asked(NamedTuple):
    """A question as a file has it; `start` of an answer is None where the file does not say."""

    question: str
    context: str
    answers: list[tuple[str, int | None]]
    title: str
    line: int
    id: str
    open: bool = False  # whether the file says that the context has no answer


class QuestionReader:
    """Reads files of questions, and says which answers were corrected and which do not fit.

    Examples of one context have one group over all the files that one reader reads: the title of
    the article it was first met in, "" if it has none.
    """

    def __init__(self, options: QuestionColumns, say: Callable[[str], None]):
        self.options, self.say = options, say
        self._groups: dict[int, str] = {}  # by the hash of a context

    def read(self, path: str, on_bad_line: OnBadLine, say: Say | None = None) -> Iterator[Example]:
        counts: Counter[Any] = Counter()
        squad = read_squad(Path(path))
        questions = (
            self._columns(path, on_bad_line, say or self.say)
            if squad is None
            else _squad(path, *squad, BadLines(on_bad_line))
        )
        asked, said = 0, False  # whether the file says what is answered, or that nothing is
        for question in questions:
            asked, said = asked + 1, said or question.open or bool(question.answers)
            targets: list[list[Any]] = []
            for text, start in question.answers:
                place, note = locate(question.context, text, start)
                targets.append([text, place])
                if note is not None:
                    counts[note] += 1
                if place < 0 and counts[place] <= _SHOWN:
                    where = "not in its context"
                    if place == NOT_AT_START:
                        where = f"not at {start:,}, and several times elsewhere in its context"
                    self.say(
                        f"{path}, line {question.line:,}: the answer {_short(text)} to"
                        f" {_short(question.question)} is {where}; left out"
                    )
            fits = [target for target in targets if target[1] >= 0]
            context = question.context
            group = self._groups.setdefault(hash_text(normalize(context)), question.title)
            yield Example(
                question.question, context, fits or targets, question.line, group, id=question.id
            )
        if asked and not said:
            raise DamagedFileError(
                f"{path} has no answers, and does not say is_impossible, as a test set does whose"
                " answers are kept back: give a file with answers."
            )
        if counts["corrected"]:
            self.say(
                f"{path}: {counts['corrected']:,} answers were not at their start and occur once in"
                " the context: corrected"
            )
        if counts["several"]:
            self.say(
                f"{path}: {counts['several']:,} answers without a start occur several times in the"
                " context: the first place counts"
            )

    def _columns(self, path: str, on_bad_line: OnBadLine, say: Say) -> Iterator[_Asked]:
        options = self.options
        roles = (
            Role("question", QUESTION, options.question, text=True),
            Role("context", CONTEXT, options.context, text=True),
            Role("answer", ANSWER, options.answer),
            Role("start", START, options.start, required=False),
            Role("title", TITLE, required=False),
            Role("id", ID, required=False),
        )
        return read_examples(path, roles, _asked, on_bad_line=on_bad_line, say=say, note=say)


def _asked(values: tuple[Any, ...], line: int) -> _Asked:
    question, context, answer, start, title, name = values
    if question is None or context is None:
        raise BadCellError(
            "a question and a context must be text; got nothing. Name their columns with"
            " `question` and `context`."
        )
    answers = _answers(answer, start)
    return _Asked(question, context, answers, str(title or ""), line, _id(name))


def _id(value: object) -> str:
    return "" if value is None else str(value)


def fault(example: Example) -> str | None:
    """Why an example should be left out; None if it stays."""
    return FAULTS.get(example.targets[0][1]) if example.targets else None


def locate(context: str, text: str, start: int | None) -> tuple[int, Any]:
    """Return an answer's place in its context, or a key of FAULTS, and the name of its count: that
    key, "corrected", "several" or None."""
    if start is not None and start >= 0 and context.startswith(text, start):
        return start, None
    first = context.find(text)
    if first < 0:
        return NOT_THERE, NOT_THERE
    once = context.find(text, first + 1) < 0
    if start is None:
        return first, None if once else "several"
    return (first, "corrected") if once else (NOT_AT_START, NOT_AT_START)


def read_squad(path: Path) -> tuple[list[Any], list[int]] | None:
    """Return the articles of a file in SQuAD's format, and the line of each question; None for a
    file of another format."""
    if suffix_of(path) != ".json":
        return None
    with open_bytes(path) as file, unpacking(str(path), 0):
        raw = file.read()
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise DamagedFileError(f"{path} cannot be read ({error}): copy it again") from error
    try:
        content = json.loads(text, object_pairs_hook=unrepeated)
    except (ValueError, RecursionError):
        return None  # JSON lines, or broken: their reader says where
    articles = content.get("data") if isinstance(content, dict) else None
    if not isinstance(articles, list) or any(_is_row(article) for article in articles[:1]):
        return None
    lines, line, seen = [], 1, 0
    for match in _KEY.finditer(text):
        line += text.count("\n", seen, match.start())
        seen = match.start()
        lines.append(line)
    return content["data"], lines


def _is_row(article: object) -> bool:
    """Return whether an entry of "data" is a question with its context, not an article."""
    return isinstance(article, dict) and {"question", "context"} <= article.keys()


def _squad(path: str, articles: list[Any], lines: list[int], bad: BadLines) -> Iterator[_Asked]:
    for number, (article, context, entry) in enumerate(_entries(path, articles)):
        line = lines[min(number, len(lines) - 1)] if lines else 1
        try:
            question = _member(entry, "question", str, "an entry of qas")
            open_question = entry.get("is_impossible") is True
            answers = [] if open_question else _answers(entry.get("answers"), None)
        except BadCellError as error:
            bad(BadLine(path, line, error.reason, str(error)))
            continue
        bad.used = True
        title = str(article.get("title") or "")
        yield _Asked(question, context, answers, title, line, _id(entry.get("id")), open_question)
    bad.end()


def _entries(path: str, articles: list[Any]) -> Iterator[tuple[Any, str, Any]]:
    """Each entry of SQuAD's qas with its article and its context."""
    try:
        for article in articles:
            for paragraph in _member(article, "paragraphs", list, "each entry of data"):
                context = _member(paragraph, "context", str, "a paragraph")
                for entry in _member(paragraph, "qas", list, "a paragraph"):
                    yield article, context, entry
    except BadCellError as error:
        raise DamagedFileError(f"{path}: {error}") from None


def _member(entry: object, name: str, kind: type[T], what: str) -> T:
    value = entry.get(name) if isinstance(entry, dict) else None
    if not isinstance(value, kind):
        raise BadCellError(
            f"{what} must be an object with a {'list' if kind is list else 'text'} under {name!r},"
            " as in SQuAD's format; correct it, or give columns."
        )
    return value


def _answers(answer: Any, start: Any) -> list[tuple[str, int | None]]:
    """Return the answers of a cell or a JSON value: a text, a list, or SQuAD's objects, one or
    several, as one object a question too (the form of Hugging Face's datasets)."""
    answer = _NUMPY.sub(r"\1", answer) if isinstance(answer, str) else answer
    answer = answer if (listed := literal(answer)) is None else listed
    if isinstance(answer, dict):
        answer, start = answer.get("text"), answer.get("answer_start")
    if isinstance(answer, list) and any(isinstance(item, dict) for item in answer):
        return [one for item in answer for one in _answers(item, None)]
    texts = answer if isinstance(answer, list) else [] if answer is None else [answer]
    starts = start if isinstance(start, list) else [start] * len(texts)
    if len(starts) != len(texts) or not all(isinstance(text, str) for text in texts):
        raise BadCellError(
            f"expected answers as text, with a start for each or none; got"
            f" {_short(str(answer))} and {_short(str(start))}. Name the columns with `answer` and"
            " `start`."
        )
    return [
        _trimmed(text, _start(place))
        for text, place in zip(texts, starts, strict=True)
        if text.strip()
    ]


def _start(value: str | float | None) -> int | None:
    if value is None or value == "":
        return None
    try:
        if isinstance(value, bool) or int(value) != float(value):
            raise ValueError
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise BadCellError(
            f"the start of an answer must be its first character's number in the context,"
            f" from 0; got {_short(str(value))}. Name another column with `start`."
        ) from None


def _trimmed(text: str, start: int | None) -> tuple[str, int | None]:
    """Return an answer without outer spaces."""
    return text.strip(), None if start is None else start + (len(text) - len(text.lstrip()))


def _short(text: str) -> str:
    return repr(shortened(text, 60))


def titles(examples: Sequence[Example]) -> int:
    """Return the number of articles, or contexts without one, that the examples are about."""
    return len({example.group or example.pair for example in examples})
