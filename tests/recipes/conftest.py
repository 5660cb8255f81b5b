"""Small files to learn from, and a run in this process."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fixtures.pictures import bars
from regard.recipes.labels.classification import ClassificationRecipe
from regard.recipes.labels.image_classification import ImageClassificationRecipe
from regard.recipes.options.encoders import ClassificationOptions
from regard.recipes.options.images import ImageClassificationOptions
from regard.recipes.options.sequences import SummarizationOptions
from regard.recipes.recipe import learn
from regard.recipes.summaries.summarization import SummarizationRecipe
from regard.training import Progress

ANIMALS = ("dog", "cat", "horse", "bird", "fish", "mouse")
PLACES = ("house", "river", "street", "tree", "garden", "snow")
GOOD, BAD = ("lovely", "bright", "happy", "kind"), ("awful", "dark", "sad", "cruel")


def rows() -> list[tuple[str, str]]:
    """Sentences with a label that one of their words decides."""
    return [
        (f"a {word} {animal} in the {place}", label)
        for animal in ANIMALS
        for place in PLACES
        for label, words in (("good", GOOD), ("bad", BAD))
        for word in words
    ]


@pytest.fixture(scope="session")
def labeled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of texts with one label each."""
    path = tmp_path_factory.mktemp("labeled") / "texts.csv"
    lines = [f"{text},{label}" for text, label in rows()]
    path.write_text("text,label\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture(scope="session")
def tagged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of texts with any number of labels each."""
    path = tmp_path_factory.mktemp("tagged") / "texts.jsonl"
    entries = [
        {"text": text, "labels": [label, *(["wet"] if "river" in text else [])]}
        for text, label in rows()
    ]
    entries += [{"text": f"a {animal}", "labels": []} for animal in ANIMALS]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    return path


TINY: dict[str, Any] = {"preset": "tiny", "precision": "fp32", "batch_size": 16}


@pytest.fixture(scope="session")
def classify() -> Callable[..., tuple[Progress, list[str]]]:
    """Trains a classifier; returns its progress and what was said."""

    def run(
        data: Path | str, output: Path, *, watch: Any = None, **options: Any
    ) -> tuple[Progress, list[str]]:
        said: list[str] = []
        settings = ClassificationOptions(output=str(output), **(TINY | options))
        recipe = ClassificationRecipe(str(data), settings, say=said.append, command="regard train")
        progress = learn(recipe, watch=watch or (lambda event, progress: None))
        return progress, said

    return run


@pytest.fixture(scope="session")
def trained(
    labeled: Path, classify: Any, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Progress, list[str]]:
    """A finished run, its progress and what was said."""
    output = tmp_path_factory.mktemp("run")
    progress, said = classify(labeled, output, max_epochs=4)
    return output, progress, said


def stories() -> list[dict[str, Any]]:
    """Documents of three sentences with one summary, or two, that their words decide."""
    return [
        {
            "document": f"There was a {word} {animal}.\nIt went to the {place}. It came back.",
            "summaries": [f"a {animal} in the {place}", *(["a story"] if k % 3 == 0 else [])],
        }
        for k, animal in enumerate(ANIMALS)
        for place in PLACES
        for word in GOOD
    ]


@pytest.fixture(scope="session")
def summarized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file of documents with summaries."""
    path = tmp_path_factory.mktemp("summarized") / "stories.jsonl"
    path.write_text("".join(json.dumps(story) + "\n" for story in stories()))
    return path


SHORT: dict[str, Any] = {
    "preset": "tiny", "precision": "fp32", "max_tokens": 512, "max_source_length": 64,
    "max_length": 16, "vocab_size": 400, "warmup": 20, "dropout": 0.0,
}  # fmt: skip


@pytest.fixture(scope="session")
def summarize() -> Callable[..., tuple[Progress, list[str]]]:
    """Trains a summarizer; returns its progress and what was said."""
    pytest.importorskip("rouge_score")

    def run(
        data: Path | str, output: Path, *, watch: Any = None, **options: Any
    ) -> tuple[Progress, list[str]]:
        said: list[str] = []
        shared = (
            SHORT
            if "base_model" not in options
            else {name: SHORT[name] for name in SHORT if name not in ("preset", "vocab_size")}
        )
        settings = SummarizationOptions(output=str(output), **(shared | options))
        recipe = SummarizationRecipe(str(data), settings, say=said.append, command="regard train")
        progress = learn(recipe, watch=watch or (lambda event, progress: None))
        return progress, said

    return run


@pytest.fixture(scope="session")
def summarizing(
    summarized: Path, summarize: Any, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Progress, list[str]]:
    """A finished run, its progress and what was said."""
    output = tmp_path_factory.mktemp("summarizing")
    progress, said = summarize(summarized, output, max_steps=50, evaluate_every=25, average=1)
    return output, progress, said


@pytest.fixture(scope="session")
def bar_images(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An .npz of 300 gray images with two labels."""
    path = tmp_path_factory.mktemp("bars") / "bars.npz"
    images, labels = bars(300, 1)
    np.savez(path, images=images, labels=labels)
    return path


@pytest.fixture(scope="session")
def see() -> Callable[..., tuple[Progress, list[str]]]:
    """Trains a classifier of images; returns its progress and what was said."""

    def run(
        data: Path | str, output: Path, *, watch: Any = None, **options: Any
    ) -> tuple[Progress, list[str]]:
        said: list[str] = []
        usual: dict[str, Any] = {"precision": "fp32", "batch_size": 20}
        settings = ImageClassificationOptions(output=str(output), **(usual | options))
        recipe = ImageClassificationRecipe(
            str(data), settings, say=said.append, command="regard train"
        )
        progress = learn(recipe, watch=watch or (lambda event, progress: None))
        return progress, said

    return run


@pytest.fixture(scope="session")
def seen(
    bar_images: Path, see: Any, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, Progress, list[str]]:
    """A finished run on the images, its progress and what was said."""
    output = tmp_path_factory.mktemp("seen")
    progress, said = see(bar_images, output, max_epochs=8, patch_size=4)
    return output, progress, said
