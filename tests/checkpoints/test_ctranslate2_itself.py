"""The same folders in ctranslate2 itself: where it is installed, it writes the same tokens."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from checkpoints.test_ctranslate2 import MODELS, SPOKEN, TOKENS, made, write_folder
from fixtures.ctranslate2 import KINDS
from regard.checkpoints import open_checkpoint
from regard.engine.native.loading import open_native
from regard.generation import GenerationConfig, generate

ctranslate2 = pytest.importorskip("ctranslate2", reason="pip install ctranslate2")
TEXTS = [[5 + (7 * row + 3 * place) % 30 for place in range(4 + row % 5)] for row in range(40)]


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def written(folder: Path, name: str, kind: str) -> Any:
    write_folder(folder, made(name), MODELS[name][1], kind)
    return open_native(open_checkpoint(folder))


@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("name", ["paper", "pre-norm", "untied"])
def test_translators(name: str, kind: str, beams: int, tmp_path: Path) -> None:
    native = written(tmp_path, name, kind)
    theirs = ctranslate2.Translator(str(tmp_path), compute_type="float32").translate_batch(
        [[TOKENS[id_] for id_ in text] for text in TEXTS],
        beam_size=beams,
        max_decoding_length=10,
        min_decoding_length=0,
        return_scores=True,
    )
    padded = np.array([[*text, *[1] * (8 - len(text))] for text in TEXTS])
    config = GenerationConfig(num_beams=beams, max_new_tokens=10, eos_token_id=3, pad_token_id=1)
    ours = native.generate(padded, np.full((len(TEXTS), 1), 2), config)
    for [hypothesis, *_], their in zip(ours, theirs, strict=True):
        assert [TOKENS[id_] for id_ in hypothesis.tokens if id_ != 3] == their.hypotheses[0]
        if beams > 1:
            assert hypothesis.score == pytest.approx(their.scores[0], abs=1e-4)


NO_TABLES = {f"{side}/position_encodings/encodings": None for side in ("encoder", "decoder")}


@pytest.mark.parametrize("more", [NO_TABLES, {"decoder/start_from_zero_embedding": np.int8(1)}])
def test_computed_positions_and_a_start_without_a_vector(
    more: dict[str, Any], tmp_path: Path
) -> None:
    write_folder(tmp_path, made("paper"), TOKENS, more=more)
    checkpoint = open_checkpoint(tmp_path)
    pad, start = checkpoint.config.pad_id, checkpoint.config.start_id
    padded = np.array([[*text, *[pad] * (8 - len(text))] for text in TEXTS])
    config = GenerationConfig(max_new_tokens=10, eos_token_id=3, pad_token_id=pad)
    ours = open_native(checkpoint).generate(padded, np.full((len(TEXTS), 1), start), config)
    theirs = ctranslate2.Translator(str(tmp_path), compute_type="float32").translate_batch(
        [[TOKENS[id_] for id_ in text] for text in TEXTS],
        beam_size=1,
        max_decoding_length=10,
        min_decoding_length=0,
    )
    for [hypothesis, *_], their in zip(ours, theirs, strict=True):
        assert [TOKENS[id_] for id_ in hypothesis.tokens if id_ != 3] == their.hypotheses[0]


@pytest.mark.parametrize("beams", [1, 4])
@pytest.mark.parametrize("name", ["gpt2", "llama"])
def test_decoders(name: str, kind: str, beams: int, tmp_path: Path) -> None:
    native = written(tmp_path, name, kind)
    prompts = [text[:4] for text in TEXTS]
    theirs = ctranslate2.Generator(str(tmp_path), compute_type="float32").generate_batch(
        [[TOKENS[id_] for id_ in text] for text in prompts],
        beam_size=beams,
        max_length=8,
        include_prompt_in_result=False,
    )
    config = GenerationConfig(num_beams=beams, max_new_tokens=8, eos_token_id=3, pad_token_id=1)
    for [hypothesis, *_], their in zip(
        native.generate(np.array(prompts), config), theirs, strict=True
    ):
        assert [id_ for id_ in hypothesis.tokens if id_ != 3] == their.sequences_ids[0]


def test_encoders(kind: str, tmp_path: Path) -> None:
    native = written(tmp_path, "bert", kind)
    ids = np.array([[2, 5, 6, 7, 8, 3], [2, 8, 8, 5, 6, 3]])
    theirs = ctranslate2.Encoder(str(tmp_path), compute_type="float32").forward_batch(
        ids.tolist(), token_type_ids=np.zeros_like(ids).tolist()
    )
    pooled = np.array(theirs.pooler_output)
    np.testing.assert_allclose(native(ids).reshape(pooled.shape), pooled, atol=2e-4)


def test_sounds(kind: str, tmp_path: Path) -> None:
    native = written(tmp_path, "whisper", kind)
    sounds = np.random.default_rng(1).normal(size=(3, 8, 20)).astype(np.float32)
    settings = json.loads((tmp_path / "config.json").read_text())
    settings |= {
        "suppress_ids": [],
        "suppress_ids_begin": [],
        "lang_ids": [],
        "alignment_heads": [],
    }
    (tmp_path / "config.json").write_text(json.dumps(settings))
    theirs = ctranslate2.models.Whisper(str(tmp_path), compute_type="float32").generate(
        ctranslate2.StorageView.from_array(sounds),
        [[1, 32, 35, 36]] * 3,
        beam_size=1,
        max_length=16,
        suppress_blank=False,
    )
    config = GenerationConfig(
        max_new_tokens=10, eos_token_id=0, pad_token_id=0, decoder_start_token_id=1
    )
    ours = generate(native.start(sounds), np.array([[1, 32, 35, 36]] * 3), config)
    for [hypothesis, *_], their in zip(ours, theirs, strict=True):
        length = len(their.sequences_ids[0])
        written_ids = [id_ for id_ in hypothesis.tokens if id_ != SPOKEN.index("<|endoftext|>")]
        assert length > 0
        assert written_ids[:length] == their.sequences_ids[0]
