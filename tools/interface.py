"""Writes engine/interface.h in the languages of its callers: `python tools/interface.py`.

With --check, it fails where the files are not what the header gives. A list of names behind a field
of a struct, such as `no, yes, never`, is of its numbers from 0 on.
"""

import json
import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
HEADER = ROOT / "engine" / "interface.h"
PYTHON = ROOT / "src" / "regard" / "engine" / "native" / "interface.py"
TYPESCRIPT = ROOT / "web" / "src" / "local" / "interface.ts"
WRITTEN = "Written by tools/interface.py from engine/interface.h; not to be edited."
TUPLES = ("attention",)  # structs of which Python reads many, each at once

# By a number's type in C: in ctypes, in the module struct, as an argument in JavaScript, its bytes.
NUMBERS = {
    "int32_t": ("c_int32", "i", "number", 4),
    "int64_t": ("c_int64", "q", "bigint", 8),
    "float": ("c_float", "f", "number", 4),
    "double": ("c_double", "d", "number", 8),
}
CTYPES = {"void": "None", "char*": "c_char_p", "int32_t*": "Int32s", "float*": "Floats"}

Declared = list[tuple[str, str]]  # names and types, without "regard_" and "const"


class Function(NamedTuple):
    result: str
    arguments: Declared


def declared(text: str) -> Declared:
    """What one declaration says, such as `const int32_t *a, *b`; an argument may have no name."""
    text, stars = re.sub(r"\b(const|struct)\b|\bregard_", " ", text), ""
    kind, *_ = re.findall(r"\w+", text)
    names = text.replace(kind, "", 1).split(",")
    return [(name.strip(" *\n"), kind + "*" * name.count("*") + stars) for name in names]


