"""Families and architectures of scripts in benchmarks, and small models saved as folders."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

transformers = pytest.importorskip("transformers", reason="transformers is an optional extra")

WORDS = ["the", "cat", "sat", "on", "a", "mat", ".", "Die", "Katze", "war", "da"]
SPECIAL = ["<pad>", "<s>", "</s>", "<unk>"]


def script(name: str) -> ModuleType:
    """A module of the folder of benchmarks."""
    sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
    try:
        return import_module(name)
    finally:
        sys.path.pop(0)


@pytest.fixture(scope="session")
def families() -> ModuleType:
    """The script that measures what these tests assert."""
    return script("families")


@pytest.fixture(scope="session")
def architectures() -> ModuleType:
    """The script that walks the registry of transformers."""
    return script("architectures")


@pytest.fixture(scope="session")
def family(families: ModuleType) -> Callable[[str], tuple[Any, dict[str, Any]]]:
    """A model of the family, and inputs: a batch of a full and a padded text, or two images."""
    known = {each.name: each for each in families.FAMILIES}

    def build(name: str) -> tuple[Any, dict[str, Any]]:
        return families.build(known[name]), families.inputs_of(known[name])

    return build


@pytest.fixture(scope="session")
def tokenizer() -> Any:
    """Words at a space, with the space kept as ▁; the end of sentence is added."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    vocabulary = {name: id_ for id_, name in enumerate([*SPECIAL, *("▁" + word for word in WORDS)])}
    fast = Tokenizer(models.WordLevel(vocabulary, unk_token="<unk>"))
    fast.pre_tokenizer = pre_tokenizers.Metaspace()
    fast.decoder = decoders.Metaspace()
    fast.post_processor = processors.TemplateProcessing(
        single="$A </s>", special_tokens=[("</s>", 2)]
    )
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=fast,
        pad_token="<pad>",
        bos_token="<s>",
        eos_token="</s>",
        unk_token="<unk>",
    )


@pytest.fixture(scope="session")
def folder(
    family: Any, tokenizer: Any, tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str], Path]:
    """The model of a family saved with its tokenizer or image processor, once."""
    saved: dict[str, Path] = {}

    def save(name: str) -> Path:
        if name not in saved:
            saved[name] = tmp_path_factory.mktemp(name.lower())
            model, inputs = family(name)
            model.save_pretrained(saved[name])
            if "pixel_values" in inputs:
                from transformers.models.vit.image_processing_pil_vit import ViTImageProcessorPil

                size = {"height": 24, "width": 24}
                ViTImageProcessorPil(size=size).save_pretrained(saved[name])
            else:
                tokenizer.save_pretrained(saved[name])
        return saved[name]

    return save


@pytest.fixture
def small(families: ModuleType) -> dict[str, Any]:
    """Keywords of a small configuration with rotary positions."""
    torch.manual_seed(3)
    return dict(families.ROTARY)
