"""Low-rank adapters in PEFT's format: adapter_config.json and adapter_model.safetensors."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional

from regard.checkpoints.families import family_of
from regard.checkpoints.family import Place, places
from regard.files import whole_file, write_json
from regard.models.layers.low_rank import LowRankLinear

_PREFIX = "base_model.model."


def save_adapter(
    model: nn.Module, folder: str | os.PathLike[str], *, base_model: str, task_type: str
) -> None:
    """Write what a model with adapters has learned: the adapters, and the weights of its head.

    Args:
        model: with `LowRankLinear` in place of some projections, and a module `head`.
        base_model: the name of the model that the adapters belong to.
        task_type: PEFT's name of the task, such as "SEQ_CLS". With "FEATURE_EXTRACTION" PEFT opens
            the body alone, whose names lack the first part: "bert".
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    names = family_of(model).names(model.config, model.state_dict())
    where = places({ours: theirs for ours, theirs in names.items() if ".lora_" not in ours})
    if task_type == "FEATURE_EXTRACTION":
        where = {
            ours: replace(place, name=place.name.partition(".")[2]) for ours, place in where.items()
        }
    adapted: dict[str, dict[Place, LowRankLinear]] = {}  # by the name of their module
    for path, module in model.named_modules():
        if isinstance(module, LowRankLinear):
            place = where[f"{path}.weight"]
            adapted.setdefault(place.name.removesuffix(".weight"), {})[place] = module
    tensors: dict[str, Tensor] = {}
    for theirs, parts in adapted.items():
        down, up = _joined(parts)
        tensors[f"{_PREFIX}{theirs}.lora_A.weight"] = down
        tensors[f"{_PREFIX}{theirs}.lora_B.weight"] = up
    saved = set()
    for name, parameter in model.named_parameters():
        if name.startswith("head.") and parameter.requires_grad:
            theirs = where[name].name
            tensors[_PREFIX + theirs] = parameter.detach().float().contiguous()
            path = theirs.rpartition(".")[0]
            saved.add((path.rpartition(".")[0] or path).rpartition(".")[2])
    first = next(module for parts in adapted.values() for module in parts.values())
    rank = first.lora_A.shape[0]
    joined = {theirs: len(parts) for theirs, parts in adapted.items() if len(parts) > 1}
    with whole_file(folder / "adapter_model.safetensors") as file:
        save_file(tensors, file, metadata={"format": "pt"})
    write_json(
        folder / "adapter_config.json",
        {
            "peft_type": "LORA",
            "task_type": task_type,
            "base_model_name_or_path": base_model,
            "r": rank,
            "lora_alpha": first.scale * rank,
            "rank_pattern": {theirs: count * rank for theirs, count in joined.items()},
            "alpha_pattern": {
                theirs: first.scale * count * rank for theirs, count in joined.items()
            },
            "lora_dropout": 0.0,
            "bias": "none",
            "fan_in_fan_out": all(
                place.transposed for parts in adapted.values() for place in parts
            ),
            "inference_mode": True,
            "target_modules": sorted(adapted),
            "modules_to_save": sorted(saved) or None,
        },
    )


def _joined(parts: Mapping[Place, LowRankLinear]) -> tuple[Tensor, Tensor]:
    """Return a and B of one of their modules, which may be several of ours side by side (GPT-2's
    c_attn): the rows of all A, and every B in the rows and columns of its own."""
    columns = []
    for place, module in parts.items():
        rows = len(module.lora_B) // place.span
        around = rows * place.part, rows * (place.parts - place.part - place.span)
        columns.append(functional.pad(module.lora_B, (0, 0, *around)))
    down = torch.cat([module.lora_A for module in parts.values()])
    return down.detach().float().contiguous(), torch.cat(columns, 1).detach().float().contiguous()
