"""CTranslate2's folders, written from small models here, and opened."""

import json
import shutil
import struct
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from typer.testing import CliRunner

import regard
from fixtures.ctranslate2 import KINDS, file_of, variables_of, write_folder
from fuzz.mutations import damaged
from regard import RegardError
from regard.checkpoints import open_checkpoint, save_pretrained
from regard.checkpoints.fit import read_state
from regard.checkpoints.hub import wanted
from regard.checkpoints.weights import Scaled
from regard.cli.app import app
from regard.engine.doctor.checks import examine
from regard.engine.native.loading import open_native, weights_of
from regard.engine.native.looking import opened
from regard.errors import DamagedFileError, NotFoundError, UnsupportedError
from regard.generation import GenerationConfig
from regard.models import (
    Decoder,
    DecoderConfig,
    Encoder,
    EncoderConfig,
    EncoderDecoder,
    EncoderDecoderConfig,
    SpeechConfig,
    SpeechEncoderDecoder,
)
from regard.text.sentencepiece import read_sentencepiece

SENTENCEPIECE = Path(__file__).parents[1] / "text" / "sentencepiece"
SIZES: dict[str, Any] = dict(d_model=16, d_ff=24, num_layers=2, num_heads=4)
SIDES: dict[str, Any] = dict(d_model=16, d_ff=24, encoder_layers=2, decoder_layers=1)
SIDES |= dict(encoder_heads=4, decoder_heads=2, max_positions=20, pad_id=1, eos_id=3, start_id=2)
TOKENS = ["<unk>", "<blank>", "<s>", "</s>", *(f"▁{number}" for number in range(36))]
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "old", "##er", "man"]
SPOKEN = ["<|endoftext|>", "<|startoftranscript|>", *(f"w{number}" for number in range(30))]
SPOKEN += [f"<|{name}|>" for name in ("en", "de", "translate", "transcribe", "notimestamps")]
SPOKEN += [f"<|{time:.2f}|>" for time in (0, 0.02, 0.04)]


def paper(**changes: Any) -> EncoderDecoder:
    return EncoderDecoder(EncoderDecoderConfig(**{**SIDES, "vocab_size": 40, **changes}))


def whisper() -> SpeechEncoderDecoder:
    ids = dict(pad_id=0, eos_id=0, start_id=1)
    config = SpeechConfig(40, **{**SIDES, **ids}, mel_bins=8, source_positions=10)
    return SpeechEncoderDecoder(config)


def gpt2() -> Decoder:
    return Decoder(DecoderConfig(40, **SIZES, max_positions=30, bos_id=2, eos_id=3))


def llama(**changes: Any) -> Decoder:
    modern = dict(norm_kind="rms", norm_eps=1e-6, activation="silu", gated=True, positions="rotary")
    modern |= dict.fromkeys(("feed_forward_bias", "attention_bias", "attention_output_bias"), False)
    settings = {**SIZES, **modern, "num_key_heads": 2, "tied_output": False, "max_positions": 4096}
    return Decoder(DecoderConfig(40, **settings, bos_id=2, eos_id=3, **changes))


def bert() -> Encoder:
    return Encoder(EncoderConfig(len(WORDS), **SIZES, max_positions=30, head="pooler"))


MODELS: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "paper": (paper, TOKENS),
    "pre-norm": (lambda: paper(norm="pre", logits_bias=True, activation="gelu"), TOKENS),
    "untied": (lambda: paper(norm="pre", tied_output=False, positions="learned"), TOKENS),
    "whisper": (whisper, SPOKEN),
    "gpt2": (gpt2, TOKENS),
    "llama": (llama, TOKENS),
    "bert": (bert, WORDS),
}
BITS = {"float32": 0.0, "float16": 2e-3, "bfloat16": 2e-2, "int16": 3e-3, "int8": 2e-2}


def made(name: str) -> Any:
    """A model with random norms and biases."""
    torch.manual_seed(4)
    model = MODELS[name][0]().eval()
    with torch.no_grad():
        for parameter in filter(lambda each: each.requires_grad, model.parameters()):
            parameter += 0.1 * torch.randn_like(parameter)
    return model


