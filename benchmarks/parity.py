"""Do the models here compute what transformers' compute, family by family, and write what they do?

    python benchmarks/parity.py

Each is built by transformers, small, odd in its sizes and with random weights
(`peers/small_models.py`), saved, and opened here. Both read a batch with padding on either side.
Printed are the largest differences of what comes out, of any hidden state and of the gradient of
any weight. Gradients differ by what float32 rounds, so they are also computed in float64
throughout, without padding: "exact" is their largest difference there, and "ours" and "theirs" say
how far those of float32 are from it. Then, how many of 50 random prompts, padded on the left and
on the right in one batch, go on with the same tokens; and the largest difference between what runs
here and what is saved here and opened in transformers again.
"""

import argparse
import copy
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from peers.small_models import CASES, EOS, PAD, START, VOCAB, Case
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from regard.checkpoints import from_pretrained, save_pretrained
from regard.checkpoints.families import family_of, find_family
from regard.checkpoints.family import places, to_ours
from regard.generation import GenerationConfig, generate
from regard.models import (
    Decoder,
    DualEncoder,
    Encoder,
    EncoderDecoder,
    SpeechEncoderDecoder,
    VisionTransformer,
)

ENDS = list(range(5, 13))  # so many that some texts end and some are cut
PROMPTS, LENGTH, NEW = 50, 7, 6


@dataclass(frozen=True)
class Twins:
    """A model of transformers, and what is opened here from its files."""

    theirs: Any
    ours: Any


@dataclass(frozen=True)
class Batch:
    """The same texts or images, as each of the two takes them."""

    theirs: dict[str, Tensor]
    ours: dict[str, Tensor]
    read: Tensor  # (batch, length): which of what the encoder, or the only stack, reads is no pad
    counted: Tensor  # (batch, length): which places of the output count


def build(case: Case, folder: Path) -> Twins:
    """Both models, in evaluation mode."""
    theirs = case.build()
    theirs.save_pretrained(folder)
    return Twins(theirs, from_pretrained(folder))


def batch_for(ours: nn.Module, *, padded: bool = True) -> Batch:
    """Three texts, the second padded on the right and the third on the left; images; or sounds."""
    draw = torch.Generator().manual_seed(13)
    if isinstance(ours, VisionTransformer):
        pixels = torch.randn(2, 3, *ours.config.image_size, generator=draw)
        everything = torch.ones(2, 1, dtype=torch.bool)
        return Batch({"pixel_values": pixels}, {"pixels": pixels}, everything, everything)
    pad, end = getattr(ours.config, "pad_id", None), getattr(ours.config, "eos_id", EOS)
    pad = PAD if pad is None else pad
    tokens = [id for id in range(START, VOCAB - 4) if id not in (pad, end)]

    def draw_ids(*shape: int) -> Tensor:
        return torch.tensor(tokens)[torch.randint(0, len(tokens), shape, generator=draw)]

    ids, other = draw_ids(3, 11), tokens[0]
    if padded:
        ids[1, 6:] = ids[2, :4] = pad
    real = ids != pad
    theirs = {"input_ids": ids, "attention_mask": real.long()}
    if isinstance(ours, DualEncoder):
        ids[[0, 0, 1, 2], [6, 10, 5, 10]] = START  # the first of them ends a text
        real = ids != pad
        pixels = torch.randn(2, 3, *ours.config.image.image_size, generator=draw)
        theirs = {"input_ids": ids, "attention_mask": real.long(), "pixel_values": pixels}
        mine = {"ids": ids, "attention_mask": real, "pixels": pixels}
        return Batch(theirs, mine, real, torch.ones(2, 1, dtype=torch.bool))
    if isinstance(ours, Decoder):
        theirs["position_ids"] = (real.cumsum(1) - 1).clamp(min=0)
        return Batch(theirs, {"ids": ids, "attention_mask": real}, real, real)
    if isinstance(ours, EncoderDecoder) and ours.head is not None:
        ids[2, :4] = other  # the decoder would read padding on the left
        ids[[0, 0, 1, 1, 2, 2], [5, 10, 4, 5, 5, 10]] = end  # the last of them counts
        real = ids != pad
        theirs["attention_mask"] = real.long()
        return Batch(theirs, {"source": ids, "target": ids}, real, real)
    if isinstance(ours, EncoderDecoder):
        target = draw_ids(3, 5)
        if padded:
            target[1, 3:] = pad
        if isinstance(ours, SpeechEncoderDecoder):
            ids = _sounds(ours, 3, draw)
            theirs, real = {"input_features": ids}, ours.not_padding(ids)
        theirs["decoder_input_ids"] = ours.shift_right(target)
        return Batch(theirs, {"source": ids, "target": target}, real, target != pad)
    assert isinstance(ours, Encoder)
    alone = ours.config.window is not None or ours.config.positions == "distances"
    if alone and ours.config.head == "classification":
        ids[2, :4] = other  # the head would read padding, which may see no token
        real = ids != pad
        theirs["attention_mask"] = real.long()
    token_types = ours.config.token_types
    if token_types is None:
        return Batch(theirs, {"ids": ids}, real, real)
    types = {"token_type_ids": torch.randint(0, token_types, ids.shape, generator=draw)}
    return Batch(theirs | types, {"ids": ids} | types, real, real)


