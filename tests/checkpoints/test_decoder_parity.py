"""Each decoder-only family against transformers: numbers, gradients, tokens, files both ways."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from regard.checkpoints import from_pretrained, save_pretrained
from regard.checkpoints.families import family_of
from regard.checkpoints.family import places, to_theirs
from regard.generation import GenerationConfig, generate
from regard.models import Decoder

transformers = pytest.importorskip("transformers")

VOCAB, PAD, ENDS = 43, 1, (5, 6, 7, 8, 9, 10, 11)
GPT2 = dict(n_embd=20, n_layer=3, n_head=5, n_inner=44, n_positions=37)
SIZES = dict(hidden_size=28, intermediate_size=44, num_hidden_layers=3, num_attention_heads=7)
LLAMA3 = dict(rope_type="llama3", rope_theta=500.0, factor=4.0, low_freq_factor=1.0)
LLAMA3 |= dict(high_freq_factor=3.0, original_max_position_embeddings=16)
WIDE = SIZES | dict(num_key_value_heads=1, head_dim=6)  # head_dim ≠ d / h, seven queries to a key

HEADS = {f: f"{f}ForCausalLM" for f in ("Llama", "Mistral", "Qwen2")}
HEADS["GPT2"] = "GPT2LMHeadModel"

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "gpt2": ("GPT2", GPT2),
    "gpt2-untied": (
        "GPT2",
        GPT2 | dict(n_layer=1, tie_word_embeddings=False, n_inner=None, scale_attn_weights=False),
    ),
    "llama": ("Llama", WIDE | dict(rope_parameters=LLAMA3)),
    "llama-tied": (
        "Llama",
        SIZES
        | dict(num_hidden_layers=1, attention_bias=True, mlp_bias=True)
        # Linear scaling, and another epsilon that shows.
        | dict(tie_word_embeddings=True, rms_norm_eps=0.01)
        | dict(rope_parameters=dict(rope_type="linear", rope_theta=100.0, factor=2.0)),
    ),
    "mistral": ("Mistral", WIDE | dict(hidden_size=25, sliding_window=3)),
    "mistral-unlimited": ("Mistral", WIDE | dict(hidden_size=25, sliding_window=None)),
    "qwen2": (
        "Qwen2",
        WIDE | dict(use_sliding_window=True, sliding_window=3, max_window_layers=1),
    ),
    "qwen2-tied": ("Qwen2", SIZES | dict(num_key_value_heads=7, tie_word_embeddings=True)),
}


@pytest.fixture(scope="module", params=CASES)
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A random model of transformers, and what is loaded here from its files."""
    family, settings = CASES[request.param]
    torch.manual_seed(7)
    config = getattr(transformers, f"{family}Config")(
        vocab_size=VOCAB,
        bos_token_id=None,
        eos_token_id=list(ENDS),
        attn_implementation="eager",
        **settings,
    )
    theirs = getattr(transformers, HEADS[family])(config)
    for name, parameter in theirs.named_parameters():
        mean = 1.0 if "norm" in name or ".ln_" in name else 0.0
        torch.nn.init.normal_(parameter, mean=mean * name.endswith("weight"), std=0.25)
    folder = tmp_path_factory.mktemp(request.param)
    theirs.eval().save_pretrained(folder)
    return theirs, from_pretrained(folder)


def prompts(rows: int, longest: int) -> tuple[Tensor, Tensor]:
    """Random ids padded on the left, and which are tokens."""
    generator = torch.Generator().manual_seed(rows)
    ids = torch.randint(2, VOCAB, (rows, longest), generator=generator)
    lengths = torch.randint(1, longest + 1, (rows,), generator=generator)
    lengths[0] = longest
    mask = torch.arange(longest) >= longest - lengths[:, None]
    return ids.masked_fill(~mask, PAD), mask


def hidden_states(model: Decoder, ids: Tensor, mask: Tensor) -> list[Tensor]:
    """Embeddings, each layer's output but the last's, and that of the last norm."""
    states: list[Tensor] = []
    stack = model.decoder
    parts = [stack.embed, *stack.layers[:-1], stack.norm]
    hooks = [part.register_forward_hook(lambda *call: states.append(call[2])) for part in parts]
    model(ids, mask)
    for hook in hooks:
        hook.remove()
    return states


@torch.no_grad()
def test_logits_and_every_hidden_state_are_equal(pair: Any) -> None:
    theirs, ours = pair
    ids, mask = prompts(3, 11)
    positions = (mask.cumsum(1) - 1).clamp(min=0)
    expected = theirs(
        ids, attention_mask=mask.long(), position_ids=positions, output_hidden_states=True
    )
    close(ours(ids, mask)[mask], expected.logits[mask])
    states = hidden_states(ours, ids, mask)
    for state, wanted in zip(states, expected.hidden_states, strict=True):
        close(state[mask], wanted[mask])
    close(ours(ids), theirs(ids).logits)


def test_gradients_are_equal(pair: Any) -> None:
    theirs, ours = pair
    ids, _ = prompts(1, 11)
    weights = torch.randn(1, 11, VOCAB, generator=torch.Generator().manual_seed(1)) / 11
    (theirs(ids).logits * weights).sum().backward()
    (ours(ids) * weights).sum().backward()
    grads = {name: weight.grad for name, weight in ours.named_parameters()}
    table = places(family_of(ours).names(ours))
    mapped = to_theirs(table, grads)  # type: ignore[arg-type]
    expected = {name: weight.grad for name, weight in theirs.named_parameters()}
    theirs.zero_grad(), ours.zero_grad()
    assert mapped.keys() == expected.keys()
    for name, grad in expected.items():
        close(mapped[name], grad, 1e-4)


@pytest.mark.parametrize("beams", [1, 4])
def test_tokens_are_equal_with_padding_on_either_side(pair: Any, beams: int) -> None:
    theirs, ours = pair
    ids, mask = prompts(50, 7)
    settings = dict(max_new_tokens=6, num_beams=beams)
    expected = theirs.generate(
        ids, attention_mask=mask.long(), pad_token_id=PAD, do_sample=False, **settings
    )[:, 7:].tolist()
    config = GenerationConfig(**settings, eos_token_id=ENDS)  # type: ignore[arg-type]
    # Every other row has its padding on the right.
    order = mask.sort(dim=1, descending=True, stable=True).indices
    order[::2] = torch.arange(7)
    ids, mask = ids.gather(1, order), mask.gather(1, order)
    found = generate(ours.start(mask), ids, config, prompt_mask=mask)
    tokens = [[*best[0].tokens, *[PAD] * 6][: len(expected[0])] for best in found]
    assert tokens == expected
    assert len({len(best[0].tokens) for best in found}) > 1  # some ended sooner


@torch.no_grad()
def test_what_is_saved_here_opens_there(pair: Any, tmp_path: Path) -> None:
    theirs, ours = pair
    save_pretrained(ours, tmp_path)
    opened, info = transformers.AutoModelForCausalLM.from_pretrained(
        tmp_path, attn_implementation="eager", output_loading_info=True
    )
    assert not any(info.values()), info
    ids, _ = prompts(2, 11)
    assert torch.equal(opened(ids).logits, theirs(ids).logits)
    again = from_pretrained(tmp_path)
    assert again.config == ours.config
    assert torch.equal(again(ids), ours(ids))


def close(actual: Tensor, expected: Tensor, tolerance: float = 1e-5) -> None:
    torch.testing.assert_close(actual, expected, rtol=0, atol=tolerance)
