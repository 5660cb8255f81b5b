"""The kind of model of a checkpoint, and its uses."""

from regard.checkpoints import Checkpoint
from regard.checkpoints.heads import (
    TEXT_HEADS,
    check_writes,
    named_head,
    read_writer_head,
)
from regard.engine.defaults import task_settings
from regard.tasks import catalog

_HEADS = {head: name for name, kind in catalog.KINDS.items() for head in kind.heads}
_MODELS = {kind.model: name for name, kind in catalog.KINDS.items() if kind.model}


def kind_of(checkpoint: Checkpoint) -> str:
    """Return the kind of model, a name in `catalog.KINDS`.

    An encoder–decoder translates, unless its config.json has task settings for summaries only.

    Raises:
        NotFoundError: the folder does not hold a model.
        UnsupportedError: a model that reads, of a family whose models write.
    """
    if (checkpoint.folder / "modules.json").is_file():  # of sentence-transformers
        return "feature-extraction"
    model = checkpoint.architecture
    if model == "Encoder":  # whose config is read only where that is needed: it imports torch
        head = named_head(checkpoint.settings, TEXT_HEADS) or checkpoint.config.head
        if head == "token_classification" and "summarization" in task_settings(checkpoint):
            return "extractive-summarization"
        return _HEADS[head]
    if model in ("Decoder", "EncoderDecoder") and not _writes(checkpoint):
        return _HEADS[read_writer_head(checkpoint.settings)]
    tasks = task_settings(checkpoint) if model == "EncoderDecoder" else {}
    summaries = tasks and all(task.startswith("summarization") for task in tasks)
    return "summarization" if summaries else _MODELS[model]


def _writes(checkpoint: Checkpoint) -> bool:
    """Return True if a model that can have a head has none; some families have no heads."""
    if checkpoint.architecture == "EncoderDecoder" and not checkpoint.has_heads:
        check_writes(checkpoint.settings)
    if read_writer_head(checkpoint.settings) == "language_model":
        return True
    return not checkpoint.has_heads


def describe(checkpoint: Checkpoint) -> str:
    """Return the kind of model as a noun phrase for messages: "a language model (gpt2)"."""
    what, settings = catalog.KINDS[kind_of(checkpoint)].what, checkpoint.files.get("config.json")
    return what if settings is None else f"{what} ({settings['model_type']})"
