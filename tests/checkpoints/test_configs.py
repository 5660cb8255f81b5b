"""A changed config.json gives the numbers of transformers or a refusal; `make attack` tries all."""

from pathlib import Path

import pytest

pytest.importorskip("transformers")

from fuzz import configs

# "DeBERTa, words" and "DeBERTa, embedding" are read by the same lines.
FAMILIES = {name.split(",")[0]: name for name in configs.CASES}


@pytest.mark.parametrize("name", FAMILIES.values())
def test_changes_drawn_by_chance(name: str) -> None:
    assert configs.attack(name, 8) == (8, [])


@pytest.mark.parametrize(
    ("name", "key", "value", "message"),
    [
        ("T5", "dense_act_fn", "tanh", 'dense_act_fn must be "relu" for a t5 model here'),
        ("T5", "feed_forward_proj", "gelu", 'dense_act_fn must be "gelu" for a t5 model here'),
        ("T5 1.1", "is_gated_act", False, "is_gated_act must be true for a t5 model here"),
        ("M2M100", "decoder_start_token_id", 1, "must not be pad_token_id"),
        ("M2M100", "max_position_embeddings", -1, "max_positions must be at least 1; got -1"),
        ("Llama", "rope_parameters", {"high_freq_factor": 0.5}, "must be above low_freq_factor"),
    ],
)
def test_changes_that_were_once_misread(
    name: str, key: str, value: object, message: str, tmp_path: Path
) -> None:
    config = configs.prepare(name, tmp_path)
    if isinstance(value, dict):
        value = config[key] | value
    mutant = configs.Mutant((key,), config | {key: value})
    result, sentence = configs.outcome(name, tmp_path, mutant)
    assert result == "refused"
    assert message in sentence