class Interface:
    """What a header declares, by names without "regard_", in its order."""

    def __init__(self, header: str):
        plain = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
        numbers = re.findall(r"REGARD_(\w+)(?: =)? (\d+)", plain)
        self.constants = {name: int(number) for name, number in numbers}
        lists = re.findall(r"(\w+); /\* ([a-z]\w*(?:, [a-z]\w*){2,}) \*/", header)
        self.choices = {name.upper(): names.split(", ") for name, names in lists}
        called = r"([\w* ]+)\(\*(?:regard_)?(\w+)\)\((.*?)\);"
        self.callbacks = _functions(called, plain)
        plain = re.sub(called, r"\2 \2;", plain, flags=re.DOTALL)
        structs = re.findall(r"typedef struct[\w ]*\{(.*?)\} regard_(\w+);", plain, re.DOTALL)
        self.structs = {
            name: [field for each in body.split(";")[:-1] for field in declared(each)]
            for body, name in structs
        }
        self.functions = _functions(r"REGARD_API ([^;(]+?)regard_(\w+)\((.*?)\);", plain)

    def layout(self, struct: str, pointer: int) -> tuple[int, int, list[int]]:
        """A struct's bytes, what its place is a multiple of, and where its fields are, on a machine
        whose pointers have so many bytes."""
        at, most, places = 0, 1, list[int]()
        for _, kind in self.structs[struct]:
            size = step = NUMBERS[kind][3] if kind in NUMBERS else pointer
            if kind in self.structs:
                size, step, _ = self.layout(kind, pointer)
            places.append(-(-at // step) * step)
            at, most = places[-1] + size, max(most, step)
        return -(-at // most) * most, most, places

    def python(self) -> str:
        """The module for ctypes."""
        lines = [f'"""{WRITTEN}"""\n', "import struct", "from ctypes import *"]
        lines += ["from typing import Any, NamedTuple\n"]
        lines += ["Int32s, Floats = POINTER(c_int32), POINTER(c_float)"]
        lines += [f"{name} = {value}" for name, value in self.constants.items()]
        lines += [f"{name} = {tuple(names)}" for name, names in self.choices.items()]
        for name, (result, arguments) in self.callbacks.items():
            kinds = [result, *(kind for _, kind in arguments)]
            types = ["c_void_p" if "*" in kind else self._ctype(kind) for kind in kinds]
            lines.append(f"{name.title()} = CFUNCTYPE({', '.join(types)})")
        for name, fields in self.structs.items():
            lines += self._tuple(name, fields) if name in TUPLES else self._struct(name, fields)
        lines += ["\n\nFUNCTIONS: dict[str, tuple[Any, list[Any]]] = {"]
        for name, (result, arguments) in self.functions.items():
            kinds = ", ".join(self._ctype(kind) for _, kind in arguments)
            lines += [f'    "{name}": ({self._ctype(result)}, [{kinds}]),']
        return "\n".join([*lines, "}\n"])

    def _struct(self, name: str, fields: Declared) -> list[str]:
        listed = [f'        ("{field}", {self._ctype(kind)}),' for field, kind in fields]
        return [f"\n\nclass {name.title()}(Structure):", "    _fields_ = [", *listed, "    ]"]

    def _tuple(self, name: str, fields: Declared) -> list[str]:
        codes = "".join(NUMBERS[kind][1] if kind in NUMBERS else "P" for _, kind in fields)
        listed = [f"    {field}: int" for field, _ in fields]
        read = f'\n\n{name.upper()} = struct.Struct("@{codes}")'
        return [f"\n\nclass {name.title()}(NamedTuple):", *listed, read]

    def _ctype(self, kind: str) -> str:
        pointed = kind.removesuffix("*")
        if kind in CTYPES:
            return CTYPES[kind]
        if kind in NUMBERS:
            return NUMBERS[kind][0]
        if kind in self.structs or kind in self.callbacks:
            return kind.title()
        if pointed in NUMBERS or (pointed in self.structs and pointed not in TUPLES):
            return f"POINTER({self._ctype(pointed)})"
        return "POINTER(c_void_p)" if "**" in kind else "c_void_p"

    def typescript(self) -> str:
        """The same for the page, whose pointers have 4 bytes."""
        lines = [f"/** {WRITTEN} */"]
        lines += [f"export const {name} = {value};" for name, value in self.constants.items()]
        lines += [f"export const {name} = {json.dumps(x)};" for name, x in self.choices.items()]
        for name, fields in self.structs.items():
            size, _, places = self.layout(name, pointer=4)
            lines.append(f"export const {name.upper()} = {{\n  bytes: {size},\n  fields: {{")
            for (field, kind), place in zip(fields, places, strict=True):
                is_number = kind in NUMBERS or kind in self.structs
                lines.append(f'    {field}: ["{kind if is_number else "pointer"}", {place}],')
            lines.append("  },\n} as const;")
        lines += ["export interface Functions {"]
        for name, (result, arguments) in self.functions.items():
            given = [f"{each or kind.strip('*')}: {_number(kind)}" for each, kind in arguments]
            lines.append(f"  regard_{name}({', '.join(given)}): {_number(result)};")
        return "\n".join([*lines, "}\n"])


def _functions(pattern: str, header: str) -> dict[str, Function]:
    found = re.findall(pattern, header.replace("typedef ", ""), re.DOTALL)
    return {
        name: Function(
            declared(result)[0][1],
            [declared(each)[0] for each in arguments.split(",") if each != "void"],
        )
        for result, name, arguments in found
    }


def _number(kind: str) -> str:
    """What JavaScript has for it."""
    return "void" if kind == "void" else NUMBERS[kind][2] if kind in NUMBERS else "number"


def main() -> None:
    interface = Interface(HEADER.read_text("utf-8"))
    files = {PYTHON: interface.python(), TYPESCRIPT: interface.typescript()}
    stale = [
        file for file, text in files.items() if not file.exists() or file.read_text("utf-8") != text
    ]
    if "--check" in sys.argv:
        names = " and ".join(str(file.relative_to(ROOT)) for file in stale)
        sys.exit(
            f"{names}: not of engine/interface.h; run `python tools/interface.py`" if stale else 0
        )
    for file in stale:
        file.write_text(files[file], "utf-8")


if __name__ == "__main__":
    main()
