"""Chats: messages to the token ids that a chat model was trained on, by its own template."""

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from jinja2 import Template, TemplateError, TemplateSyntaxError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment, SecurityError
from jinja2.utils import Namespace

from regard.errors import BadArgumentError, DamagedFileError, UnsupportedError
from regard.text import Tokenizer

Message = Mapping[str, Any]  # {"role": "user", "content": "…"}, and what else the template reads

# Two characters of private use, around the special tokens' names that a message spells out.
_OPEN, _CLOSE = "\U000f0000", "\U000f0001"


def chat_ids(tokenizer: Tokenizer, messages: Sequence[Message]) -> list[int]:
    """The ids of a chat, up to where the model's answer begins.

    Those of transformers' `apply_chat_template(…, add_generation_prompt=True)`; where a message
    spells out a special token, those of its `sanitize_control_tokens=True`: only the template
    writes special tokens, a message has the characters.

    Raises:
        UnsupportedError: no template, or one that tries to access what no template needs.
        DamagedFileError: a template that is not valid.
        BadArgumentError: messages that it refuses.
    """
    names = tokenizer.special_names()
    forged = re.compile("|".join(map(re.escape, names)) or r"(?!)")
    parts = re.split(
        f"{_OPEN}({forged.pattern}){_CLOSE}|[{_OPEN}{_CLOSE}]",
        _render(tokenizer, _marked(_checked(messages), forged)),
    )
    ids = tokenizer.encode(parts[0], special_in_text=True)
    for number, part in enumerate(parts[1:], start=1):
        if part:  # every other one is a name that a message spelled out, or None for a lone mark
            ids += _encode_inside(tokenizer, part, special_in_text=number % 2 == 0)
    return ids


def _render(tokenizer: Tokenizer, messages: list[dict[str, Any]]) -> str:
    template = _compiled(_template(tokenizer))
    special = {f"{name}_token": token for name, token in tokenizer.special.items()}
    try:
        return template.render(
            messages=messages, tools=None, documents=None, add_generation_prompt=True, **special
        )
    except _Refused as error:
        raise BadArgumentError(f"the chat template refuses these messages: {error}") from error
    except SecurityError as error:
        raise UnsupportedError(
            f"the chat template tries to access what no template needs ({error}), and was stopped."
            " Do not trust the source of this checkpoint."
        ) from error
    except Exception as error:  # a template is a program, and may fail as any
        raise BadArgumentError(
            f"the chat template fails on these messages ({error}). Give each a role that it knows"
            " and a text as its content."
        ) from error


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


class _Refused(TemplateError):
    """What a template's raise_exception raises."""


class _Generation(Extension):
    """{% generation %} marks an answer for training; in a rendered text it shows nothing."""

    tags = {"generation"}  # noqa: RUF012 - jinja's own declaration is a set on the class

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class _PlainNamespace(Namespace):
    """Jinja's namespace without names that Python gives a meaning, as transformers has it."""

    def __setitem__(self, name: str, value: Any) -> None:
        if name.startswith("_"):
            raise SecurityError(f"a namespace's {name}")
        super().__setitem__(name, value)


@lru_cache
def _compiled(source: str) -> Template:
    """Templates come with checkpoints, from anywhere: they run in a sandbox that sees no object
    but the messages' strings, and can change none."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols]
    )
    environment.filters["tojson"] = _tojson
    environment.globals |= {
        "raise_exception": _raise_exception,
        "strftime_now": lambda form: datetime.now().strftime(form),
        "namespace": _PlainNamespace,
    }
    try:
        return environment.from_string(source)
    except TemplateSyntaxError as error:
        raise DamagedFileError(
            f"the chat template is not valid Jinja (line {error.lineno}: {error.message})."
            " Copy it again from where the model came from."
        ) from error


def _raise_exception(message: str) -> None:
    raise _Refused(message)


def _tojson(
    value: Any,
    ensure_ascii: bool = False,
    indent: int | None = None,
    separators: tuple[str, str] | None = None,
    sort_keys: bool = False,
) -> str:
    """Jinja's own would escape what HTML reads, which a model was not trained on."""
    return json.dumps(
        value,
        ensure_ascii=ensure_ascii,
        indent=indent,
        separators=separators,
        sort_keys=sort_keys,
    )


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
