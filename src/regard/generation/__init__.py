"""Token ids in, token ids out: one loop composed of logit filters, choosers and rankers."""

from regard.generation.config import GenerationConfig
from regard.generation.loop import Decoder, RankingDecoder, generate, stream
from regard.generation.search import Hypothesis

__all__ = ["Decoder", "GenerationConfig", "Hypothesis", "RankingDecoder", "generate", "stream"]
