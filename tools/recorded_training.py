"""Trains a small Transformer to write a word backwards, and records how it learns.

    python tools/recorded_training.py > web/src/learn/recorded.json

The lesson on training shows the file. One core needs about a minute.
"""

import argparse
import json
import string
import sys
from typing import Any

import torch
from torch import Tensor

from regard.generation import GenerationConfig, generate
from regard.inspection import cross_attention
from regard.models import EncoderDecoder, EncoderDecoderConfig
from regard.training import cross_entropy

PAD, EOS, FIRST = 0, 1, 2  # FIRST is the id of "a"
LETTERS = string.ascii_lowercase
WORD = "garden"
SHORTEST, LONGEST, BATCH = 3, 8, 64
EVERY = 10  # steps that one point of the curve is the mean of


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--steps", type=int, default=1200)
    steps = parser.parse_args().steps
    torch.set_num_threads(1)
    seen = [0, *(steps * part // 120 for part in (3, 6, 10, 15, 20, 30, 45, 60, 90, 120))]
    print(json.dumps(record(steps, seen), ensure_ascii=False, separators=(",", ":")))


def record(steps: int, seen: list[int]) -> dict[str, Any]:
    """Losses, in nats a letter, and what the model writes after each of the steps in `seen`."""
    torch.manual_seed(0)
    sizes: dict[str, Any] = dict(
        encoder_layers=1, decoder_layers=1, encoder_heads=2, decoder_heads=2
    )
    config = EncoderDecoderConfig(
        FIRST + len(LETTERS), d_model=64, d_ff=128, dropout=0.0, norm="pre", **sizes
    )
    model = EncoderDecoder(config)
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3, betas=(0.9, 0.98), weight_decay=0.0)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 2e-3, steps, pct_start=0.1)
    random = torch.Generator().manual_seed(1)
    losses: list[float] = []
    moments = [moment(model, 0)]
    for step in range(1, steps + 1):
        length = int(torch.randint(SHORTEST, LONGEST + 1, (1,), generator=random))
        loss = loss_of(model, *rows(length, random))
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
        if step in seen:
            moments.append(moment(model, step))
            print(step, moments[-1]["written"], f"{loss.item():.3f}", file=sys.stderr, flush=True)
    means = [sum(losses[at : at + EVERY]) / EVERY for at in range(0, steps, EVERY)]
    return {
        "word": WORD,
        "parameters": sum(weights.numel() for weights in model.parameters()),
        "batch": BATCH,
        "every": EVERY,
        "losses": [round(each, 4) for each in means],
        "moments": moments,
    }


def rows(length: int, random: torch.Generator) -> tuple[Tensor, Tensor]:
    """Random words and the same backwards, (BATCH, length + 1) ids each, the end last."""
    letters = torch.randint(FIRST, FIRST + len(LETTERS), (BATCH, length), generator=random)
    ended = (
        torch.nn.functional.pad(each, (0, 1), value=EOS) for each in (letters, letters.flip(1))
    )
    source, target = ended
    return source, target


def loss_of(model: EncoderDecoder, source: Tensor, target: Tensor) -> Tensor:
    """Mean cross-entropy, in nats a letter."""
    hidden = model.hidden(source, target).flatten(0, 1)
    return cross_entropy(hidden, model.output_weight, target.flatten()) / target.numel()


@torch.no_grad()
def moment(model: EncoderDecoder, step: int) -> dict[str, Any]:
    """What the model writes for WORD, and where the right answer's letters come from."""
    ids = [FIRST + LETTERS.index(letter) for letter in WORD]
    source, target = torch.tensor([[*ids, EOS]]), torch.tensor([[*ids[::-1], EOS]])
    model.eval()
    settings = GenerationConfig(
        max_new_tokens=len(WORD) + 1, eos_token_id=EOS, pad_token_id=PAD, decoder_start_token_id=PAD
    )
    tokens = generate(model.start(source), settings.start(1), settings)[0][0].tokens
    weights = cross_attention(model, source, target, step="output").mean(1)[0]
    model.train()
    written = "".join(LETTERS[each - FIRST] for each in tokens if each >= FIRST)
    table = [[round(value, 3) for value in row] for row in weights[: len(ids), : len(ids)].tolist()]
    return {"step": step, "written": written, "weights": table}


if __name__ == "__main__":
    main()
