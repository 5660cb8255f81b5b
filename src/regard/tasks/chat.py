"""Chats: messages to the token ids that a chat model was trained on, by its own template."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from regard.errors import BadArgumentError, UnsupportedError
from regard.tasks.template_process import RENDERER
from regard.text import Tokenizer

Message = Mapping[str, Any]  # {"role": "user", "content": "…"}, and what else the template reads

# Two characters of private use, around the special tokens' names that a message spells out.
_OPEN, _CLOSE = "\U000f0000", "\U000f0001"


def chat_ids(
    tokenizer: Tokenizer, messages: Sequence[Message], *, continue_final_message: bool = False
) -> list[int]:
    """The ids of a chat, up to where the model's answer begins.

    Those of transformers' `apply_chat_template(…, add_generation_prompt=True)`; where a message
    spells out a special token, those of its `sanitize_control_tokens=True`: only the template
    writes special tokens, a message has the characters.

    Args:
        continue_final_message: the ids up to the end of the last message's content, which the
            answer continues.

    Raises:
        UnsupportedError: no template, or one that tries to access what no template needs, does not
            end or needs much memory.
        DamagedFileError: a template that is not valid.
        BadArgumentError: messages that it refuses.
    """
    names = tokenizer.special_names()
    forged = re.compile("|".join(map(re.escape, names)) or r"(?!)")
    parts = re.split(
        f"{_OPEN}({forged.pattern}){_CLOSE}|[{_OPEN}{_CLOSE}]",
        _render(tokenizer, _marked(_checked(messages), forged), continue_final_message),
    )
    ids = tokenizer.encode(parts[0], special_in_text=True)
    for number, part in enumerate(parts[1:], start=1):
        if part:  # every other one is a name that a message spelled out, or None for a lone mark
            ids += _encode_inside(tokenizer, part, special_in_text=number % 2 == 0)
    return ids


def _render(tokenizer: Tokenizer, messages: list[dict[str, Any]], goes_on: bool) -> str:
    special = {f"{name}_token": token for name, token in tokenizer.special.items()}
    values = dict(messages=messages, tools=None, documents=None, add_generation_prompt=not goes_on)
    text = RENDERER.render(_template(tokenizer), values | special)
    if not goes_on:
        return text
    final = messages[-1].get("content")
    if not isinstance(final, str) or not final.strip() or final.strip() not in text:
        raise BadArgumentError(
            "a chat's last message can be continued where the template writes its content as it"
            f" is; got {final!r}. Write continue_final_message=False."
        )
    kept = final.lstrip() if final.lstrip() in text else final.strip()  # some templates strip
    return text[: text.rindex(kept) + len(kept)]


def _template(tokenizer: Tokenizer) -> str:
    template = tokenizer.settings.get("chat_template")
    if isinstance(template, list):  # several, by name
        named = {entry["name"]: entry["template"] for entry in template}
        template = named.get("default")
    if not isinstance(template, str):
        raise UnsupportedError(
            "a chat needs a checkpoint whose tokenizer has a chat_template; this one has none."
            " Give it a prompt as plain text, or a checkpoint that was trained to chat."
        )
    return template


def _checked(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """The messages as plain values without methods of their own; what is None is left out."""
    for message in messages:
        if not isinstance(message, Mapping) or not isinstance(message.get("role"), str):
            raise BadArgumentError(
                'a chat\'s messages must be like {"role": "user", "content": "…"};'
                f" got {message!r}."
            )
    if not messages:
        raise BadArgumentError("a chat must have at least one message; got none.")
    try:
        plain = json.loads(json.dumps([dict(message) for message in messages]))
    except (TypeError, ValueError) as error:
        raise BadArgumentError(
            f"a chat's messages must be made of texts, numbers and lists of them ({error})."
        ) from error
    return [{key: part for key, part in each.items() if part is not None} for each in plain]


def _marked(value: Any, forged: re.Pattern[str]) -> Any:
    """The same with marks around what a message may not have read as a special token."""
    if isinstance(value, str):
        plain = value.replace(_OPEN, "").replace(_CLOSE, "")
        return forged.sub(f"{_OPEN}\\g<0>{_CLOSE}", plain)
    if isinstance(value, dict):
        return {key: _marked(part, forged) for key, part in value.items()}
    if isinstance(value, list):
        return [_marked(part, forged) for part in value]
    return value


def _encode_inside(tokenizer: Tokenizer, part: str, *, special_in_text: bool) -> list[int]:
    """Ids of a part that does not begin the text, where some tokenizers would put a space."""
    start = tokenizer.encode("\n")
    ids = tokenizer.encode("\n" + part, special_in_text=special_in_text)
    if ids[: len(start)] == start:
        return ids[len(start) :]
    return tokenizer.encode(part, special_in_text=special_in_text)
