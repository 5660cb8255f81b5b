"""What a type checker, and so an editor, knows of the public face."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROGRAM = """
import torch
from typing_extensions import assert_type

import regard
from regard.tasks.pipelines import Pipeline
from regard.inspection import Trace
from regard.models import EncoderDecoder, Model
from regard.tasks.question_answering.task import Answerer
from regard.tasks.classification.task import Classifier
from regard.tasks.embedding.task import Embedder
from regard.tasks.fill_mask.task import MaskFiller
from regard.tasks.images.task import ImageClassifier
from regard.tasks.summarization.task import Rewriter, Summarizer
from regard.engine.task import Task
from regard.tasks.text_generation.task import Writer
from regard.tasks.translation.task import Translation, Translator

translator = regard.load("en-de")
assert_type(translator, Translator)
assert_type(translator("a"), str)
assert_type(translator(["a", "b"]), list[str])
assert_type(translator.run(["a"]), list[Translation])
assert_type(translator.device, torch.device)

assert_type(regard.load("folder", "translation"), Translator)
assert_type(regard.load("folder", "summarization"), Summarizer)
assert_type(regard.load("folder", "text2text-generation"), Rewriter)
assert_type(regard.load("folder", "text-generation"), Writer)
assert_type(regard.load("folder", "text-classification"), Classifier)
assert_type(regard.load("folder", "question-answering"), Answerer)
assert_type(regard.load("folder", "fill-mask"), MaskFiller)
assert_type(regard.load("folder", "feature-extraction"), Embedder)
assert_type(regard.load("folder", "image-classification"), ImageClassifier)
assert_type(regard.load("folder", "text-classification").labels, tuple[str, ...])

anything = regard.load("folder")
assert_type(anything, Task)
assert_type(anything.name, str)

assert_type(regard.from_pretrained("en-hi"), EncoderDecoder)
assert_type(regard.from_pretrained("folder", dtype=torch.bfloat16), Model)
assert_type(regard.trace(translator, text="a"), Trace)
assert_type(regard.train("translation", "pairs.tsv", "run", max_steps=1), Translator)
assert_type(regard.train("classification", "texts.tsv", "run", preset="tiny"), Classifier)
assert_type(regard.train("question-answering", "squad.json", "run"), Answerer)
assert_type(regard.train("embedding", "pairs.tsv", "run", pooling="cls"), Embedder)

assert_type(regard.pipeline("translation_en_to_de"), Pipeline[Translator])
assert_type(regard.pipeline("sentiment-analysis", "folder"), Pipeline[Classifier])
assert_type(regard.pipeline("fill-mask", "folder").runner, MaskFiller)
assert_type(regard.pipeline("translation_de_to_fr", "folder"), Pipeline[Task])

error: ValueError = regard.NotFoundError("a")
"""
MISTAKES = {
    'regard.load("en-de").translate("a")': '"Translator" has no attribute "translate"',
    'regard.load("folder", "fill-mask").labels': '"MaskFiller" has no attribute "labels"',
    "regard.load(3)": "No overload variant",
    'regard.train("chess", "a", "b")': "No overload variant",
    'regard.train("classification", "a", "b", max_step=3)': "No overload variant",
    'regard.train("embedding", "a", "b", max_steps="3")': "No overload variant",
    'regard.train("masked-language-model", "a", "b", lora_rank=2)': "No overload variant",
    'regard.pipeline("summarization")("a").b + regard.pipeline(3)': "No overload variant",
}


def errors_in(program: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What mypy says of a program that uses regard, with the settings and the cache of the code."""
    api = pytest.importorskip("mypy.api", reason="mypy is not installed")
    file = folder / "program.py"
    file.write_text(program)
    monkeypatch.setenv("MYPYPATH", str(ROOT / "src"))
    settings = [f"--config-file={ROOT / 'pyproject.toml'}", f"--cache-dir={ROOT / '.mypy_cache'}"]
    out, trouble, _ = api.run([str(file), *settings])
    assert trouble == ""
    return [line for line in out.splitlines() if ": error: " in line]


@pytest.mark.slow
def test_every_public_function_returns_a_class_and_mistakes_are_found(tmp_path, monkeypatch):
    lines = PROGRAM.count("\n") + 1
    errors = errors_in("\n".join([PROGRAM, *MISTAKES]), tmp_path, monkeypatch)
    for number, (line, message) in enumerate(MISTAKES.items(), start=lines + 1):
        found = [each for each in errors if f"program.py:{number}: " in each]
        assert any(message in each for each in found), line
        errors = [each for each in errors if each not in found]
    assert errors == []