def written(folder: Path, name: str, kind: str = "float32", **options: Any) -> Any:
    model = made(name)
    write_folder(folder, model, MODELS[name][1], kind, **options)
    return model


def outputs(model: Any) -> Tensor:
    ids = torch.tensor([[5, 6, 7, 8, 3]])
    with torch.no_grad():
        if isinstance(model, SpeechEncoderDecoder):
            torch.manual_seed(2)
            result: Tensor = model(torch.randn(1, 8, 20), ids)
        elif isinstance(model, EncoderDecoder):
            result = model(ids, ids)
        else:
            result = model(ids)
        return result


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", MODELS)
def test_a_folder_has_the_numbers_of_its_model(name: str, kind: str, tmp_path: Path) -> None:
    model = written(tmp_path, name, kind)
    read = regard.from_pretrained(tmp_path)
    if kind in ("float32", "int8", "int16"):  # whose tables of positions are as they were
        assert {**vars(read.config), "dropout": 0} == {**vars(model.config), "dropout": 0}
    for ours, theirs in zip(read.state_dict().values(), model.state_dict().values(), strict=True):
        assert (ours - theirs).abs().max() <= BITS[kind] * theirs.abs().max()
    assert torch.isfinite(outputs(read)).all()
    if kind == "float32":
        assert torch.equal(outputs(read), outputs(model))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["pre-norm", "llama", "bert"])
def test_the_native_engine_computes_what_torch_does(name: str, kind: str, tmp_path: Path) -> None:
    written(tmp_path, name, kind)
    model, native = regard.from_pretrained(tmp_path), open_native(tmp_path)
    ids = np.array([[5, 6, 7, 8, 4]])
    if name == "bert":
        np.testing.assert_allclose(native(ids), outputs_of(model, ids), atol=2e-5)
        return
    config = GenerationConfig(max_new_tokens=6, num_beams=3, eos_token_id=3, pad_token_id=1)
    if name == "llama":
        [[ours, *_]] = native.generate(ids, config)
        [[theirs, *_]] = open_native(model).generate(ids, config)
    else:
        [[ours, *_]] = native.generate(ids, np.array([[2]]), config)
        [[theirs, *_]] = open_native(model).generate(ids, np.array([[2]]), config)
    assert ours.tokens == theirs.tokens
    assert ours.score == pytest.approx(theirs.score, abs=1e-5)


def outputs_of(model: Any, ids: Any) -> Any:
    with torch.no_grad():
        return model(torch.from_numpy(ids)).numpy()


def test_integers_stay_those_of_the_file(tmp_path: Path) -> None:
    written(tmp_path, "pre-norm", "int8")
    name = "decoder.layers.0.cross_attention.value.weight"
    stored = open_checkpoint(tmp_path).weights.stored(name)
    assert isinstance(stored, Scaled)
    content = (tmp_path / "model.bin").read_bytes()
    assert stored.integers.tobytes() in content
    assert stored.integers.max(1).max() == 127 or stored.integers.min(1).min() == -127
    taken = weights_of(tmp_path)[1][name]
    assert np.array_equal(taken.integers, stored.integers)
    # What int8 computes with is scaled by each row's largest number again: these are the integers.
    again = np.rint(np.asarray(stored) / (abs(np.asarray(stored)).max(1) / 127)[:, None])
    assert np.array_equal(again, stored.integers)


@pytest.mark.parametrize("version", range(2, 7))
def test_every_version_of_the_format_is_read(version: int, tmp_path: Path) -> None:
    kind = "int8" if version >= 4 else "float32"
    model = written(tmp_path, "paper", kind, version=version)
    read = regard.from_pretrained(tmp_path)
    assert (outputs(read) - outputs(model)).abs().max() < (0.3 if kind == "int8" else 1e-6)


def test_int16_without_scales_is_in_thousandths(tmp_path: Path) -> None:
    written(tmp_path, "gpt2")
    specification, arrays = variables_of(made("gpt2"))
    table = arrays["decoder/embeddings/weight"]
    whole = {**arrays, "decoder/embeddings/weight": np.rint(table * 1000).astype(np.int16)}
    whole["decoder/projection/weight"] = whole["decoder/embeddings/weight"]
    (tmp_path / "model.bin").write_bytes(file_of(specification, whole, "float32", version=6))
    table_read = regard.from_pretrained(tmp_path).state_dict()["decoder.embed.tokens.weight"]
    assert np.abs(table_read.numpy() - table).max() <= 0.00051


