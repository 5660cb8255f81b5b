"""A language model in the native engine writes what `generation` writes with the model itself."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from fixtures.covering import parametrize
from fixtures.families import DECODERS, VOCAB, config_of, small
from fixtures.searches import check_every_search, same_hypotheses
from regard import RegardError
from regard.checkpoints import save_pretrained
from regard.engine.native import library
from regard.engine.native.decodes import NativeDecoder
from regard.engine.native.loading import open_native
from regard.generation import GenerationConfig, Hypothesis, generate
from regard.models import Decoder
from regard.models.positions import LinearScaling, YarnScaling, alibi, alibi_slopes

IDS = np.array([[5, 9, 2, 30, 7, 11, 1], [8, 3, 3, 14, 29, 17, 4]])
MASK = np.array([[1, 1, 1, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1, 0]]).astype(bool)
KERNELS = library.kernels()
GROUPS = dict(num_heads=6, num_key_heads=2)  # of the family "llama"
YARN = YarnScaling(4.0, 1.3, original_max_position_embeddings=8)
# Families, and changes of one.
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {name: (name, {}) for name in DECODERS} | {
    "linear": ("llama", GROUPS | dict(rotary_scaling=LinearScaling(3.0))),
    "yarn": ("llama", GROUPS | dict(rotary_theta=20.0, rotary_scaling=YARN)),
    "a wide window": ("llama", GROUPS | dict(window=500)),
    "windowed GPT-2": ("gpt2", dict(window=4, activation="gelu", score="dot")),
    "wide heads": ("llama", GROUPS | dict(head_dim=34, tied_output=True, d_ff=70)),
    "normalized heads": (
        "llama",
        GROUPS | dict(query_key_norm="head", norm_eps=0.1, attention_bias=True),
    ),
    "untied": ("gpt2", dict(tied_output=False, attention_bias=False, gated=True)),
}


def opened(model: Decoder, precision: str = "fp32", **options: int) -> NativeDecoder:
    native = open_native(model, precision, **options)
    assert isinstance(native, NativeDecoder)
    return native


def prompts(count: int, longest: int) -> tuple[np.ndarray, np.ndarray]:
    """Texts of any length, and their masks: padding, which is some token, is on either side."""
    draw = np.random.default_rng(5)
    mask = np.zeros((count, longest), bool)
    for row in mask:
        length = draw.integers(1, longest + 1)
        start = draw.integers(0, longest - length + 1)
        row[start : start + length] = True
    return draw.integers(2, VOCAB, mask.shape), mask


def by_torch(
    model: Decoder, prompt: np.ndarray, mask: np.ndarray, config: GenerationConfig
) -> list[list[Hypothesis]]:
    read = torch.from_numpy(mask)
    with torch.no_grad():
        return generate(model.start(read), torch.from_numpy(prompt), config, prompt_mask=read)


def by_engine(
    native: NativeDecoder, prompt: np.ndarray, mask: np.ndarray, config: GenerationConfig
) -> list[list[Hypothesis]]:
    return native.generate(prompt, config, prompt_mask=mask)


@parametrize("variant, kernels, mask", VARIANTS, range(len(KERNELS)), [None, MASK])
@torch.no_grad()
def test_prompt_and_steps_of_every_family_are_the_models_by_all_kernels(
    variant: str, kernels: int, mask: np.ndarray | None, same: Callable[..., None]
) -> None:
    family, changes = VARIANTS[variant]
    model = small(family, **changes)
    expected = model.start(None if mask is None else torch.from_numpy(mask))
    got = opened(model, kernels=kernels).start(mask)
    same(got.step(IDS), expected.step(torch.from_numpy(IDS)))
    for tokens in IDS.T[2:5]:
        same(got.step(tokens), expected.step(torch.from_numpy(tokens)))
    rows, several = np.array([1, 0, 1]), np.array([[3, 4], [5, 6], [7, 8]])
    got.select(rows)
    expected.select(torch.from_numpy(rows))
    same(got.step(several), expected.step(torch.from_numpy(several)))


@pytest.mark.parametrize("name", DECODERS)
@torch.no_grad()
def test_a_folder_is_opened_as_its_model(
    name: str, same: Callable[..., None], tmp_path: Path
) -> None:
    phi3 = dict(num_heads=2, head_dim=7, joined_projections=True) if name == "phi3" else {}
    qwen2 = dict(attention_output_bias=False) if name == "qwen2" else {}
    model = small(name, **phi3 | qwen2)
    save_pretrained(model, tmp_path)
    native = open_native(tmp_path)
    assert isinstance(native, NativeDecoder)
    same(native.start().step(IDS), model(torch.from_numpy(IDS))[:, -1])


@pytest.mark.parametrize(("precision", "error"), [("fp32", 1e-5), ("bf16", 0.02), ("int8", 0.05)])
@pytest.mark.parametrize("name", ["mixtral", "gpt_oss"])
@torch.no_grad()
def test_experts_in_fewer_bits_are_near_the_models(name: str, precision: str, error: float) -> None:
    sizes = dict(d_model=64, num_heads=4, num_key_heads=2, head_dim=16, d_ff=96)
    torch.manual_seed(3)
    model = Decoder(config_of(name, **sizes)).eval()
    for parameter in model.parameters():
        nn.init.normal_(parameter, mean=float(parameter.ndim == 1), std=0.1)
    expected = model(torch.from_numpy(IDS))[:, -1].numpy()
    got = opened(model, precision).start().step(IDS)
    assert abs(got - expected).max() < error * expected.std()


@pytest.mark.parametrize("window", [None, 37, 300])
@torch.no_grad()
def test_a_long_prompt_is_the_models_and_has_the_same_bits_in_pieces_and_in_company(
    window: int | None, same: Callable[..., None]
) -> None:
    model = small("llama", **GROUPS, window=window)
    native = opened(model)
    long = np.random.default_rng(1).integers(0, VOCAB, (1, 601))
    whole, pieces, step = native.start(), native.start(), np.array([7])
    logits = whole.step(long)
    same(logits, model(torch.from_numpy(long))[:, -1])
    for piece in np.array_split(long, 4, axis=1):
        last = pieces.step(piece)
    mask = np.ones((3, 601), bool)
    mask[0, :300] = mask[2, 2:] = False
    company = native.start(mask)
    assert (last == logits).all()
    assert (company.step(np.repeat(long, 3, 0))[1] == logits[0]).all()
    after = whole.step(step)[0]
    assert (pieces.step(step)[0] == after).all()
    assert (company.step(np.array([3, 7, 1]))[1] == after).all()


class Alibi(nn.Module):
    """A penalty on scores by distance, as a stack's bias."""

    def __init__(self, heads: int, reach: int):
        super().__init__()
        self.slopes, self.reach = alibi_slopes(heads), reach

    def forward(self, queries: int, keys: int) -> Tensor:
        return alibi(self.slopes, queries, keys)

    def by_distance(self) -> Tensor:
        distances = torch.arange(-self.reach, self.reach + 1).abs()
        return -distances[:, None] * self.slopes


