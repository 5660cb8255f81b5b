"""OpenVINO: torch's export of an encoder, weights in int8, activations quantized as it runs."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import openvino
from by_onnxruntime import exported
from openvino import opset13 as ops


def compressed(model: openvino.Model) -> openvino.Model:
    """The model with every product's weights as int8 with a scale for each column."""
    for op in model.get_ops():
        if op.get_type_name() != "MatMul":
            continue
        source = op.input_value(1).get_node()
        if source.get_type_name() != "Constant" or len(source.shape) != 2:
            continue
        weight, transposed = source.data, op.get_attributes()["transpose_b"]
        scale = np.abs(weight).max(int(transposed), keepdims=True) / 127
        integers = ops.constant(np.round(weight / scale).astype(np.int8))
        floats = ops.convert(integers, "f32")
        whole = ops.multiply(floats, ops.constant(scale.astype(np.float32)))
        op.input(1).replace_source_output(whole.output(0))
    return model


def opened(folder: Path, threads: int, workers: int) -> Callable[[dict[str, Any]], Any]:
    """See `engine.Open`."""
    assert workers == 1
    exported(folder)
    core = openvino.Core()
    model = compressed(core.read_model(folder / "exported.onnx"))
    settings = {
        "INFERENCE_NUM_THREADS": threads,
        "DYNAMIC_QUANTIZATION_GROUP_SIZE": 32,
        "PERFORMANCE_HINT": "LATENCY",
    }
    compiled = core.compile_model(model, "CPU", settings)

    def compute(case: dict[str, Any]) -> list[int]:
        ids = np.array(case["ids"])
        found = compiled({"input_ids": ids, "attention_mask": np.ones_like(ids)})
        return list(found[0].shape)

    return compute
