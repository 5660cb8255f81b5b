"""Every architecture is trained, saved, loaded, decoded and looked into in the same way."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import regard
from regard.checkpoints.card import read_card
from regard.models import RecurrentEncoderDecoder
from regard.tasks.translation.task import Translator

Pairs = list[tuple[str, str]]


@pytest.fixture(scope="module")
def trained(
    tmp_path_factory: pytest.TempPathFactory,
    made_up: Callable[[int], Pairs],
    write: Callable[[Path, Pairs], Path],
) -> Translator:
    """A recurrent model after some seconds of training: it ends its sentences, and they differ."""
    folder = tmp_path_factory.mktemp("recurrent")
    return regard.train(
        "translation", write(folder / "pairs.tsv", made_up(400)), folder / "run",
        architecture="recurrent", max_steps=60, evaluate_every=60, warmup=25, vocab_size=376,
        max_tokens=256, dev_sentences=4, dropout=0.0, precision="fp32", learning_rate=6e-3,
        label_smoothing=0.0,
    )  # fmt: skip


@pytest.mark.slow  # decodes 36 sentences with a recurrent model
def test_it_learns(trained: Translator, made_up: Callable[[int], Pairs]) -> None:
    pairs = made_up(400)[:40]
    results = trained([source for source, _ in pairs], num_beams=1)
    right = sum(a.split()[:2] == b.split()[:2] for a, (_, b) in zip(results, pairs, strict=True))
    assert right >= 10  # by chance one in 144


def test_its_folder_says_what_it_is(trained: Translator) -> None:
    assert isinstance(trained.model, RecurrentEncoderDecoder)
    assert trained.model.config.attention == "bahdanau"
    facts = read_card(f"{trained.name}/model")
    assert facts["kind"] == "recurrent tiny, cell gru, attention bahdanau"
    assert regard.load(trained.name)("the dog sees.") == trained("the dog sees.")


@pytest.mark.long("decodes 36 sentences with a recurrent model")
@pytest.mark.parametrize("num_beams", [1, 4])
def test_a_sentence_is_translated_alike_alone_and_in_company(
    trained: Translator, made_up: Callable[[int], Pairs], num_beams: int
) -> None:
    texts = [source for source, _ in made_up(400)[:12]]
    together = trained.run(texts, num_beams=num_beams)
    for text, result in zip(texts, together, strict=True):
        alone = trained.run([text], num_beams=num_beams)[0]
        assert alone.text == result.text
        assert alone.score == pytest.approx(result.score, abs=1e-4)


def test_its_attention_can_be_looked_at(trained: Translator) -> None:
    result = trained.run(["the old dog sees a tree."], alignment="output", num_beams=1)[0]
    assert result.alignment is not None
    assert result.alignment.shape == (len(result.target_words), len(result.source_words))
    assert trained.alignment_caption("output") == (
        "α of cross-attention, at the decoder's output step"
    )
    trace = trained.trace("the old dog sees a tree.", num_beams=1)
    assert list(trace) == ["decoder.cross"]
    weights = trace["decoder.cross"].weights(0)
    torch.testing.assert_close(weights.sum(-1), torch.ones(len(weights)))
