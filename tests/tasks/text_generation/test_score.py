"""The loss of a text, against transformers' own; the words that are hidden."""

import math

import numpy as np
import pytest
import torch

from regard import RegardError
from regard.data.documents import Piece
from regard.tasks.fill_mask.score import evaluate_masked
from regard.tasks.fill_mask.task import MaskFiller
from regard.tasks.text_generation.score import evaluate_text
from regard.tasks.text_generation.task import Writer

transformers = pytest.importorskip("transformers")

TEXT = "Anna sees the old tree. The dog lives in the red house near the river. " * 4


@pytest.fixture(scope="module")
def writer(encoder_folder):
    return Writer.load(encoder_folder("GPT2", "LMHeadModel"))


def test_the_loss_is_that_of_every_token_but_the_first(writer, encoder_folder):
    ids = torch.tensor([writer.tokenizer.encode(TEXT)])
    block = writer.model.config.max_positions
    assert block < ids.shape[1] < 3 * block
    folder = encoder_folder("GPT2", "LMHeadModel")
    model = transformers.AutoModelForCausalLM.from_pretrained(folder).eval()
    expected = 0.0
    with torch.no_grad():
        for start in range(0, ids.shape[1] - 1, block):
            logits = model(ids[:, start : start + block]).logits[0]
            targets = ids[0, start + 1 : start + 1 + block]
            kept = logits[: len(targets)]
            expected += torch.nn.functional.cross_entropy(kept, targets, reduction="sum").item()
    found = evaluate_text(writer, [Piece(0, TEXT)])
    assert found.counts.sum() == ids.shape[1] - 1
    assert found.losses.sum() == pytest.approx(expected, rel=1e-5)
    figures = found.figures
    assert figures["perplexity"] == pytest.approx(math.exp(figures["loss"]))
    bits = figures["loss"] / math.log(2) * ids.shape[1] / len(TEXT.encode())
    assert figures["bits_per_byte"] == pytest.approx(bits)
    again = evaluate_text(writer, [Piece(0, TEXT)], batch_size=1)
    np.testing.assert_allclose(again.losses, found.losses, rtol=1e-5)


def test_documents_are_apart_and_their_ends_are_predicted(writer):
    pieces = [Piece(0, "the old tree"), Piece(1, "the dog")]
    found = evaluate_text(writer, pieces, separated=True)
    words = sum(len(writer.tokenizer.encode(piece.text)) for piece in pieces)
    assert found.counts.sum() == words + 2  # the end of each
    with pytest.raises(RegardError, match=r"must have at least 2 tokens.*; got 1\. Give more text"):
        evaluate_text(writer, [Piece(0, "x")])


def test_a_model_is_scored_by_the_engine_that_computes(encoder_folder):
    writer = Writer.load(encoder_folder("GPT2", "LMHeadModel", n_embd=24, n_head=3))
    filler = MaskFiller.load(encoder_folder("Bert", "ForMaskedLM"))
    pieces = [Piece(0, "the old tree"), Piece(1, "the dog")]
    for task, score in (
        (writer, lambda task: evaluate_text(task, [Piece(0, TEXT)])),
        (writer, lambda task: evaluate_text(task, pieces, separated=True)),
        (filler, lambda task: evaluate_masked(task, [Piece(0, TEXT)])),
    ):
        natives = (task.run_by("native", precision=each) for each in ("fp32", "int8"))
        expected, got, coarse = map(score, (task, *natives))
        np.testing.assert_allclose(got.losses, expected.losses, rtol=1e-5)
        assert (got.likeliest == expected.likeliest).all()
        assert len(got.likeliest) == got.counts.sum()
        assert not np.array_equal(coarse.losses, got.losses)  # int8 was computed


def test_the_same_words_are_hidden_at_every_call(encoder_folder):
    filler = MaskFiller.load(encoder_folder("Bert", "ForMaskedLM"))
    one, other = (evaluate_masked(filler, [Piece(0, TEXT)]) for _ in range(2))
    assert np.array_equal(one.losses, other.losses)
    assert one.right is not None
    assert (one.right <= one.counts).all()
    many = evaluate_masked(filler, [Piece(0, TEXT)], share=0.5)
    assert many.counts.sum() > 2 * one.counts.sum()
    with pytest.raises(RegardError, match="must have words to hide"):
        evaluate_masked(filler, [Piece(0, "☃ ☃")])  # unknown to the tokenizer
