"""The logit lens: what a model would write if it stopped after each of its layers.

nostalgebraist 2020, "interpreting GPT: the logit lens". The state after a layer takes the place of
the last layer's output; the model does the rest, with its own final norm and output layer.
"""

import torch

from regard.inspection.answers import Lens, LensLayer
from regard.inspection.attribution.stream import Stream
from regard.inspection.trace_data import TraceData
from regard.inspection.writing import likeliest


@torch.no_grad()
def logit_lens(trace: TraceData, step: int) -> Lens:
    """The likeliest tokens of a step after each layer, and how likely the written one is there.

    Takes a run of the model for each layer. A post-norm model has no final norm: each of its layers
    ends with a norm of its own.

    >>> trace = regard.load("en-de").trace("Where is the station?")
    >>> last = logit_lens(trace, step=2).layers[-1]
    >>> last.rank, last.candidates[0].token
    (1, '▁der')

    Args:
        step: a generated token by its number or, where nothing was generated, a position.

    Raises:
        UnsupportedError: a trace without its model, or a model without logits at each position.
        BadArgumentError: there is no such step.
    """
    stream = Stream(trace)
    id_ = stream.ids[stream.check_step(step)]
    last = len(stream.layers) - 1
    layers = []
    for number, early in enumerate(stream.states):
        logits = stream.run(at=lambda layer, state: early if layer == last else None)  # noqa: B023
        probabilities = stream.log_probabilities(logits)[step].exp()
        rank = int((probabilities > probabilities[id_]).sum()) + 1
        best = likeliest(probabilities, stream.token)
        layers.append(LensLayer(number, float(probabilities[id_]), rank, best))
    return Lens(step, stream.token(id_), layers)
