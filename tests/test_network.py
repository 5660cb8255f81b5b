"""Nothing is asked of a network unless its name begins with hub:."""

from collections.abc import Callable
from pathlib import Path

import pytest

import regard
from fixtures.covering import covering
from regard import RegardError
from regard.checkpoints import find_folder, from_pretrained
from regard.course.explanation.sentence import explain
from regard.course.words import load_vectors
from regard.course.words.states import WordReader
from regard.inspection.huggingface import load_for_tracing
from regard.tasks.catalog import LOADED
from regard.tasks.classification.task import Classifier
from regard.tasks.embedding.task import Embedder
from regard.tasks.fill_mask.task import MaskFiller
from regard.tasks.images.task import ImageClassifier
from regard.tasks.looking import open_for_looking
from regard.tasks.pipelines.arguments import ARGUMENTS
from regard.tasks.question_answering.task import Answerer
from regard.tasks.summarization.task import Summarizer
from regard.tasks.text_generation.task import Writer
from regard.tasks.translation.task import Translator

OPENERS: list[Callable[[str], object]] = [
    find_folder,
    from_pretrained,
    regard.load,
    *(lambda name, task=task: regard.load(name, task) for task in LOADED),
    *(lambda name, task=task: regard.pipeline(task, name) for task in ARGUMENTS),
    Translator.load,
    Summarizer.load,
    Writer.load,
    Classifier.load,
    Answerer.load,
    MaskFiller.load,
    Embedder.load,
    ImageClassifier.load,
    WordReader.load,
    open_for_looking,
    load_for_tracing,
    load_vectors,
    lambda name: explain(name, "the dog"),
]


def test_no_bare_name_reaches_the_network(
    no_network: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for opener, name in covering(OPENERS, ["runs/mine", "openai-community/gpt2", "gpt2"]):
        with pytest.raises(RegardError, match=f"there is no (folder )?'?{name}"):
            opener(name)
    assert no_network == []


def test_a_hub_name_does_reach_it(
    no_network: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(tmp_path / "token"))
    with pytest.raises(RegardError, match="hub:org/small cannot be fetched"):
        regard.load("hub:org/small")
    assert no_network
