"""The options with which a model writes, each with the model's own value, as a page offers them."""

from typing import Any

from regard.checkpoints import Checkpoint
from regard.generation import GenerationConfig
from regard.tasks.defaults import read_defaults
from regard.tasks.kinds import kind_of
from regard.tasks.writing import TRACED

OFFERED = ("num_beams", "temperature", "top_k", "top_p", "seed")
WRITERS = {
    "text-generation": "",
    "translation": "translation",
    "recurrent-translation": "translation",
    "summarization": "summarization",
}  # kinds of models, and how the names of their tasks in config.json begin


def own_options(checkpoint: Checkpoint) -> dict[str, float]:
    """The options of a model of regard's; of one that does not write, no option.

    Raises:
        DamagedFileError: its generation settings are malformed.
    """
    kind = kind_of(checkpoint)
    if kind not in WRITERS:
        return {}
    tasks, begins = read_defaults(checkpoint), WRITERS[kind]
    own = [each for task, each in tasks.items() if begins and task.startswith(begins)]
    chosen = own[0] if len(own) == 1 else tasks[""]
    return options_of(chosen.generation, "generation" if kind == "text-generation" else kind)


def options_of(settings: Any, task: str) -> dict[str, float]:
    """The options of a model with these settings, GenerationConfig's or those of transformers."""
    own = {name: getattr(settings, name, None) for name in OFFERED}
    plain = GenerationConfig()
    values = {name: getattr(plain, name) if value is None else value for name, value in own.items()}
    values["seed"] = own["seed"] or 0  # what `looking.look_at` draws by
    return values | ({"generate": TRACED} if task == "generation" else {})
