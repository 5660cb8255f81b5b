"""Control tokens in a rendered chat: its template's own, and those that a message spells.

Before a template is rendered, each character of a control token that its own source writes is
replaced by a code, a character of private use that no message has. Whatever the template then does,
a control token in its text is its own where the codes are, and otherwise forged.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from jinja2 import nodes

PRIVATE_USE = range(0xF0000, 0x10FFFE)  # planes 15 and 16
# Methods whose arguments, or the first so many, are compared with a text and not written.
COMPARING = {
    **dict.fromkeys(("split", "rsplit", "partition", "rpartition", "strip", "lstrip", "rstrip"), 9),
    **dict.fromkeys(("startswith", "endswith", "find", "rfind", "index", "rindex", "count"), 9),
    **dict.fromkeys(("removeprefix", "removesuffix", "replace", "get"), 1),
}


@dataclass(frozen=True)
class Codes:
    """The codes of the characters of control tokens.

    Args:
        names: of the control tokens.
        first: the code of the first character.
    """

    names: tuple[str, ...]
    first: int

    @classmethod
    def absent_from(cls, text: str, names: Sequence[str]) -> "Codes":
        """Codes that a text has nowhere."""
        size = len({*"".join(names)})
        taken = {ord(character) for character in text if ord(character) >= PRIVATE_USE.start}
        firsts = range(PRIVATE_USE.start, PRIVATE_USE.stop - size, max(size, 1))
        return cls(
            tuple(names),
            next(first for first in firsts if not taken.intersection(range(first, first + size))),
        )

    @cached_property
    def alphabet(self) -> str:
        return "".join(sorted({*"".join(self.names)}))

    def encoded(self, text: str) -> str:
        """Return the text with a code for each character of a control token, or of what may become
        one: the beginning of one at the text's end, the end of one at its beginning."""
        covered: set[int] = set()
        for name in self.names:
            begin = text.find(name)
            while begin >= 0:
                covered.update(range(begin, begin + len(name)))
                begin = text.find(name, begin + 1)
            for size in range(1, min(len(name), len(text) + 1)):
                if text.endswith(name[:size]) and not name[:size].isalnum():
                    covered.update(range(len(text) - size, len(text)))
                if text.startswith(name[-size:]) and not name[-size:].isalnum():
                    covered.update(range(size))
        return "".join(
            self._table[character] if place in covered else character
            for place, character in enumerate(text)
        )

    def decoded(self, text: str) -> str:
        """Return the text that codes stand for."""
        return text.translate(self._back)

    def wrote(self, coded: str, roles: set[str]) -> bool:
        """Return True if the template wrote this control token, a part of a text with codes; its
        name may hold a message's role: "<|" + role + "|>"."""
        runs = groupby(coded.strip(), key=lambda character: ord(character) in self._back)
        return all(is_code or "".join(run) in roles for is_code, run in runs)

    def encode_constants(self, node: nodes.Node, *, compared: bool = False) -> None:
        """Put codes into what a template writes; what it compares with a message stays as it is."""
        if isinstance(node, nodes.TemplateData):
            node.data = self.encoded(node.data)
        elif isinstance(node, nodes.Const) and isinstance(node.value, str) and not compared:
            node.value = self.encoded(node.value)
        compared = compared or isinstance(node, nodes.Compare | nodes.Test)
        children = [(child, compared) for child in node.iter_child_nodes()]
        if isinstance(node, nodes.Getitem):
            children = [(node.node, compared), (node.arg, True)]
        elif isinstance(node, nodes.Pair):
            children = [(node.key, True), (node.value, compared)]
        elif isinstance(node, nodes.Filter | nodes.Call):
            callee = node.name if isinstance(node, nodes.Filter) else getattr(node.node, "attr", "")
            patterns = {*map(id, node.args[: COMPARING.get(callee, 0)])}
            children = [
                (child, compared or id(child) in patterns) for child in node.iter_child_nodes()
            ]
        for child, is_compared in children:
            self.encode_constants(child, compared=is_compared)

    @cached_property
    def _table(self) -> dict[str, str]:
        return {own: chr(self.first + place) for place, own in enumerate(self.alphabet)}

    @cached_property
    def _back(self) -> dict[int, str]:
        return {ord(code): own for own, code in self._table.items()}
