"""A translator decoded by each engine: the same texts, in any batch, and the model's own maps."""

import pickle
import random
from pathlib import Path

import pytest
import torch

import regard
from regard import RegardError, UnsupportedError
from regard.engine.handle import EncoderDecoderHandle, IdConfig
from regard.engine.native import library
from regard.models import RecurrentConfig, RecurrentEncoderDecoder
from regard.tasks.translation.task import Translator
from regard.text import TokenizerPair

TEXTS = [
    "the old dog sees a tree.",
    "a red house.",
    "",
    "the child likes the small house and the old tree and a dog.",
    "dog.",
]


@pytest.mark.parametrize("num_beams", [1, 3])
def test_fp32_gives_the_texts_of_torch(translator: Translator, num_beams: int) -> None:
    fast = translator.run_by("native")
    options = dict(num_beams=num_beams, alternatives=num_beams, max_new_tokens=30)
    expected, got = (each.run(TEXTS, **options) for each in (translator, fast))  # type: ignore[arg-type]
    for ours, theirs in zip(got, expected, strict=True):
        assert [each.text for each in ours.alternatives] == [
            each.text for each in theirs.alternatives
        ]
        assert ours.score == pytest.approx(theirs.score, rel=1e-4)
    assert fast.run_by("torch").packed is None
    assert translator.packed is None  # the first is as it was


def test_int8_gives_the_same_result_alone_and_in_any_batch(translator: Translator) -> None:
    coarse = translator.run_by("native", precision="int8")
    together = coarse.run(TEXTS, num_beams=2, max_new_tokens=30)
    alone = [coarse.run([text], num_beams=2, max_new_tokens=30)[0] for text in TEXTS]
    assert together == alone  # the scores, too, bit for bit
    exact = translator.run(TEXTS, num_beams=2, max_new_tokens=30)
    assert together[0].score != exact[0].score