@torch.no_grad()
def test_a_bias_by_distance_is_that_of_alibi(same: Callable[..., None]) -> None:
    model = small("llama", **GROUPS)
    model.decoder.relative_bias = Alibi(6, 40)  # type: ignore[assignment]
    expected, got = model.start(), opened(model).start()
    same(got.step(IDS), expected.step(torch.from_numpy(IDS)))
    for tokens in IDS.T[2:5]:
        same(got.step(tokens), expected.step(torch.from_numpy(tokens)))


@pytest.mark.parametrize("family", DECODERS)
def test_every_search_writes_token_for_token_what_torch_writes(family: str) -> None:
    model = small(family)
    native, (prompt, mask) = opened(model), prompts(4, 9)
    check_every_search(
        2,
        lambda config: by_engine(native, prompt, mask, config),
        lambda config: by_torch(model, prompt, mask, config),
    )


@parametrize(
    "precision, kernels, beams, more",
    library.PRECISIONS,
    range(len(KERNELS)),
    [1, 3],
    [{}, dict(experts=5, sinks=True)],
)
def test_a_text_has_the_same_bits_alone_and_in_any_company(
    precision: str, kernels: int, beams: int, more: dict[str, Any]
) -> None:
    model, (prompt, mask) = small("llama", **GROUPS | dict(window=21) | more), prompts(19, 40)
    config = GenerationConfig(
        max_new_tokens=9,
        num_beams=beams,
        alternatives=beams,
        eos_token_id=1,
        repetition_penalty=1.2,
        no_repeat_ngram_size=2,
    )
    one, four = (opened(model, precision, kernels=kernels, threads=each) for each in (1, 4))
    alone = [by_engine(one, prompt[k : k + 1], mask[k : k + 1], config)[0] for k in range(19)]
    assert by_engine(one, prompt, mask, config) == alone
    assert by_engine(four, prompt[::-1], mask[::-1], config)[::-1] == alone


