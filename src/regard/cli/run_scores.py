"""What the best model of a finished run scores on the run's test set, for the tasks that have one.

Each function prints nothing where the run has no test set.
"""

import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from regard.api.taught import TAUGHT
from regard.cli.commands.evaluate import report, score_translations, show
from regard.cli.streams import say

if TYPE_CHECKING:
    from regard.translation.training import TranslationRecipe


def translation(recipe: "TranslationRecipe", run: Path, *, as_json: bool) -> None:
    from regard.api.loading import load
    from regard.translation.evaluation import read_test_set
    from regard.translation.parts import held_in

    test = None if recipe.languages else recipe.options.test
    for language in recipe.languages or [""]:
        pairs = (
            read_test_set(test, say=say) if test else held_in(run / "data" / "test.tsv", language)
        )
        if not pairs:
            continue
        translator = load(str(run / "model"), "translation")
        if language:
            print(f"Test set, {language}:", file=sys.stderr)
            translator = translator.between(target=language)
        show(score_translations(translator, pairs), as_json=as_json)


def image_classification(recipe: Any, run: Path, *, as_json: bool) -> None:
    from regard.recipes.labels.image_scores import evaluate_test
    from regard.recipes.labels.labels import figures_line

    found = evaluate_test(run)
    if found is None:
        return
    if as_json:
        print(json.dumps({f"test_{name}": value for name, value in found.figures.items()}))
    else:
        print(figures_line("Test set", found.figures, len(found), "images"), file=sys.stderr)


def examples(task: str, recipe: Any, run: Path, *, as_json: bool) -> None:
    """Of a task whose test set is a file of examples."""
    from regard.recipes.examples import read_examples

    file = run / "data" / "test.jsonl"
    if tested := list(read_examples(file)) if file.exists() else []:
        report(TAUGHT[task].task, str(run / "model"), tested, as_json=as_json)


SCORES: dict[str, Callable[..., None]] = {
    "translation": translation,
    "image-classification": image_classification,
    **{
        task: partial(examples, task)
        for task in ("classification", "summarization", "question-answering", "embedding")
    },
}