def test_batches_in_parallel_give_what_one_after_the_other_gives(
    translator: Translator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    parallel = translator.run_by("native", precision="int8")
    assert parallel.engine.workers == 3
    serial = translator.run_by("native", precision="int8", threads=1)
    assert (serial.engine.workers, translator.engine.workers) == (1, 1)
    found = [each.run(TEXTS, batch_size=1, max_new_tokens=30) for each in (parallel, serial)]
    assert found[0] == found[1]


def test_a_trace_is_of_the_engines_text_and_the_models_weights(translator: Translator) -> None:
    coarse = translator.run_by("native", precision="int8")
    axis = coarse.trace(TEXTS[0]).axes["target"]
    tokens = coarse.run([TEXTS[0]])[0].tokens
    assert axis.predicts is not None
    assert axis.predicts[: len(tokens)] == tokens


def test_other_weights_are_decoded_by_torch_until_they_are_opened(translator: Translator) -> None:
    assert translator.run_by("native").with_model(translator.model).packed is None


def test_auto_is_the_native_engine_where_it_computes_the_model(
    translator: Translator, tokenizers: TokenizerPair, monkeypatch: pytest.MonkeyPatch
) -> None:
    auto = translator.run_by("auto")
    assert auto(TEXTS, max_new_tokens=30) == translator(TEXTS, max_new_tokens=30)
    assert auto.computed_by == "native fp32"
    said: list[str] = []
    assert recurrent_translator(tokenizers).run_by("auto", say=said.append).computed_by == "torch"
    name = "a model of the class RecurrentEncoderDecoder"
    assert said == [f"{name} cannot run in the native engine; torch computes, in fp32."]
    monkeypatch.setattr("platform.machine", lambda: "vax")
    library.library.cache_clear()
    try:
        other = translator.run_by("auto", precision="int8", say=said.append)
        assert other.computed_by == "torch"
    finally:
        library.library.cache_clear()
    assert said[1].startswith("the native engine has no library that fits this machine, ")
    assert said[1].endswith("-vax; torch computes, in fp32.")


def test_the_model_itself_is_loaded_when_it_is_asked_for(
    translator: Translator, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "model"
    translator.save(folder)
    with monkeypatch.context() as context:
        context.setattr(EncoderDecoderHandle, "_read", None)
        lazy = Translator.load(folder, lazily=True).run_by("auto")
        assert lazy(TEXTS, max_new_tokens=30) == translator(TEXTS, max_new_tokens=30)
        assert (lazy.positions, lazy.room) == (translator.positions, translator.room)
    assert lazy.handle.config == IdConfig.of(translator.model.config)
    with torch.inference_mode():
        parameter = next(lazy.model.parameters())
    assert torch.equal(parameter, next(translator.model.parameters()))
    assert not parameter.is_inference()  # it can be trained
    assert lazy.computed_by == "native fp32"


@pytest.mark.parametrize("engine", ["auto", "native"])
def test_weights_that_were_changed_are_what_computes(
    engine: str, translator: Translator, tmp_path: Path
) -> None:
    translator.save(tmp_path / "model")
    fast = Translator.load(tmp_path / "model").run_by(engine)
    before = fast.run(TEXTS[:1], max_new_tokens=30)[0]
    with torch.no_grad():
        fast.model.output_weight[:, 0] += 1
    changed = fast.run(TEXTS[:1], max_new_tokens=30)[0]
    assert fast.computed_by == "torch"
    assert abs(changed.score - before.score) > 1e-3
    again = fast.run_by(engine)
    assert again.run(TEXTS[:1], max_new_tokens=30)[0].score == pytest.approx(changed.score)
    assert again.computed_by == "native fp32"
    other = Translator.load(tmp_path / "model").run_by(engine)  # the file is as it was
    assert other.run(TEXTS[:1], max_new_tokens=30)[0].score == before.score


def test_a_shipped_model_computes_natively_and_says_so() -> None:
    translator = regard.load("en-de")
    assert translator.computed_by == "native int8"  # as it was calibrated
    assert "native int8" in translator.alignment_caption("output")
    trace = translator.trace("Where is the station?")
    assert any("decoded by native int8" in note for note in trace.notes)
    assert translator.run_by("auto", precision="fp32").computed_by == "native fp32"
    assert translator.run_by("torch").computed_by == "torch"


def sentences(count: int) -> list[str]:
    draw = random.Random(4)
    parts = (
        ("My father", "The old doctor", "Mary", "No one", "The children", "His best friend"),
        ("has bought", "would like to see", "forgot", "is looking for", "never mentioned"),
        ("the small house", "a book", "two tickets", "his umbrella", "the answer", "a red car"),
        ("at the station.", "because it was raining.", "last summer!", "with a smile.", "again."),
    )
    return [" ".join(map(draw.choice, parts)) for _ in range(count)]


@pytest.mark.long("60 sentences by five engines")
@pytest.mark.parametrize("num_beams", [1, 4])
def test_the_native_engine_translates_as_the_shipped_model_does(num_beams: int) -> None:
    texts, translator = sentences(60), regard.load("en-de")
    expected = translator.run_by("torch").run(texts, num_beams=num_beams)
    for precision, least in (("fp32", 60), ("bf16", 60), ("int8", 51), ("int4", 33)):
        native = translator.run_by("native", precision=precision)
        got = native.run(texts, num_beams=num_beams)
        same = [ours.tokens == theirs.tokens for ours, theirs in zip(got, expected, strict=True)]
        assert sum(same) >= least
        alone = [native.run([text], num_beams=num_beams)[0] for text in texts[:9]]
        assert alone == got[:9]  # the scores, too, bit for bit


def test_a_copy_is_a_translator_of_the_model_in_memory(translator: Translator) -> None:
    fast = pickle.loads(pickle.dumps(translator.run_by("native")))
    assert fast.computed_by == "torch"
    assert fast(TEXTS) == translator(TEXTS)


def test_bad_arguments_are_refused(translator: Translator) -> None:
    with pytest.raises(RegardError, match="engine must be one of auto, torch, native; got 'onx'"):
        translator.run_by("onx")
    with pytest.raises(
        RegardError, match="precision must be one of fp32, bf16, int8, int4; got 'int5'"
    ):
        translator.run_by("native", precision="int5")
    with pytest.raises(RegardError, match="`threads` needs `engine` native; add it, or leave"):
        translator.run_by("torch", threads=2)
    with pytest.raises(RegardError, match="`precision` needs `engine` native; add it, or leave"):
        translator.run_by("torch", precision="int8")


def test_a_recurrent_translator_is_refused(tokenizers: TokenizerPair) -> None:
    with pytest.raises(UnsupportedError, match="the class RecurrentEncoderDecoder cannot run"):
        recurrent_translator(tokenizers).run_by("native")


def recurrent_translator(tokenizers: TokenizerPair) -> Translator:
    size = tokenizers.source.vocab_size
    model = RecurrentEncoderDecoder(RecurrentConfig(size, d_model=4, hidden_size=6)).eval()
    return Translator(model, tokenizers)
