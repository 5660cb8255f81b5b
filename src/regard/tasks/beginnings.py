"""The tokens with which a transcription begins, as generation_config.json names them: the language
that is spoken, the task, and whether times are written (Radford et al. 2022, section 2.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from regard.checkpoints import Checkpoint
from regard.errors import BadArgumentError, refusing, unknown
from regard.generation import GenerationConfig

TASKS = ("transcribe", "translate")
# Keys of generation_config.json that are read here, or that do not change what is written.
_KEYS = (
    *("lang_to_id", "task_to_id", "no_timestamps_token_id", "language", "task", "is_multilingual"),
    *("forced_decoder_ids", "return_timestamps", "alignment_heads", "prev_sot_token_id"),
)


@dataclass(frozen=True)
class Beginnings:
    """Tokens with which a text may begin, by what they say of it."""

    languages: Mapping[str, int] = field(default_factory=dict)  # "en" → its id
    tasks: Mapping[str, int] = field(default_factory=dict)
    no_timestamps: int | None = None  # the tokens behind it are times, if the model has any
    language: str | None = None  # by default; None: it is found out
    task: str = TASKS[0]

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Beginnings:
        """The tokens in generation_config.json."""
        languages = {
            name.strip("<|>"): int(id_) for name, id_ in (settings.get("lang_to_id") or {}).items()
        }
        tasks = {name: int(id_) for name, id_ in (settings.get("task_to_id") or {}).items()}
        forced = {id_ for _, id_ in settings.get("forced_decoder_ids") or ()}
        chosen = [name for name, id_ in languages.items() if id_ in forced]
        language = str(settings.get("language") or "").strip("<|>") or None
        task = [name for name, id_ in tasks.items() if id_ in forced]
        return cls(
            languages,
            tasks,
            settings.get("no_timestamps_token_id"),
            language or next(iter(chosen), None),
            settings.get("task") or next(iter(task), TASKS[0]),
        )

    def chosen(self, language: str | None, task: str | None, name: str) -> list[int | None]:
        """The tokens behind the start; None for a language to be found out.

        Args:
            name: of the model, for messages.

        Raises:
            BadArgumentError: a language or a task that it does not have.
        """
        if not self.languages:
            if language is not None or task not in (None, TASKS[0]):
                raise BadArgumentError(
                    f"{name} knows one language and has no tasks; leave language and task out."
                )
            return []
        language = language or self.language
        if language is not None and language not in self.languages:
            raise unknown(f"a language of {name}", language, self.languages)
        task = task or self.task
        if self.tasks and task not in self.tasks:
            raise unknown(f"a task of {name}", task, self.tasks)
        chosen = None if language is None else self.languages[language]
        return [chosen, *([self.tasks[task]] if self.tasks else [])]


def read_beginnings(checkpoint: Checkpoint, longest: int) -> dict[str, Any]:
    """The defaults of decoding and the special tokens, as the checkpoint's files name them."""
    settings = dict(checkpoint.files.get("generation_config.json", {}))
    with refusing(f"the generation settings in {checkpoint.folder} are malformed"):
        beginnings = Beginnings.of(settings)
        rest = {name: value for name, value in settings.items() if name not in _KEYS}
        if not {"max_length", "max_new_tokens"} & rest.keys():
            rest["max_new_tokens"] = longest
        generation, not_followed = GenerationConfig.from_dict(rest)
    return dict(generation=generation, beginnings=beginnings, not_followed=not_followed)
