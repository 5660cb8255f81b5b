"""ONNX Runtime by its own tools: torch's export of an encoder, quantized by quantize_dynamic."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

os.environ["ORT_DISABLE_TELEMETRY"] = "1"
import onnxruntime


class States(torch.nn.Module):
    """An encoder's last states alone, (batch, length, d_model), of ids and mask."""

    def __init__(self, model: Any):
        super().__init__()
        self.model = model

    def forward(self, ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        states: torch.Tensor = self.model(input_ids=ids, attention_mask=mask)[0]
        return states


def exported(folder: Path) -> Path:
    """The file of the quantized model; it is made if it is not there."""
    from onnxruntime.quantization import QuantType, quantize_dynamic
    from transformers import BertModel

    exact, coarse = folder / "exported.onnx", folder / "dynamic.onnx"
    if not coarse.is_file():
        model = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
        model.config.return_dict = model.config.use_cache = False
        ids = torch.ones(2, 5, dtype=torch.long)
        axes = {0: "batch", 1: "length"}
        names = ["input_ids", "attention_mask"]
        torch.onnx.export(
            States(model),
            (ids, ids),
            exact,
            input_names=names,
            output_names=["states"],
            dynamic_axes=dict.fromkeys((*names, "states"), axes),
            opset_version=17,
            dynamo=False,
        )
        quantize_dynamic(exact, coarse, weight_type=QuantType.QInt8)
    return coarse


def opened(folder: Path, threads: int, workers: int) -> Callable[[dict[str, Any]], Any]:
    """See `engine.Open`."""
    assert workers == 1
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(
        str(exported(folder)), options, providers=["CPUExecutionProvider"]
    )

    def compute(case: dict[str, Any]) -> list[int]:
        ids = np.array(case["ids"])
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids)}
        return list(session.run(["states"], inputs)[0].shape)

    return compute
