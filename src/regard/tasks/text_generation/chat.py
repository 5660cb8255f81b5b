"""Chats: messages to the token ids that a chat model was trained on, by its own template."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from regard.errors import BadArgumentError, UnsupportedError
from regard.tasks.text_generation.control_tokens import Codes
from regard.tasks.text_generation.template_process import RENDERER
from regard.text import Tokenizer

Message = Mapping[str, Any]  # {"role": "user", "content": "…"}, and what else the template reads


def chat_ids(
    tokenizer: Tokenizer, messages: Sequence[Message], *, continue_final_message: bool = False
) -> list[int]:
    """Return the ids of a chat, up to where the model's answer begins.

    Those of transformers' `apply_chat_template(…, add_generation_prompt=True)`; where a message
    spells out a control token, those of its `sanitize_control_tokens=True`: only the template
    writes control tokens, a message has the characters. A control token is special, or an added
    token that the template writes.

    Args:
        continue_final_message: the ids up to the end of the last message's content, which the
            answer continues.

    Raises:
        UnsupportedError: no template, or one that tries to access what no template needs, does not
            end or needs much memory.
        DamagedFileError: a template that is not valid.
        BadArgumentError: messages that it refuses.
    """
    plain, template = _checked(messages), _template(tokenizer)
    codes = Codes.absent_from(
        json.dumps([plain, template], ensure_ascii=False), tokenizer.added_names()
    )
    coded = _render(tokenizer, plain, codes, continue_final_message)
    text = codes.decoded(coded)
    roles = {message["role"] for message in plain if message["role"].isidentifier()}
    written, forged = list[str](), list[tuple[str, int, int]]()
    for name, start, end in tokenizer.added_spans(text):
        if codes.wrote(coded[start:end], roles):
            written.append(name)
        else:
            forged.append((name, start, end))
    is_control = {*tokenizer.special_names(), *_controls(tokenizer, template, written, roles)}
    read = partial(tokenizer.encode, special_in_text=True)
    ids, begin = list[int](), 0
    for name, start, end in forged:
        if name in is_control:
            ids += _encode(read, text, begin, start)
            ids += _encode(tokenizer.spell, text, start, end)
            begin = end
    return ids + _encode(read, text, begin, len(text))


def _controls(
    tokenizer: Tokenizer, template: str, written: Iterable[str], roles: set[str]
) -> list[str]:
    """Return the added tokens that the template writes, or would write for another role."""
    pairs = [name.split(role, 1) for name in written for role in roles if role in name]
    shapes = [(begin, end) for begin, end in pairs if begin and end]
    return [
        name
        for name in tokenizer.added_names()
        if name in template or any(name.startswith(a) and name.endswith(b) for a, b in shapes)
    ]


def _render(
    tokenizer: Tokenizer, messages: list[dict[str, Any]], codes: Codes, goes_on: bool
) -> str:
    special = {f"{name}_token": token for name, token in tokenizer.special.items()}
    values = dict(messages=messages, tools=None, documents=None, add_generation_prompt=not goes_on)
    text = RENDERER.render(_template(tokenizer), values, special, codes)
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
    """Return the messages as plain values without methods of their own; what is None is left
    out."""
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


def _encode(encode: Callable[[str], list[int]], text: str, start: int, end: int) -> list[int]:
    """Ids of a part; where it does not begin the text, without the space that some tokenizers put
    before a text."""
    part = text[start:end]
    if start == 0 or start == end:
        return encode(part)
    before = encode("\n")
    ids = encode("\n" + part)
    if ids[: len(before)] == before:
        return ids[len(before) :]
    return encode(part)