def test_a_model_that_starts_from_zeros_gets_a_token_of_zeros(tmp_path: Path) -> None:
    more = {"decoder/start_from_zero_embedding": np.int8(1)}
    written(tmp_path, "paper", "int8", more=more)
    model = regard.from_pretrained(tmp_path)
    config = model.config
    assert (config.vocab_size, config.pad_id, config.start_id) == (41, 40, 40)
    assert not model.state_dict()["decoder.embed.tokens.weight"][40].any()
    assert outputs(model)[..., 40].max() < -1e8  # and which is never written


def test_positions_that_the_file_lacks_are_counted_from_one(tmp_path: Path) -> None:
    gone = {f"{side}/position_encodings/encodings": None for side in ("encoder", "decoder")}
    written(tmp_path, "paper", more=gone)
    table = regard.from_pretrained(tmp_path).state_dict()["encoder.embed.positions.weight"]
    assert table.shape == (1024, 16)
    assert table[0, 0] == pytest.approx(np.sin(1))
    assert table[2, 15] == pytest.approx(np.cos(3e-4))  # the last frequency is 1 / 10,000 itself


def test_pairs_of_neighbors_are_rotated_as_halves(tmp_path: Path) -> None:
    halves, pairs = tmp_path / "halves", tmp_path / "pairs"
    written(halves, "llama")
    specification, arrays = variables_of(made("llama"))
    for name, array in list(arrays.items()):
        if name.endswith("/rotary_interleave"):
            arrays[name] = np.asarray(np.int8(1))
        if name.endswith("self_attention/linear_0/weight"):
            turned = array[:24].reshape(6, 2, 2, -1).swapaxes(1, 2).reshape(24, -1)
            arrays[name] = np.concatenate([turned, array[24:]])
    shutil.copytree(halves, pairs)
    (pairs / "model.bin").write_bytes(file_of(specification, arrays, "float32", version=6))
    assert torch.equal(
        outputs(regard.from_pretrained(halves)), outputs(regard.from_pretrained(pairs))
    )


@pytest.mark.parametrize("name", MODELS)
def test_a_folder_is_saved_in_the_layout_of_transformers(name: str, tmp_path: Path) -> None:
    written(tmp_path / "theirs", name)
    model = regard.from_pretrained(tmp_path / "theirs")
    if name == "untied":  # which no family of encoder–decoders with this norm has
        with pytest.raises(UnsupportedError):
            save_pretrained(model, tmp_path / "ours")
        return
    save_pretrained(model, tmp_path / "ours")
    saved = regard.from_pretrained(tmp_path / "ours")
    torch.testing.assert_close(outputs(saved), outputs(model), atol=1e-6, rtol=0)


def test_the_doctor_finds_nothing_wrong(tmp_path: Path) -> None:
    written(tmp_path, "bert", "int8")
    levels = {finding.level for finding in examine(open_checkpoint(tmp_path))}
    assert "wrong" not in levels


def translator(folder: Path, name: str = "unigram", **settings: Any) -> list[str]:
    """The tokens of a translator that is written: those of a SentencePiece file, reordered."""
    file = SENTENCEPIECE / f"{name}.model"
    special = ["<unk>", "<blank>", "<s>", "</s>"]
    pieces = [piece for piece, _ in read_sentencepiece(file).pieces]
    tokens = [*special, *(piece for piece in pieces[::-1] if piece not in (*special, "<pad>"))]
    torch.manual_seed(1)
    write_folder(folder, paper(vocab_size=len(tokens)), tokens, settings=settings)
    shutil.copy(file, folder / "sentencepiece.model")
    return tokens


