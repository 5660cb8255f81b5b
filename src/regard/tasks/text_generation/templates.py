"""The program that renders chat templates, one request a line, for `tasks.template_process`.

A template comes with a checkpoint, from anywhere. It runs in a sandbox that sees no object but the
messages' texts, and can change none; and in a process of its own, whose memory the system limits.
"""

import json
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from functools import lru_cache
from typing import Any

from jinja2 import Template, TemplateError, TemplateSyntaxError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment, SecurityError
from jinja2.utils import Namespace

from regard.tasks.text_generation.control_tokens import Codes

MEMORY = 2**29  # bytes of address space, of which Python and Jinja need a tenth
LONGEST = 2**24  # characters of a rendered chat


def answer(
    template: str, values: dict[str, Any], special: dict[str, str], codes: Codes | None = None
) -> tuple[str, str]:
    """Outcome in a word, and the text or the reason.

    Args:
        special: the values that are control tokens, such as eos_token.
        codes: that the text has for what the template writes of control tokens.

    Returns:
        "text", "refused" by the template itself, "unsafe", "invalid", "large", "failed", or
        "unclear" where the text would be another one with codes.
    """
    values = values | {"strftime_now": datetime.now().strftime}
    try:
        text = _compiled(template).render(**values, **special)
        if len(text) > LONGEST:
            return "large", ""
        if codes is None:
            return "text", text
        special = {name: codes.encoded(token) for name, token in special.items()}
        with suppress(Exception):
            coded = _compiled(template, codes).render(**values, **special)
            if codes.decoded(coded) == text:
                return "text", coded
        return "unclear", ""
    except _Refused as error:
        return "refused", str(error)
    except SecurityError as error:
        return "unsafe", str(error)
    except TemplateSyntaxError as error:
        return "invalid", f"line {error.lineno}: {error.message}"
    except MemoryError:
        return "large", ""
    except Exception as error:  # a template is a program, and may fail as any
        return "failed", str(error)


class _Refused(TemplateError):
    """The exception that a template's raise_exception raises."""


class _Generation(Extension):
    """{% generation %} marks an answer for training; in a rendered text it shows nothing."""

    tags = {"generation"}  # noqa: RUF012 - jinja's own declaration is a set on the class

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


class _PlainNamespace(Namespace):
    """Jinja's namespace without names that Python gives a meaning, as transformers has it."""

    def __setitem__(self, name: str, value: object) -> None:
        if name.startswith("_"):
            raise SecurityError(f"a namespace's {name}")
        super().__setitem__(name, value)


@lru_cache
def _compiled(source: str, codes: Codes | None = None) -> Template:
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[_Generation, loopcontrols]
    )
    environment.filters["tojson"] = _tojson
    environment.globals |= {
        "raise_exception": _raise_exception,
        "namespace": _PlainNamespace,
    }
    if codes is None:
        return environment.from_string(source)
    tree = environment.parse(source)
    codes.encode_constants(tree)
    return environment.from_string(tree)


def _raise_exception(message: str) -> None:
    raise _Refused(message)


def _tojson(
    value: object,
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


def _limit_memory() -> None:
    with suppress(ImportError, OSError, ValueError):  # Windows has no such limit, macOS ignores it
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def _serve(tell: Callable[[Any], None]) -> None:
    tell("ready")
    for line in sys.stdin:
        request = json.loads(line)
        if (codes := request["codes"]) is not None:
            request["codes"] = Codes(tuple(codes["names"]), codes["first"])
        kind, text = answer(**request)
        tell((kind, text))
        if kind == "large":  # what is left of the memory is not known
            return


def _tell(value: object) -> None:
    print(json.dumps(value), flush=True)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C ends an answer, and not this
    _limit_memory()
    _serve(_tell)