def differences(twins: Twins) -> tuple[float, float, float]:
    """The largest of what comes out, of any hidden state, and of any weight's gradient."""
    batch = batch_for(twins.ours)
    states: list[Tensor] = []
    hooks = [
        part.register_forward_hook(lambda _module, _inputs, output: states.append(output))
        for part in _parts(twins.ours)
    ]
    output = twins.ours(**batch.ours)
    for hook in hooks:
        hook.remove()
    expected = twins.theirs(**batch.theirs, output_hidden_states=True)
    if isinstance(twins.ours, DualEncoder):
        read = expected.text_model_output.hidden_states
        written = expected.vision_model_output.hidden_states
    else:
        read = expected.get("hidden_states") or expected.encoder_hidden_states
        written = expected.get("decoder_hidden_states") or ()
    wanted = [(state, batch.read) for state in read]
    wanted += [(state, batch.counted) for state in written]
    hidden = max(
        _largest(state, other, which) for state, (other, which) in zip(states, wanted, strict=True)
    )
    difference = _largest(output, _answer(expected), batch.counted)
    return difference, hidden, _gradients(twins, batch, output, _answer(expected))


def exact_gradients(twins: Twins) -> tuple[float, float, float]:
    """The largest difference of gradients in float64, and the largest of those in float32 here and
    of theirs from float64's."""
    batch, fresh = batch_for(twins.ours, padded=False), copy.deepcopy(twins)
    for model in (fresh.ours, fresh.theirs):
        model.zero_grad()
    narrow = _backward(
        fresh, batch, fresh.ours(**batch.ours), _answer(fresh.theirs(**batch.theirs))
    )
    if fresh.theirs._can_set_experts_implementation():
        fresh.theirs.set_experts_implementation("eager")  # the others know no float64
    for model in (fresh.ours.double(), fresh.theirs.double()):
        model.zero_grad()
    for module in fresh.theirs.modules():  # Gemma's scale of embeddings was rounded to float32
        if isinstance(scale := getattr(module, "scalar_embed_scale", None), float):
            module.embed_scale.fill_(scale)
    with InFloat64():
        ours, theirs = (
            {name: x.double() if x.is_floating_point() else x for name, x in inputs.items()}
            for inputs in (batch.ours, batch.theirs)
        )
        outputs = fresh.ours(**ours), _answer(fresh.theirs(**theirs))
    wide = _backward(fresh, batch, *outputs)
    return (
        _apart(*wide),
        *(_apart(theirs, ours) for theirs, ours in zip(narrow, wide, strict=True)),
    )


class InFloat64(TorchFunctionMode):
    """Within it, what asks for float32, as norms and rotations do, gets float64."""

    def __torch_function__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        def wide(value: Any) -> Any:
            return torch.float64 if value is torch.float32 else value

        function = torch.Tensor.double if function is torch.Tensor.float else function
        return function(*map(wide, args), **{k: wide(v) for k, v in (kwargs or {}).items()})


Gradients = Mapping[str, Tensor]


