"""A model that computes NaN or infinity, of weights that are too large or were changed in memory:
one sentence from every task, and no answer."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch

import regard
from regard.errors import DamagedFileError

transformers = pytest.importorskip("transformers")

LARGE = 3e38  # of a product with more than 1.13, infinity
SENTENCE = "the model computes NaN or infinity from this input"
TASKS: dict[str, tuple[str, Any]] = {
    "classification": ("ForSequenceClassification", "Anna sees the dog."),
    "token-classification": ("ForTokenClassification", "Anna sees the dog."),
    "question-answering": ("ForQuestionAnswering", ("Who?", "Anna sees the dog.")),
    "masked-language-model": ("ForMaskedLM", "Anna sees the [MASK]."),
    "embedding": ("Model", "Anna sees the dog."),
}


@pytest.fixture(params=TASKS)
def spoiled(request: Any, encoder_folder: Any, tmp_path: Path) -> tuple[Path, Any]:
    """A model folder whose weights are numbers, but too large for each other, and an input."""
    ending, text = TASKS[request.param]
    folder = encoder_folder("Bert", ending)
    model = getattr(transformers, f"Bert{ending}").from_pretrained(folder)
    with torch.no_grad():
        model.base_model.encoder.layer[0].output.LayerNorm.weight.fill_(LARGE)
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    model.save_pretrained(tmp_path)
    return tmp_path, text


@pytest.mark.parametrize("engine", ["torch", "native"])
def test_every_task_refuses_it_and_says_which_inputs(spoiled: Any, engine: str) -> None:
    folder, text = spoiled
    task: Any = regard.load(folder).run_by(engine)
    with pytest.raises(DamagedFileError, match=SENTENCE) as refused:
        task.run([text, text])
    assert [refused.value.index, *(other.index for other in refused.value.others)] == [0, 1]
    arguments = text if isinstance(text, tuple) else (text,)
    with pytest.raises(DamagedFileError, match=SENTENCE):
        task.trace(*arguments)


def test_so_do_the_states_of_tokens(encoder_folder: Any, tmp_path: Path) -> None:
    folder = encoder_folder("Bert", "Model")
    model = transformers.BertModel.from_pretrained(folder)
    with torch.no_grad():
        model.embeddings.LayerNorm.weight.fill_(LARGE)
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    model.save_pretrained(tmp_path)
    with pytest.raises(DamagedFileError, match=SENTENCE):
        regard.load(tmp_path, task="feature-extraction").states("the dog")


@pytest.mark.parametrize("engine", ["torch", "native"])
def test_a_token_whose_vector_is_no_number_spoils_its_own_texts_only(
    engine: str, encoder_folder: Any, tmp_path: Path
) -> None:
    folder = encoder_folder("Bert", "Model")
    model = transformers.BertModel.from_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    spoiled = [tokenizer.convert_tokens_to_ids("dog"), tokenizer.pad_token_id]
    with torch.no_grad():
        model.embeddings.word_embeddings.weight[spoiled] = LARGE  # whose mean is infinite
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    model.save_pretrained(tmp_path)
    task, right = (
        regard.load(each, task="feature-extraction").run_by(engine) for each in (tmp_path, folder)
    )
    if engine == "torch":  # whose mean is exact
        with torch.no_grad():
            task.handle.model.embed.tokens.weight[spoiled] = math.nan
    texts = ["the dog", "Anna", "Anna sees the old tree."]
    with pytest.raises(DamagedFileError, match=SENTENCE) as refused:
        task.run(texts)
    assert (refused.value.index, refused.value.others) == (0, [])
    torch.testing.assert_close(torch.tensor(task(texts[1:])), torch.tensor(right(texts[1:])))
