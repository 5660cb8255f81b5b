"""Small random models of transformers, one for each task of the pipelines."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

transformers = pytest.importorskip("transformers")


@pytest.fixture(scope="session")
def writer_folder(tmp_path_factory: pytest.TempPathFactory, byte_level: Any) -> Path:
    folder = tmp_path_factory.mktemp("gpt2")
    torch.manual_seed(7)
    config = transformers.GPT2Config(
        vocab_size=283, n_embd=12, n_layer=1, n_head=2, n_positions=64, bos_token_id=0,
        eos_token_id=0,
    )  # fmt: skip
    model = transformers.GPT2LMHeadModel(config)
    with torch.no_grad():
        for weight in model.parameters():
            weight += 0.3 * torch.randn_like(weight)
    model.save_pretrained(folder)
    end = "<|endoftext|>"
    template = "{% for m in messages %}{{ m.role }}: {{ m.content }} {% endfor %}"
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=byte_level,
        eos_token=end,
        pad_token=end,
        chat_template=template,
        model_max_length=64,
    ).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def image_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("vit")
    torch.manual_seed(5)
    config = transformers.ViTConfig(
        image_size=14, patch_size=7, hidden_size=12, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=17, num_labels=7,
    )  # fmt: skip
    transformers.ViTForImageClassification(config).save_pretrained(folder)
    transformers.ViTImageProcessor(size={"height": 14, "width": 14}).save_pretrained(folder)
    return folder


@pytest.fixture(scope="session")
def folders(
    tmp_path_factory: pytest.TempPathFactory,
    foreign: Callable[..., Any],
    encoder_folder: Callable[..., Path],
    writer_folder: Path,
    image_folder: Path,
) -> dict[str, Path]:
    """The folder of a model for each task."""
    bart, mbart = tmp_path_factory.mktemp("bart"), tmp_path_factory.mktemp("mbart50")
    foreign("bart", bart)
    foreign("mbart50", mbart)
    from fixtures.dual_encoders import save

    labels = {0: "contradiction", 1: "neutral", 2: "entailment"}
    entailment = {"id2label": labels, "label2id": {name: k for k, name in labels.items()}}
    return {
        "translation": mbart,
        "summarization": bart,
        "text2text-generation": bart,
        "text-generation": writer_folder,
        "text-classification": encoder_folder("Bert", "ForSequenceClassification", num_labels=5),
        "zero-shot-classification": encoder_folder(
            "Bert", "ForSequenceClassification", **entailment
        ),
        "token-classification": encoder_folder("Bert", "ForTokenClassification", num_labels=5),
        "question-answering": encoder_folder("Bert", "ForQuestionAnswering"),
        "fill-mask": encoder_folder("Bert", "ForMaskedLM"),
        "feature-extraction": encoder_folder("Bert", "Model"),
        "image-classification": image_folder,
        "zero-shot-image-classification": save("CLIP", tmp_path_factory.mktemp("clip")),
    }
