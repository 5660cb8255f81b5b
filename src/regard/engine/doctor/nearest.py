"""The known family that a model of an unknown one is most like, and what differs."""

from collections.abc import Mapping
from copy import copy
from typing import Any

from regard.checkpoints.families import TYPES
from regard.checkpoints.fit import fit
from regard.errors import some

# What every config.json of transformers may have, and no number depends on.
_COMMON = (
    *("architectures", "auto_map", "dtype", "torch_dtype", "transformers_version", "use_cache"),
    *("model_type", "id2label", "label2id", "quantization_config", "task_specific_params"),
    *("initializer_range", "pretraining_tp"),
)


class _Read(dict[str, Any]):
    """Settings that remember which of their keys were read."""

    def __init__(self, content: Mapping[str, Any]):
        super().__init__(content)
        self.read = set[str]()

    def __getitem__(self, key: str) -> object:
        self.read.add(key)
        return super().__getitem__(key)

    def get(self, key: str, default: object = None) -> object:
        self.read.add(key)
        return super().get(key, default)

    def __or__(self, other: Any) -> Any:
        joined = copy(self)
        joined.update(other)
        return joined


def nearest_family(
    settings: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]
) -> str | None:
    """Return a sentence about the family whose weights fit best; None if less than half of them do.

    Args:
        settings: of config.json.
        shapes: of the weights, by their names in the files.
    """
    sentences: list[tuple[int, str]] = []
    for model_type, entry in TYPES.items():
        read = _Read({**settings, "model_type": model_type})
        try:
            config = entry.family.from_config(read)
            fitted = fit(entry.family, config, config.shapes(), shapes)
        except Exception:  # of another family, a setting may be missing or wrong
            continue
        wrong = [f"{name} of another shape" for name, *_ in fitted.misshaped]
        count = len(wrong) + len(fitted.missing) + len(fitted.unexpected)
        keys = [
            key
            for key in settings
            if key not in read.read and not key.endswith(("_token_id", "dropout"))
        ]
        differing = (
            ("its weights lack", [*fitted.missing, *wrong]),
            ("its weights have besides", fitted.unexpected),
            ("regard does not read there", [key for key in keys if key not in _COMMON]),
        )
        sentence = "; ".join(f"{what} {some(names)}" for what, names in differing if names)
        sentences.append(
            (count, f"of the families here, {model_type} is nearest: {sentence or 'all fits'}")
        )
    fewest, sentence = min(sentences, default=(len(shapes), ""))
    return sentence if 2 * fewest < len(shapes) else None
