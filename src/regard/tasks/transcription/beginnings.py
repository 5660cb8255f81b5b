"""The tokens with which a transcription begins, as generation_config.json names them: the language
that is spoken, the task, and whether times are written (Radford et al. 2022, section 2.3).

Files of 2022 and 2023 say only which ids come first, `forced_decoder_ids`; what they mean is then
read from the tokenizer's names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from regard.checkpoints import Checkpoint
from regard.engine.defaults import inside
from regard.errors import BadArgumentError, refusing, unknown
from regard.generation import GenerationConfig

TASKS = ("transcribe", "translate")
# Keys of generation_config.json that are read here, or that do not change what is written.
_KEYS = (
    *("lang_to_id", "task_to_id", "no_timestamps_token_id", "language", "task", "is_multilingual"),
    *("forced_decoder_ids", "return_timestamps", "alignment_heads", "prev_sot_token_id"),
)


_LANGUAGE = re.compile(r"<\|([a-z]{2,3})\|>")  # such as <|en|>, or <|yue|>


@dataclass(frozen=True)
class Beginnings:
    """Tokens with which a text may begin, by what they say of it."""

    languages: Mapping[str, int] = field(default_factory=dict)  # "en" → its id
    tasks: Mapping[str, int] = field(default_factory=dict)
    no_timestamps: int | None = None  # the tokens behind it are times, if the model has any
    language: str | None = None  # by default; None: it is found out
    task: str = TASKS[0]

    @classmethod
    def of(cls, settings: Mapping[str, Any], vocabulary: Mapping[str, int] = {}) -> Beginnings:
        """Return the tokens in generation_config.json.

        Args:
            vocabulary: ids of special tokens, by their names.
        """
        names = {
            key: settings.get(key) for key in ("lang_to_id", "task_to_id", "no_timestamps_token_id")
        }
        language, task = settings.get("language"), settings.get("task")
        # As transformers does: what is named goes before the ids of old.
        forced = dict(settings.get("forced_decoder_ids") or ()) if not (language or task) else {}
        if forced and not any(names.values()):
            names = _named_by(vocabulary, forced)
        languages = {
            name.strip("<|>"): int(id_) for name, id_ in (names["lang_to_id"] or {}).items()
        }
        tasks = {name: int(id_) for name, id_ in (names["task_to_id"] or {}).items()}
        spoken = [name for name, id_ in languages.items() if id_ in forced.values()]
        done = [name for name, id_ in tasks.items() if id_ in forced.values()]
        return cls(
            languages,
            tasks,
            names["no_timestamps_token_id"],
            str(language or "").strip("<|>") or next(iter(spoken), None),
            task or next(iter(done), TASKS[0]),
        )

    def chosen(self, language: str | None, task: str | None, name: str) -> list[int | None]:
        """Return the tokens behind the start; None for a language to be found out.

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


def _named_by(vocabulary: Mapping[str, int], forced: Mapping[int, int | None]) -> dict[str, Any]:
    """Return the settings of newer files, by the names of the tokens that come first; a language
    that is None is found out."""
    languages = {name: id_ for name, id_ in vocabulary.items() if _LANGUAGE.fullmatch(name)}
    tasks = {name: vocabulary[f"<|{name}|>"] for name in TASKS if f"<|{name}|>" in vocabulary}
    ids = set(forced.values())
    return {
        "lang_to_id": languages if ids & {None, *languages.values()} else None,
        "task_to_id": tasks if ids & {*tasks.values()} else None,
        "no_timestamps_token_id": vocabulary.get("<|notimestamps|>"),
    }


def read_beginnings(
    checkpoint: Checkpoint, longest: int, vocabulary: Mapping[str, int]
) -> dict[str, Any]:
    """Return the defaults of decoding and the special tokens, as the checkpoint's files name them;
    where generation_config.json is missing, config.json, which had these settings before.

    Args:
        longest: tokens to write, where no setting says it.
        vocabulary: ids of special tokens, by their names.
    """
    generation, config = checkpoint.files.get("generation_config.json"), checkpoint.settings
    settings = dict(inside(config) if generation is None else generation)
    if settings.get("forced_decoder_ids") is None:
        settings["forced_decoder_ids"] = config.get("forced_decoder_ids")
    with refusing(f"the generation settings in {checkpoint.folder} are malformed"):
        beginnings = Beginnings.of(settings, vocabulary)
        rest = {name: value for name, value in settings.items() if name not in _KEYS}
        if not {"max_length", "max_new_tokens"} & rest.keys():
            rest["max_new_tokens"] = longest
        defaults, not_followed = GenerationConfig.from_dict(rest)
        meant = {None, beginnings.no_timestamps, *beginnings.languages.values()}
        meant |= {*beginnings.tasks.values()}
        if not meant.issuperset(dict(settings["forced_decoder_ids"] or ()).values()):
            not_followed.append("forced_decoder_ids")
    return dict(generation=defaults, beginnings=beginnings, not_followed=not_followed)
