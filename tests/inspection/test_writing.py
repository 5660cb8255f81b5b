"""What a model wrote, with the probabilities of its own logits."""

import pytest
import torch

from regard.inspection.answers import HypothesisInfo
from regard.inspection.writing import ROWS_AT_ONCE, Written, generation_info, likeliest


def test_steps_are_read_from_the_position_before_each_token():
    logits = torch.randn(ROWS_AT_ONCE + 5, 7, generator=torch.Generator().manual_seed(3))
    ids = [position % 7 for position in range(ROWS_AT_ONCE + 2)]
    written = Written(ids, [HypothesisInfo("", [], None, True)], 0, "tokens", prompt=3)
    found = generation_info(written, logits, str)
    assert [step.token for step in found.steps] == [str(id_) for id_ in ids]
    for position, step in enumerate(found.steps):
        expected = logits[position + 2].softmax(-1)
        assert step.probability == pytest.approx(float(expected[ids[position]]), abs=1e-6)
        assert step.candidates[0].token == str(int(expected.argmax()))


def test_of_few_entries_all_are_candidates():
    found = likeliest(torch.tensor([0.2, 0.5, 0.3]), "abc".__getitem__)
    assert [(each.token, round(each.probability, 1)) for each in found] == [
        ("b", 0.5), ("c", 0.3), ("a", 0.2),
    ]  # fmt: skip
