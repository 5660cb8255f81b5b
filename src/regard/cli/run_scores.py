"""What the best model of a finished run scores on the run's test set, for the tasks that have one.

Each function prints nothing where the run has no test set.
"""

import json
import sys
from pathlib import Path

from regard.cli.commands.evaluate import score, score_labels, show
from regard.cli.progress import progress_bar


def translation(run: Path, test: str | None, *, as_json: bool) -> None:
    from regard.api.loading import load
    from regard.translation.evaluation import read_test_set

    file = Path(test) if test else run / "data" / "test.tsv"
    if file.stat().st_size:
        pairs = read_test_set(file)
        show(score(load(str(run / "model"), "translation"), pairs), as_json=as_json)


def classification(run: Path, test: str | None, *, as_json: bool) -> None:
    from regard.recipes.examples import read_examples

    if examples := list(read_examples(run / "data" / "test.jsonl")):
        score_labels(str(run / "model"), examples, as_json=as_json)


def image_classification(run: Path, test: str | None, *, as_json: bool) -> None:
    from regard.recipes.labels.image_scores import evaluate_test
    from regard.recipes.labels.labels import figures_line

    found = evaluate_test(run)
    if found is None:
        return
    if as_json:
        print(json.dumps({f"test_{name}": value for name, value in found.figures.items()}))
    else:
        print(figures_line("Test set", found.figures, len(found), "images"), file=sys.stderr)


def summarization(run: Path, test: str | None, *, as_json: bool) -> None:
    from regard.api.loading import load
    from regard.json_files import read_object
    from regard.recipes.examples import read_examples
    from regard.recipes.summaries.summary_scores import evaluate_summaries

    examples = list(read_examples(run / "data" / "test.jsonl"))
    if not examples:
        return
    words = read_object(run / "data" / "summaries.json")["words"]
    summarizer = load(str(run / "model"), "summarization")
    with progress_bar(len(examples), "summarizing") as bar:
        result = evaluate_summaries(summarizer, examples, lead_words=words, progress=bar)
    print(json.dumps(result.figures, ensure_ascii=False) if as_json else result.table())


SCORES = {
    "translation": translation,
    "classification": classification,
    "image-classification": image_classification,
    "summarization": summarization,
}
