import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import regard
from regard import RegardError, UnsupportedError
from regard.checkpoints import Checkpoint, save_pretrained
from regard.course.words import WordVectors, load_vectors
from regard.models import Decoder, DecoderConfig, VisionConfig, VisionTransformer
from regard.tasks import catalog
from regard.tasks.kinds import kind_of


@pytest.fixture
def language_model(tmp_path: Path) -> Path:
    config = DecoderConfig(
        vocab_size=31, d_model=8, num_layers=1, num_heads=2, d_ff=8, max_positions=16
    )
    save_pretrained(Decoder(config), tmp_path / "gpt")
    return tmp_path / "gpt"


def test_a_folder_without_a_model_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match=r"is not a model folder: it has no config\.json"):
        regard.load(tmp_path)


def test_an_unknown_task_lists_the_known(tmp_path: Path) -> None:
    with pytest.raises(RegardError, match=r"task must be one of translation, .*; got 'translate'"):
        regard.load(tmp_path, "translate")


@pytest.mark.parametrize("task", [task for task in catalog.LOADED if task != "translation"])
def test_a_shipped_translator_says_what_it_is_where_it_cannot_do_the_task(task: str) -> None:
    with pytest.raises(RegardError) as refused:
        regard.load("en-de", task)
    assert str(refused.value).startswith(
        "en-de is a translator from English to German: use it with regard translate, evaluate, look"
    )
    assert str(refused.value).endswith(f"; {catalog.KINDS[task].needed}.")


@pytest.mark.parametrize("task", [None, *catalog.LOADED])
def test_shipped_word_vectors_are_no_model(task: str | None) -> None:
    with pytest.raises(RegardError, match=r"use it with regard words near, .*load_vectors"):
        regard.load("words-en", task)


@pytest.mark.parametrize("task", [task for task in catalog.LOADED if task != "text-generation"])
def test_a_folder_of_the_wrong_kind_says_what_it_is(language_model: Path, task: str) -> None:
    with pytest.raises(RegardError) as refused:
        regard.load(language_model, task)
    result = (
        f"{language_model} is a language model (gpt2): use it with regard generate, evaluate, look,"
    )
    assert str(refused.value).startswith(result)


def test_a_model_of_images_says_so(tmp_path: Path) -> None:
    config = VisionConfig((6, 10), (3, 2), d_model=12, num_layers=1, num_heads=3, d_ff=22)
    save_pretrained(VisionTransformer(config), tmp_path)
    with pytest.raises(RegardError, match=r"is a classifier of images \(vit\): use it with"):
        regard.load(tmp_path, "feature-extraction")


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        ("ForSequenceClassification", "text-classification"),
        ("ForQuestionAnswering", "question-answering"),
        ("ForMaskedLM", "fill-mask"),
        ("Model", "feature-extraction"),
    ],
)
def test_an_encoder_does_what_its_head_is_for_and_always_encodes(
    encoder_folder: Callable[..., Path], head: str, kind: str
) -> None:
    folder = encoder_folder("Bert", head)
    assert kind_of(Checkpoint(folder)) == kind
    assert regard.load(folder, "feature-extraction")("the dog").shape == (15,)
    for task in ("text-classification", "question-answering", "fill-mask"):
        if task != kind:
            with pytest.raises(
                RegardError, match=r" is a .+ \(bert\): use it with regard .*encode"
            ):
                regard.load(folder, task)


def test_a_model_folder_is_no_word_vectors_and_the_other_way_round(
    language_model: Path, tmp_path: Path
) -> None:
    with pytest.raises(RegardError, match=r"is a model folder, .* give words-en, or a file or"):
        load_vectors(language_model)
    words = load_vectors("words-en", limit=3)
    WordVectors(words.words, words.vectors).save(tmp_path / "mine")
    with pytest.raises(RegardError, match="mine is a set of word vectors: use it with regard wor"):
        regard.load(tmp_path / "mine")
    with pytest.raises(RegardError, match=r"en-de is a translator .*: .* give words-en"):
        load_vectors("en-de")


@pytest.mark.parametrize("name", ["T5EncoderModel", "T5ForSequenceClassification"])
@pytest.mark.parametrize("task", [None, "translation", "text-classification", "feature-extraction"])
def test_a_t5_that_reads_is_neither_a_translator_nor_damaged(
    name: str, task: str | None, foreign: Callable[..., Any], tmp_path: Path
) -> None:
    foreign("t5", tmp_path, architectures=[name])
    with pytest.raises(
        UnsupportedError,
        match=rf"must be one that writes .*; config\.json says {name}\. regard look",
    ):
        regard.load(tmp_path, task)


def test_the_types_of_load_are_those_of_the_declarations() -> None:
    tasks = Path(__file__).parents[2] / "src" / "regard" / "tasks"
    tool = runpy.run_path(str(Path(__file__).parents[2] / "tools" / "load_types.py"))
    for name in ("load", "pipeline"):
        stub = tasks / f"{'loading' if name == 'load' else name}.pyi"
        assert stub.read_text("utf-8") == tool[f"{name}_types"](), (
            "run `python tools/load_types.py`"
        )
