"""Every architecture is trained, saved, loaded, decoded and looked into in the same way."""

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

import regard
from regard import RegardError
from regard.models import RecurrentEncoderDecoder
from regard.translation.architectures import configure, describe
from regard.translation.card import read_card
from regard.translation.training import TrainingOptions
from regard.translation.translator import Translator

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


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"architecture": "lstm"},
            "architecture must be one of transformer, recurrent; got 'lstm'",
        ),
        ({"cell": "lstm"}, "cell is an option of architecture 'recurrent'; got cell = 'lstm'"),
        ({"attention": "luong"}, "attention is an option of architecture 'recurrent'"),
        ({"architecture": "recurrent", "norm": "post"}, "norm is an option of .*'transformer'"),
        ({"architecture": "recurrent", "preset": "big"}, "tiny, small, base for a recurrent"),
        ({"architecture": "recurrent", "cell": "rnn"}, "cell must be one of gru, lstm"),
    ],
)
def test_options_of_another_architecture_are_refused(options: dict[str, str], message: str) -> None:
    with pytest.raises(RegardError, match=message):
        TrainingOptions(**options)  # type: ignore[arg-type]


def test_options_arrive_in_the_config() -> None:
    options = TrainingOptions(
        architecture="recurrent", cell="lstm", attention="none", dropout=0.25, preset="small"
    )
    config = configure(options, 77, eos_id=5)
    assert (config.cell, config.attention, config.dropout) == ("lstm", "none", 0.25)
    assert (config.vocab_size, config.eos_id, config.d_model) == (77, 5, 256)
    assert describe(options) == "recurrent small, cell lstm, attention none"
    assert configure(TrainingOptions(norm="post"), 77).norm == "post"
    assert describe(TrainingOptions()) == "transformer tiny, norm pre"
