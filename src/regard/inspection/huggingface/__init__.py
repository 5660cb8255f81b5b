"""Traces of transformers models: the model's own attention runs, and what it was given is kept."""

from regard.inspection.huggingface.capture import trace_transformers
from regard.inspection.huggingface.loading import load_for_tracing
from regard.inspection.huggingface.traced_model import TracedModel

__all__ = ["TracedModel", "load_for_tracing", "trace_transformers"]
