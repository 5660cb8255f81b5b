"""A translator decoded by ONNX Runtime: the same texts, in any batch, and the model's own maps."""

from pathlib import Path

import pytest

from regard import RegardError, UnsupportedError
from regard.models import RecurrentConfig, RecurrentEncoderDecoder
from regard.text import TokenizerPair
from regard.translation.translator import Translator

TEXTS = [
    "the old dog sees a tree.",
    "a red house.",
    "",
    "the child likes the small house and the old tree and a dog.",
    "dog.",
]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REGARD_CACHE", str(tmp_path))


@pytest.mark.parametrize("num_beams", [1, 3])
def test_fp32_gives_the_texts_of_torch(translator: Translator, num_beams: int) -> None:
    fast = translator.run_by("onnx")
    options = dict(num_beams=num_beams, num_return_sequences=num_beams, max_new_tokens=30)
    expected, got = (each.run(TEXTS, **options) for each in (translator, fast))  # type: ignore[arg-type]
    for ours, theirs in zip(got, expected, strict=True):
        assert [each.text for each in ours.alternatives] == [
            each.text for each in theirs.alternatives
        ]
        assert ours.score == pytest.approx(theirs.score, rel=1e-4)
    assert fast.run_by("torch").packed is None
    assert translator.packed is None  # the first is as it was


def test_int8_gives_the_same_result_alone_and_in_any_batch(translator: Translator) -> None:
    coarse = translator.run_by("onnx", precision="int8")
    together = coarse.run(TEXTS, num_beams=2, max_new_tokens=30)
    alone = [coarse.run([text], num_beams=2, max_new_tokens=30)[0] for text in TEXTS]
    assert together == alone  # the scores, too, bit for bit
    exact = translator.run(TEXTS, num_beams=2, max_new_tokens=30)
    assert together[0].score != exact[0].score


def test_a_trace_is_of_the_engines_text_and_the_models_weights(translator: Translator) -> None:
    coarse = translator.run_by("onnx", precision="int8")
    axis = coarse.trace(TEXTS[0]).axes["target"]
    tokens = coarse.run([TEXTS[0]])[0].tokens
    assert axis.predicts is not None
    assert axis.predicts[: len(tokens)] == tokens


def test_other_weights_are_decoded_by_torch_until_they_are_packed(translator: Translator) -> None:
    assert translator.run_by("onnx").with_model(translator.model).packed is None


def test_bad_arguments_are_refused(translator: Translator) -> None:
    with pytest.raises(RegardError, match="engine must be one of torch, onnx; got 'onx'"):
        translator.run_by("onx")
    with pytest.raises(RegardError, match="precision must be one of fp32, int8"):
        translator.run_by("onnx", precision="int4")
    with pytest.raises(RegardError, match='are settings of engine="onnx"'):
        translator.run_by("torch", threads=2)


def test_a_recurrent_translator_is_refused(tokenizers: TokenizerPair) -> None:
    size = tokenizers.source.vocab_size
    model = RecurrentEncoderDecoder(RecurrentConfig(size, d_model=4, hidden_size=6)).eval()
    with pytest.raises(
        UnsupportedError, match="the class RecurrentEncoderDecoder cannot be packed"
    ):
        Translator(model, tokenizers).run_by("onnx")
