"""ViT: what transformers saves opens here, and the other way round."""

import json
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from regard import RegardError
from regard.checkpoints import from_pretrained, save_pretrained
from regard.checkpoints.families import family_for
from regard.models import VisionConfig, VisionTransformer

transformers = pytest.importorskip("transformers")

BATCH, CHANNELS, HEIGHT, WIDTH = 2, 3, 6, 10
SIZES = dict(
    hidden_size=15,
    num_hidden_layers=2,
    num_attention_heads=3,
    intermediate_size=22,
    image_size=[HEIGHT, WIDTH],
    patch_size=[3, 2],
    layer_norm_eps=1e-3,
)
every_head = pytest.mark.parametrize("head", ["Model", "ForImageClassification"])


def reference(head: str, **changes: Any) -> Any:
    torch.manual_seed(19)
    config = transformers.ViTConfig(num_labels=5, **(SIZES | changes))
    model = getattr(transformers, f"ViT{head}")(config)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter += 0.3 * torch.randn_like(parameter)
    model.set_attn_implementation("eager")  # its own arithmetic, not the kernel that we call too
    return model.eval()


def pixels() -> Tensor:
    torch.manual_seed(23)
    return torch.randn(BATCH, CHANNELS, HEIGHT, WIDTH)


def answer(output: Any, head: str) -> Tensor:
    return output.pooler_output if head == "Model" else output.logits


@every_head
@pytest.mark.parametrize("bias", [True, False])
def test_logits_and_every_hidden_state_are_those_of_transformers(
    head: str, bias: bool, tmp_path: Path
) -> None:
    theirs = reference(head, qkv_bias=bias)
    theirs.save_pretrained(tmp_path)
    ours = from_pretrained(tmp_path)
    hidden: list[Tensor] = []
    for module in (ours.embed, *ours.encoder.layers):
        module.register_forward_hook(lambda _module, _inputs, output: hidden.append(output))
    with torch.no_grad():
        output = ours(pixels())
        expected = theirs(pixels(), output_hidden_states=True)
    assert len(hidden) == len(expected.hidden_states) == 3
    for mine, wanted in zip(hidden, expected.hidden_states, strict=True):
        torch.testing.assert_close(mine, wanted, atol=1e-5, rtol=0)
    torch.testing.assert_close(output, answer(expected, head), atol=1e-5, rtol=0)


def test_gradients_are_those_of_transformers(tmp_path: Path) -> None:
    theirs = reference("ForImageClassification")
    theirs.save_pretrained(tmp_path)
    ours = from_pretrained(tmp_path)
    image = [pixels().requires_grad_(), pixels().requires_grad_()]
    ours(image[0]).square().sum().mul(0.01).backward()
    theirs(image[1]).logits.square().sum().mul(0.01).backward()
    torch.testing.assert_close(image[0].grad, image[1].grad, atol=1e-4, rtol=0)
    assert ours.embed.positions.grad is not None
    torch.testing.assert_close(
        ours.embed.positions.grad,
        theirs.vit.embeddings.position_embeddings.grad,
        atol=1e-4,
        rtol=0,
    )


@every_head
def test_what_is_saved_here_opens_there(head: str, tmp_path: Path) -> None:
    reference(head, qkv_bias=False).save_pretrained(tmp_path / "theirs")
    ours = from_pretrained(tmp_path / "theirs")
    save_pretrained(ours, tmp_path / "ours")
    assert from_pretrained(tmp_path / "ours").config == ours.config
    again, loading = getattr(transformers, f"ViT{head}").from_pretrained(
        tmp_path / "ours", output_loading_info=True
    )
    assert not any(loading.values()), loading
    with torch.no_grad():
        expected = answer(again.eval()(pixels()), head)
        torch.testing.assert_close(ours(pixels()), expected, atol=1e-5, rtol=0)


def test_a_grid_of_positions_comes_back_as_one(tmp_path: Path) -> None:
    config = VisionConfig(
        (HEIGHT, WIDTH), (3, 2), d_model=12, num_layers=1, num_heads=3, d_ff=22, positions="grid"
    )
    model = VisionTransformer(config).eval()
    save_pretrained(model, tmp_path)
    again = from_pretrained(tmp_path)
    assert again.config == config
    assert not again.embed.positions.requires_grad
    assert torch.equal(again(pixels()), model(pixels()))


def test_square_sizes_are_one_number_in_config_json() -> None:
    family = family_for("vit", where="the test")
    settings = family.to_config(VisionConfig())
    assert (settings["image_size"], settings["patch_size"]) == (224, 16)
    assert family.from_config(settings) == VisionConfig()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"pooler_act": "relu"}, "pooler_act must be 'tanh'"),
        ({"pooler_output_size": 7}, "pooler_output_size must be 15"),
        ({"architectures": ["ViTForMaskedImageModeling"]}, "ViTForMaskedImageModeling"),
    ],
)
def test_what_we_have_not_is_refused_by_name(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    reference("Model").save_pretrained(tmp_path)
    file = tmp_path / "config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(RegardError, match=message):
        from_pretrained(tmp_path)