@pytest.mark.parametrize("name", ["unigram", "bpe"])
def test_pieces_of_sentencepiece_have_the_ids_of_the_vocabulary(name: str, tmp_path: Path) -> None:
    tokens = translator(tmp_path, name)
    tokenizers = open_checkpoint(tmp_path).tokenizers
    pieces = [piece for piece, _ in read_sentencepiece(SENTENCEPIECE / f"{name}.model").pieces]
    assert tokenizers.joint
    cases = json.loads((SENTENCEPIECE / "expected.json").read_text(encoding="utf-8"))[name]
    for case in cases:
        ids = tokenizers.source.encode(case["text"])
        assert [tokens[id_] for id_ in ids] == [pieces[id_] for id_ in case["ids"]]


def test_ends_of_the_source_are_as_config_says(tmp_path: Path) -> None:
    translator(tmp_path / "none")
    translator(tmp_path / "both", add_source_bos=True, add_source_eos=True)
    none, both = (open_checkpoint(tmp_path / n).tokenizers.source for n in ("none", "both"))
    inside = none.inputs("man").ids
    assert both.inputs("man").ids == [2, *inside, 3]


def test_a_translator_translates_and_is_looked_into(tmp_path: Path) -> None:
    translator(tmp_path)
    loaded = regard.load(tmp_path)
    assert loaded.computed_by == "native fp32"
    assert isinstance(loaded("the old man", max_new_tokens=4), str)
    trace = loaded.trace("the old man", max_new_tokens=4)
    assert any("cross" in tap for tap in trace)


def test_what_is_looked_into_has_integers_times_their_scales(tmp_path: Path) -> None:
    written(tmp_path, "pre-norm", "int8")
    name = "encoder.layers.0.feed_forward.inner.weight"
    expected = regard.from_pretrained(tmp_path).state_dict()[name].numpy()
    assert np.array_equal(opened(open_checkpoint(tmp_path)).weight(name), expected)


def test_words_come_from_a_vocabulary_of_wordpieces(tmp_path: Path) -> None:
    written(tmp_path, "bert")
    assert open_checkpoint(tmp_path).tokenizers.source.inputs("The older man").ids == [
        2, 5, 6, 7, 8, 3,
    ]  # fmt: skip


def test_whispers_files_that_the_converter_leaves_out_are_made(tmp_path: Path) -> None:
    written(tmp_path, "whisper", settings={"suppress_ids": [4], "lang_ids": [3]})
    files = open_checkpoint(tmp_path).files
    generation = files.get("generation_config.json", {})
    assert generation["suppress_tokens"] == [4]
    assert "lang_to_id" not in generation  # of so few tokens, it knows one language
    assert files.get("preprocessor_config.json", {})["feature_size"] == 8


def test_a_file_of_the_folder_comes_before_what_is_made(tmp_path: Path) -> None:
    written(tmp_path, "whisper")
    (tmp_path / "generation_config.json").write_text('{"max_length": 9}')
    assert open_checkpoint(tmp_path).files.get("generation_config.json", {}) == {"max_length": 9}


