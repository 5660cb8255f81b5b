"""How well the best model of a finished run does on the run's test set, if it has one."""

import json
import sys
from pathlib import Path

from regard.cli.commands.evaluate import report, score_translations, show

Pairs = list[tuple[str, str]]


def score_run(task: str, run: Path, *, as_json: bool) -> None:
    """Prints the figures of a model for this task, by transformers' name."""
    if task == "image-classification":
        _score_images(run, as_json=as_json)
        return
    from regard.recipes.examples import read_examples

    file = run / "data" / "test.jsonl"  # running text has none
    if tested := list(read_examples(file)) if file.exists() else []:
        report(task, str(run / "model"), tested, as_json=as_json)


def _score_images(run: Path, *, as_json: bool) -> None:
    from regard.recipes.labels.image_scores import evaluate_test
    from regard.recipes.labels.labels import figures_line

    found = evaluate_test(run)
    if found is None:
        return
    if as_json:
        print(json.dumps({f"test_{name}": value for name, value in found.figures.items()}))
    else:
        print(figures_line("Test set", found.figures, len(found), "images"), file=sys.stderr)


def score_translator(run: Path, languages: list[str], tested: Pairs, *, as_json: bool) -> None:
    """Prints the figures of the best model on the test set that was given, or on the run's own."""
    from regard.api.loading import load
    from regard.translation.data import held_in

    for language in languages or [""]:
        pairs = tested or held_in(run / "data" / "test.tsv", language)
        if not pairs:
            continue
        translator = load(str(run / "model"), "translation")
        if language:
            print(f"Test set, {language}:", file=sys.stderr)
            translator = translator.between(target=language)
        show(score_translations(translator, pairs), as_json=as_json)
