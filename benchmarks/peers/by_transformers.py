"""transformers, its weights as bfloat16, in which it writes faster than in float32."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
import transformers


def opened(folder: Path, threads: int, workers: int) -> Callable[[dict[str, Any]], Any]:
    """See `engine.Open`."""
    assert workers == 1
    torch.set_num_threads(threads)
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.bfloat16).eval()

    @torch.inference_mode()
    def compute(case: dict[str, Any]) -> list[int]:
        ids = torch.tensor(case["ids"])
        settings = dict(min_new_tokens=case["new"], max_new_tokens=case["new"], do_sample=False)
        found = model.generate(ids, attention_mask=torch.ones_like(ids), pad_token_id=0, **settings)
        return [found.shape[1] - ids.shape[1]] * len(ids)

    return compute