@pytest.mark.parametrize(
    ("name", "more", "sentence"),
    [
        (
            "paper",
            {"encoder/layer_0/self_attention/gate": np.ones(1, np.float32)},
            "self_attention/gate",
        ),
        ("gpt2", {"decoder/alibi": np.int8(1)}, "decoder/alibi of .* is not implemented"),
        ("gpt2", {"decoder/pre_norm": np.int8(0)}, "decoder/pre_norm of"),
        ("paper", {"decoder/activation": np.int8(4)}, "must have the same activation"),
        ("paper", {"decoder/scale_embeddings": np.float32(3)}, "decoder/scale_embeddings of"),
        ("pre-norm", {"encoder/layer_norm/gamma": None}, "encoder without layer_norm"),
        ("llama", {"decoder/layer_0/self_attention/rotary_scaling_type": np.int8(1)}, "scaling"),
        ("llama", {"decoder/layer_1/self_attention/rotary_base": np.float32(5)}, "layer_1/.*base"),
        ("bert", {"encoder/layer_0/self_attention/rotary_dim": np.int32(0)}, "rotary positions"),
        ("bert", {"encoder/embeddings_merge": np.int8(0)}, "embeddings_merge"),
    ],
)
def test_what_regard_lacks_is_refused_by_its_name(
    name: str, more: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    written(tmp_path, name, more=more)
    with pytest.raises(UnsupportedError, match=sentence):
        open_checkpoint(tmp_path)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda content: content[:-40], "it ends after"),
        (lambda content: b"", r"is not a whole model .*it is empty"),
        (lambda content: struct.pack("<I", 9) + content[4:], "version 2 to 6"),
        (lambda content: content.replace(b"TransformerSpec", b"TransformedSpec"), "must be a "),
        (lambda content: content.replace(b"num_heads\0\0", b"num_heads\0\2"), "not a whole model"),
        (lambda content: content.replace(b"layer_0/", b"layer_7/"), "lacks some of the layers"),
        (lambda content: content.replace(b"gamma", b"gamme"), "not describe|not implemented"),
    ],
)
def test_a_damaged_file_is_one_sentence(
    change: Callable[[bytes], bytes], sentence: str, tmp_path: Path
) -> None:
    written(tmp_path, "paper")
    file = tmp_path / "model.bin"
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(RegardError, match=sentence) as refusal:
        open_checkpoint(tmp_path)
    assert str(file) in str(refusal.value)


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"decoder/num_heads": np.int16(0)}, "ZeroDivisionError"),
        ({"decoder/num_heads": np.int16(7)}, "7 and 7 heads"),
        ({"encoder/layer_0/ffn/linear_1/weight": np.ones((3, 24), np.float32)}, "linear_1/weight"),
        (
            {
                "encoder/layer_0/ffn/linear_1/weight": np.ones((16, 24), np.int8),
                "encoder/layer_0/ffn/linear_1/weight_scale": np.zeros(16, np.float32),
            },
            "16 scales for 16 rows, or zeros",
        ),
    ],
)
def test_settings_that_contradict_the_weights_are_refused(
    more: dict[str, Any], sentence: str, tmp_path: Path
) -> None:
    written(tmp_path, "paper", more=more)
    with pytest.raises(DamagedFileError, match=sentence):
        regard.from_pretrained(tmp_path)


def test_a_vocabulary_is_needed_and_must_fit(tmp_path: Path) -> None:
    written(tmp_path, "paper")
    (tmp_path / "shared_vocabulary.json").write_text(json.dumps(TOKENS[:-1]))
    with pytest.raises(DamagedFileError, match="39 tokens for a table of 40"):
        open_checkpoint(tmp_path)
    (tmp_path / "shared_vocabulary.json").write_text('{"a": 1}')
    with pytest.raises(DamagedFileError, match="must be a list of tokens"):
        open_checkpoint(tmp_path)
    (tmp_path / "shared_vocabulary.json").unlink()
    with pytest.raises(NotFoundError, match="has no vocabulary"):
        open_checkpoint(tmp_path)
    (tmp_path / "shared_vocabulary.txt").write_text("\n".join(TOKENS) + "\n")
    assert open_checkpoint(tmp_path).config.vocab_size == 40


def test_a_text_needs_a_file_that_says_how_it_is_divided(tmp_path: Path) -> None:
    written(tmp_path, "gpt2")
    with pytest.raises(NotFoundError, match=r"has no tokenizer, .* Copy tokenizer.json"):
        _ = open_checkpoint(tmp_path).tokenizers
    (tmp_path / "bpe.model").write_text("#version: 0.2\n")
    with pytest.raises(UnsupportedError, match="as Moses and subword-nmt"):
        _ = open_checkpoint(tmp_path).tokenizers


def test_no_mutant_breaks_the_reader_or_fills_the_memory(tmp_path: Path) -> None:
    written(tmp_path, "gpt2", "int8")
    file, random = tmp_path / "model.bin", Random(7)
    content = file.read_bytes()
    tracemalloc.start()
    for _ in range(60):
        file.write_bytes(damaged(content, random))
        try:
            checkpoint = open_checkpoint(tmp_path)
            read_state(checkpoint, checkpoint.config.shapes(), np, stored=True)
        except RegardError:
            pass
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


def test_the_hub_gives_its_weights() -> None:
    assert wanted("model.bin")
    assert not wanted("optimizer.bin")


def test_a_command_opens_it(tmp_path: Path) -> None:
    translator(tmp_path)
    call = ["translate", "--model", str(tmp_path), "the old man", "--max-new-tokens", "3"]
    assert CliRunner().invoke(app, call).exit_code == 0
