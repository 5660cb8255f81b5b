"""Low-rank adapters learn, merge, and are the same in PEFT."""

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import regard
from regard import RegardError
from regard.models.layers.low_rank import LowRankLinear, add_adapters, merge_adapters
from regard.tasks.classification.task import Classifier

transformers = pytest.importorskip("transformers")


@pytest.fixture(scope="module")
def adapted(trained: Any, tagged: Path, classify: Any, tmp_path_factory: Any) -> Path:
    """A run that trained adapters on a trained model, for other labels."""
    output = tmp_path_factory.mktemp("adapted")
    options = {"lora_rank": 4, "max_steps": 12, "base_model": str(trained[0] / "model")}
    _, said = classify(tagged, output, **options)
    layers, width, labels, rank = 2, 128, 3, 4
    head = width * width + width + labels * width + labels
    learned = layers * 4 * 2 * rank * width + head
    assert f", {learned:,} of them trained" in "\n".join(said)
    return Path(output)


def test_an_adapter_begins_as_no_change_and_merges_into_the_projection() -> None:
    torch.manual_seed(1)
    linear = nn.Linear(6, 5)
    x = torch.randn(3, 6)
    layer = LowRankLinear(linear, 2, 4.0)
    assert torch.equal(layer(x), linear(x))
    nn.init.normal_(layer.lora_B)
    change = x @ layer.lora_A.T @ layer.lora_B.T * 2
    torch.testing.assert_close(layer(x), linear(x) + change)
    torch.testing.assert_close(layer.merged()(x), layer(x))


def test_adapters_alone_learn_and_leave_the_model_when_merged() -> None:
    model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
    add_adapters(model, ("1",), rank=1, alpha=1)
    learning = [name for name, p in model.named_parameters() if p.requires_grad]
    assert learning == ["1.lora_A", "1.lora_B"]
    merge_adapters(model)
    assert [type(part) for part in model] == [nn.Linear, nn.Linear]


@pytest.mark.long("opens peft")
@pytest.mark.filterwarnings("ignore::FutureWarning")  # of transformers, in PEFT
def test_peft_gives_the_same_logits(trained: Any, adapted: Path) -> None:
    peft = pytest.importorskip("peft")
    merged = Classifier.load(str(adapted / "model"))
    base = transformers.AutoModelForSequenceClassification.from_pretrained(
        str(trained[0] / "model"), num_labels=3, ignore_mismatched_sizes=True
    )
    theirs = peft.PeftModel.from_pretrained(base, str(adapted / "adapter")).eval()
    text = "a lovely bird in the river"
    tokens = merged.read([text])
    with torch.no_grad():
        expected = theirs(input_ids=torch.tensor([tokens[0].ids])).logits[0]
    found = torch.from_numpy(merged.logits(tokens)[0])
    torch.testing.assert_close(found, expected, atol=1e-5, rtol=0)
    assert (theirs.base_model.model(input_ids=torch.tensor([tokens[0].ids])).logits).shape == (1, 3)


def test_the_base_stays_as_it_was_but_for_the_merged_change(trained: Any, adapted: Path) -> None:
    before, after = (
        regard.from_pretrained(str(folder)).state_dict()
        for folder in (trained[0] / "model", adapted / "model")
    )
    assert torch.equal(before["embed.tokens.weight"], after["embed.tokens.weight"])
    inner = "encoder.layers.0.feed_forward.inner.weight"
    assert torch.equal(before[inner], after[inner])
    query = "encoder.layers.0.self_attention.query.weight"
    assert torch.linalg.matrix_rank(after[query] - before[query], atol=1e-5) <= 4
    assert not torch.equal(before[query], after[query])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lora_rank": 2}, "lora_rank trains adapters of a trained model"),
        ({"lora_targets": "some"}, "lora_targets must be one of attention, all; got 'some'"),
    ],
)
def test_adapters_need_a_trained_model(
    options: dict[str, Any], message: str, labeled: Path, classify: Any, tmp_path: Path
) -> None:
    with pytest.raises(RegardError, match=message):
        classify(labeled, tmp_path, **options)