def _apart(one: Gradients, other: Gradients) -> float:
    return max(float((one[name] - grad).abs().max()) for name, grad in other.items())


def _gradients(twins: Twins, batch: Batch, output: Tensor, expected: Tensor) -> float:
    """The largest difference of gradients; what padding gives has no part in the loss."""
    return _apart(*_backward(twins, batch, output, expected))


def _backward(
    twins: Twins, batch: Batch, output: Tensor, expected: Tensor
) -> tuple[Gradients, Gradients]:
    """The gradients of both, by our names."""
    counted = batch.counted[:, 0] if output.ndim == 2 else batch.counted
    weights = torch.randn(output.shape, generator=torch.Generator().manual_seed(1)) / 10
    weights[~counted] = 0.0
    for each in (output, expected):
        (each * weights).sum().backward()
    family = find_family(twins.theirs.config.model_type, where="theirs").family
    theirs = {name: weight.grad for name, weight in twins.theirs.named_parameters()}
    theirs = _as_saved(
        twins.theirs, {name: grad for name, grad in theirs.items() if grad is not None}
    )
    theirs |= {family.base + name: grad for name, grad in theirs.items()}  # of a model alone
    ours = {name: weight.grad for name, weight in twins.ours.named_parameters()}
    table = {
        name: place
        for name, place in places(family.names(twins.ours.config, twins.ours.state_dict())).items()
        if name in ours and theirs.get(place.name) is not None  # some are buffers on one side
    }
    wanted = to_ours(table, theirs)
    assert max(float(grad.abs().max()) for grad in wanted.values()) > 0.1
    return {name: ours[name].clone() for name in wanted}, {
        name: grad.clone() for name, grad in wanted.items()
    }


