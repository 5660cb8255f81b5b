"""Low-rank adapters in PEFT's format: adapter_config.json and adapter_model.safetensors."""

import os
from pathlib import Path

from safetensors.torch import save_file
from torch import Tensor, nn

from regard.checkpoints.families import family_of
from regard.checkpoints.family import Place, places
from regard.files import whole_file, write_json
from regard.layers.low_rank import LowRankLinear

_PREFIX = "base_model.model."


def save_adapter(
    model: nn.Module, folder: str | os.PathLike[str], *, base_model: str, task_type: str
) -> None:
    """Writes what a model with adapters has learned: the adapters, and the weights of its head.

    Args:
        model: with `LowRankLinear` in place of some projections, and a module `head`.
        base_model: the name of the model that the adapters belong to.
        task_type: PEFT's name of the task, such as "SEQ_CLS". With "FEATURE_EXTRACTION" PEFT opens
            the body alone, whose names lack the first part: "bert".
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    names = {ours: place.name for ours, place in places(_plain_names(model)).items()}
    if task_type == "FEATURE_EXTRACTION":
        names = {ours: theirs.partition(".")[2] for ours, theirs in names.items()}
    tensors: dict[str, Tensor] = {}
    adapted: list[LowRankLinear] = []
    targets = set()
    for path, module in model.named_modules():
        if not isinstance(module, LowRankLinear):
            continue
        theirs = names[f"{path}.weight"].removesuffix(".weight")
        tensors[f"{_PREFIX}{theirs}.lora_A.weight"] = module.lora_A.detach().float().contiguous()
        tensors[f"{_PREFIX}{theirs}.lora_B.weight"] = module.lora_B.detach().float().contiguous()
        targets.add(theirs)
        adapted.append(module)
    saved = set()
    for name, parameter in model.named_parameters():
        if name.startswith("head.") and parameter.requires_grad:
            theirs = names[name]
            tensors[_PREFIX + theirs] = parameter.detach().float().contiguous()
            saved.add(theirs.rpartition(".")[0].removesuffix(".dense").rpartition(".")[2])
    rank = adapted[0].lora_A.shape[0]
    with whole_file(folder / "adapter_model.safetensors") as file:
        save_file(tensors, file, metadata={"format": "pt"})
    write_json(
        folder / "adapter_config.json",
        {
            "peft_type": "LORA",
            "task_type": task_type,
            "base_model_name_or_path": base_model,
            "r": rank,
            "lora_alpha": adapted[0].scale * rank,
            "lora_dropout": 0.0,
            "bias": "none",
            "fan_in_fan_out": False,
            "inference_mode": True,
            "target_modules": sorted(targets),
            "modules_to_save": sorted(saved) or None,
        },
    )


def _plain_names(model: nn.Module) -> dict[str, str | Place]:
    """The family's names of a model, the adapters' own left out."""
    names = family_of(model).names(model)
    return {ours: theirs for ours, theirs in names.items() if ".lora_" not in ours}
