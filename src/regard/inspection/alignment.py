"""Word alignment from cross-attention.

The model does not keep the weights: the calls of its cross-attention layers are recorded, and the
weights are computed from the records afterwards.
"""

from typing import Any

from regard.arrays import Array, arrays_of, without_gradients
from regard.attention import Call
from regard.errors import BadArgumentError, check_choice
from regard.inspection.recording import capturing, joined

STEPS = ("output", "input")


@without_gradients
def cross_attention(
    model: Any,
    source: Array,
    target: Array,
    *,
    layer: int | None = None,
    step: str = "output",
) -> Array:
    """Weights of the decoder's cross-attention to the source for each target token, by an
    encoder–decoder of `models`, or one text of the native engine's.

    >>> from regard.models import EncoderDecoder, preset
    >>> model = EncoderDecoder(preset("tiny", vocab_size=100)).eval()
    >>> source, target = torch.tensor([[5, 6, 7, 1]]), torch.tensor([[8, 9, 1]])
    >>> cross_attention(model, source, target).shape
    torch.Size([1, 4, 3, 4])

    Args:
        source: (batch, source length) ids.
        target: (batch, target length) ids, eos last.
        layer: counted from 0, negative from the end; the mean over all layers when not given.
        step: "output" reads the step that predicts a token, "input" the next one, which reads it.
            The input step aligned better in the six-layer models of Kobayashi et al. 2020, Table 2;
            in the shallow models trained here the output step does (benchmarks/alignment.py).

    Returns:
        (batch, heads, target length, source length), rows summing to 1.
    """
    check_choice("step", step, STEPS)
    calls: dict[str, list[Call]] = {}  # a recurrent decoder calls its attention at each step

    def capture(path: str, call: Call) -> None:
        if path.endswith("cross_attention"):
            calls.setdefault(path, []).append(call)

    with capturing(model, capture):
        # Shifted right, the target with one token more reads every token of it.
        model.hidden(source, arrays_of(target).join([target, target[:, -1:]]))
    layers = [joined(steps) for steps in calls.values() or [[]]]
    if layer is not None:
        if not -len(layers) <= layer < len(layers):
            raise BadArgumentError(
                f"the decoder has layers 0 to {len(layers) - 1}; got {layer}. Choose one of these."
            )
        layers = [layers[layer]]
    rows = slice(0, -1) if step == "output" else slice(1, None)
    weights = [call.inputs.weights()[:, :, rows] for call in layers]
    return arrays_of(target).library.stack(weights).mean(0)