def _as_saved(model: Any, tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Tensors of their model by the names of its files, where experts lie apart."""
    from transformers.core_model_loading import revert_weight_conversion

    reverted: dict[str, Tensor] = revert_weight_conversion(model, tensors)
    return reverted


@torch.no_grad()
def same_tokens(twins: Twins, num_beams: int) -> int:
    """How many of the prompts go on with the same tokens, batched with padding on either side."""
    ids, real = _prompts()
    order = real.sort(dim=1, descending=True, stable=True).indices
    order[::2] = torch.arange(LENGTH)  # every other row keeps its padding on the left
    mixed = ids.gather(1, order), real.gather(1, order)
    settings: dict[str, Any] = dict(max_new_tokens=NEW, num_beams=num_beams, eos_token_id=ENDS)
    if isinstance(twins.ours, EncoderDecoder):  # random ones would say one word for ever
        settings["no_repeat_ngram_size"] = 1
    config = GenerationConfig(**settings)
    settings |= dict(pad_token_id=PAD, do_sample=False)
    if isinstance(twins.ours, Decoder):
        found = generate(twins.ours.start(mixed[1]), mixed[0], config, prompt_mask=mixed[1])
    else:
        ids, real = mixed
        settings["decoder_start_token_id"] = START
        if isinstance(twins.ours, SpeechEncoderDecoder):
            ids = _sounds(twins.ours, PROMPTS, torch.Generator().manual_seed(PROMPTS))
        found = generate(twins.ours.start(ids), torch.full((PROMPTS, 1), START), config)
    # A decoder of theirs needs its padding on the left: it goes on to the right of what is there.
    read = {} if ids.is_floating_point() else {"attention_mask": real.long()}
    written = _generate(twins.theirs, ids, **read, **settings)
    tokens = [list(best[0].tokens) for best in found]
    assert len({*map(len, tokens)}) > 1  # some have ended, some were cut
    assert len({*map(tuple, tokens)}) > PROMPTS / 4  # what they write follows from what they read
    # Behind a text that has ended theirs puts padding, or an end.
    start = LENGTH if isinstance(twins.ours, Decoder) else 1
    return sum(
        row[: len(own)] == own and set(row[len(own) :]) <= {PAD, *ENDS}
        for own, row in zip(tokens, written[:, start:].tolist(), strict=True)
    )


@torch.no_grad()
def reopened(twins: Twins, folder: Path) -> float:
    """The largest difference between our output and that of what we save, opened over there."""
    import transformers

    save_pretrained(twins.ours, folder)
    family = family_of(twins.ours)
    [name] = family.to_config(twins.ours.config)["architectures"]
    theirs, report = getattr(transformers, name).from_pretrained(folder, output_loading_info=True)
    report["missing_keys"] = [
        name for name in report["missing_keys"] if not name.endswith("embed_positions.weight")
    ]  # Pegasus's sinusoids, which it computes as it is made
    assert not any(report.values()), report
    assert from_pretrained(folder).config == twins.ours.config
    batch = batch_for(twins.ours)
    output = twins.ours(**batch.ours)
    return _largest(output, _answer(theirs.eval()(**batch.theirs)), batch.counted)


def _generate(theirs: Any, read: Tensor, **settings: Any) -> Tensor:
    """The search that their models share, which Whisper's own prompts and windows are around."""
    from transformers import GenerationMixin

    written: Tensor = GenerationMixin.generate(theirs, read, **settings)
    return written


def _sounds(ours: SpeechEncoderDecoder, count: int, draw: torch.Generator) -> Tensor:
    """Random spectrograms, as loud as it takes to write different texts."""
    return 5 * torch.randn(count, ours.config.mel_bins, ours.config.frames, generator=draw)


def _prompts() -> tuple[Tensor, Tensor]:
    """Random ids of many lengths, padded on the left, and which of them are tokens."""
    draw = torch.Generator().manual_seed(PROMPTS)
    ids = torch.randint(START, VOCAB - 4, (PROMPTS, LENGTH), generator=draw)
    lengths = torch.randint(1, LENGTH + 1, (PROMPTS, 1), generator=draw)
    lengths[0] = LENGTH
    real = torch.arange(LENGTH) >= LENGTH - lengths
    return ids.masked_fill(~real, PAD), real


def _parts(ours: Any) -> list[nn.Module]:
    """What gives the hidden states that transformers lists: embeddings, layers, the last norm."""
    if isinstance(ours, DualEncoder):  # of either, they list the states before the last norm
        towers = (ours.text, ours.image)
        return [part for each in towers for part in (each.embed, *each.encoder.layers)]
    parts: list[nn.Module] = []
    for side in ("encoder", "decoder"):
        if (stack := getattr(ours, side, None)) is not None:
            # Of images they list the states before the last norm.
            last = stack.layers[-1] if isinstance(ours, VisionTransformer) else stack
            parts += [getattr(stack, "embed", None) or ours.embed, *stack.layers[:-1], last]
    return parts


def _answer(output: Mapping[str, Any]) -> Tensor:
    """What their model gives, as the model here gives it."""
    if output.get("start_logits") is not None:
        return torch.stack([output["start_logits"], output["end_logits"]], dim=-1)
    names = (
        "prediction_logits",
        "logits",
        "logits_per_image",
        "pooler_output",
        "last_hidden_state",
    )
    return next(output[name] for name in names if output.get(name) is not None)


def _largest(ours: Tensor, theirs: Tensor, counted: Tensor) -> float:
    assert ours.shape == theirs.shape, (ours.shape, theirs.shape)
    difference = (ours - theirs).detach().abs()
    if difference.ndim == 3 and counted.shape == difference.shape[:2]:
        difference = difference[counted]
    return float(difference.max())


def main() -> None:
    """Prints a line for each family."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.parse_args()
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    titles = ("output", "hidden", "gradient", "exact", "ours", "theirs", "greedy", "beam 4")
    titles += ("reopened",)
    print(f"{'family':26}", *(f"{title:>9}" for title in titles))
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            twins = build(case, Path(folder) / "theirs")
            measured = differences(twins) + exact_gradients(twins)
            found = [f"{difference:.1e}" for difference in measured]
            found += [
                f"{same_tokens(twins, beams)}/{PROMPTS}" if case.writes else "–" for beams in (1, 4)
            ]
            found.append(f"{reopened(twins, Path(folder) / 'ours'):.1e}")
        print(f"{case.name:26}", *(f"{each:>9}" for each in found), flush=True)


if __name__ == "__main__":
    main()