@pytest.mark.parametrize(
    "changes",
    [
        dict(do_sample=True, alternatives=2, top_k=9, seed=4),
        dict(num_beams=3, forced_phrases=[[[6, 2]]]),
    ],
    ids=["samples", "phrases"],
)
def test_what_the_engine_has_no_rule_for_is_searched_in_python(changes: dict[str, Any]) -> None:
    model, (prompt, mask) = small("qwen2"), prompts(3, 8)
    config = GenerationConfig(max_new_tokens=6, eos_token_id=1, **changes)
    got = by_engine(opened(model), prompt, mask, config)
    assert same_hypotheses(got, by_torch(model, prompt, mask, config)) == 0


def test_an_ending_by_a_function_is_followed() -> None:
    model, (prompt, _) = small("gpt2"), prompts(3, 8)
    config = GenerationConfig(max_new_tokens=9)

    def ends(tokens: Any) -> bool:
        return sum(tokens) > 40

    with torch.no_grad():
        expected = generate(model.start(), torch.from_numpy(prompt), config, ends=ends)
    assert same_hypotheses(opened(model).generate(prompt, config, ends=ends), expected) == 0


@pytest.mark.parametrize(
    ("prompt", "mask", "message"),
    [
        ([[5, 31]], None, "from 0 to 30; got 31"),
        ([[5, -1]], None, "from 0 to 30; got -1"),
        ([[7] * 24], None, "has 23 positions; got a sequence of 24"),
        ([[7] * 21], None, "has 23 positions; got a sequence of 24"),
        ([[5, 6]], [[True]], "must be boolean and of the prompt's shape"),
        ([[]], None, "at least one token"),
    ],
)
def test_prompts_that_cannot_be_read_are_refused_as_torch_refuses_them(
    prompt: list[list[int]], mask: Any, message: str
) -> None:
    model = small("gpt2")
    ids, config = np.array(prompt, np.int64), GenerationConfig(max_new_tokens=4)
    read = None if mask is None else np.array(mask)
    with pytest.raises(RegardError, match=message):
        opened(model).generate(ids, config, prompt_mask=read)
    tensor = None if read is None else torch.from_numpy(read)
    with torch.no_grad(), pytest.raises(RegardError, match=message):
        generate(model.start(tensor), torch.from_numpy(ids), config, prompt_mask=tensor)


def test_a_text_without_tokens_is_refused() -> None:
    mask = np.array([[True, True], [False, False]])
    with pytest.raises(RegardError, match="each row must read at least one token"):
        opened(small("llama", **GROUPS)).start(mask).step(IDS[:, :2])


def test_no_prompts_have_no_texts() -> None:
    native = opened(small("llama", **GROUPS))
    assert native.generate(np.zeros((0, 3), np.int64), GenerationConfig(max_new_tokens=2)) == []
