"""Token ids in, token ids out: one loop composed of logit filters, choosers and rankers."""

from regard.generation.config import GenerationConfig
from regard.generation.loop import Decoder, generate, stream
from regard.generation.rankers import Hypothesis

__all__ = ["Decoder", "GenerationConfig", "Hypothesis", "generate", "stream"]
