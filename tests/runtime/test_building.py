"""What a packed model in memory is found by."""

import torch

from regard.models import Encoder, EncoderConfig
from regard.runtime.building import weights_sha256


def test_the_hash_is_of_config_and_every_parameter() -> None:
    torch.manual_seed(5)
    config = EncoderConfig(31, d_model=8, num_layers=1, num_heads=2, d_ff=16, max_positions=11)
    model = Encoder(config)
    hashes = {weights_sha256(model)}
    for parameter in model.parameters():
        with torch.no_grad():
            parameter.view(-1)[0] += 1
        hashes.add(weights_sha256(model))
    assert len(hashes) == 1 + len(list(model.parameters()))
