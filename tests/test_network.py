"""Nothing is asked of a network unless its name begins with hub:."""

from collections.abc import Callable
from pathlib import Path

import pytest

import regard
from regard import RegardError
from regard.api.looking import open_for_looking
from regard.api.pipeline_arguments import ARGUMENTS
from regard.catalog import LOADED
from regard.checkpoints import find_folder, from_pretrained
from regard.explanation.sentence import explain
from regard.inspection.huggingface import load_for_tracing
from regard.tasks.classification import Classifier
from regard.tasks.embedding import Embedder
from regard.tasks.filling import MaskFiller
from regard.tasks.images import ImageClassifier
from regard.tasks.question_answering.task import Answerer
from regard.tasks.summarization import Summarizer
from regard.tasks.writing import Writer
from regard.translation.translator import Translator
from regard.words import load_vectors
from regard.words.states import WordReader

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


@pytest.mark.parametrize("opener", OPENERS, ids=range(len(OPENERS)))
def test_no_bare_name_reaches_the_network(
    opener: Callable[[str], object],
    no_network: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("runs/mine", "openai-community/gpt2", "gpt2"):
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
