"""Build the native engine's libraries again that are committed, or others: `make engine`.

Zig's clang, which PyPI has as the package ziglang, compiles for every machine on any of them, and
to the same bytes.
"""

import argparse
import hashlib
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
FINGERPRINT = "sources.sha256"  # beside the libraries: of what they were built from
SOURCE = ROOT / "engine"
LIBRARIES = ROOT / "src" / "regard" / "runtime" / "native" / "libraries"
OPTIONS = [
    *("-std=c++17", "-O2", "-g0", "-fPIC", "-fvisibility=hidden", "-ffunction-sections"),
    *("-fdata-sections", "-ffp-contract=off", "-fno-sanitize=all", "-Wall", "-Wextra", "-Werror"),
    *("-Wno-psabi", f"-I{SOURCE}"),
]
WIDE = ["-mavx2", "-mfma", "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl"]
X86_64: dict[str, list[str]] = {
    "plain": [],
    "avx2": ["-mavx2", "-mfma"],
    "avx512": WIDE,
    "avx512_vnni": [*WIDE, "-mavx512vnni"],
}
# By system and machine: Zig's name of them, and the kernels with the compiler's options for each.
TARGETS: dict[str, tuple[str, dict[str, list[str]]]] = {
    "linux-x86_64": ("x86_64-linux-gnu.2.17", X86_64),
    "linux-arm64": ("aarch64-linux-gnu.2.17", {"plain": []}),
    "darwin-arm64": ("aarch64-macos", {"plain": []}),
    "darwin-x86_64": ("x86_64-macos", X86_64),
    "windows-x86_64": ("x86_64-windows-gnu", X86_64),
}


def sources(target: str) -> list[tuple[str, list[str]]]:
    """Each object of a target's library: its source, and the options for it alone."""
    kernels = TARGETS[target][1]
    return [
        *(
            ("kernels/kernels.cpp", [*options, f"-DFAMILY={name}"])
            for name, options in kernels.items()
        ),
        ("kernels/kernels_at.cpp", []),
        ("interface.cpp", []),
    ]


def fingerprint() -> str:
    """The SHA-256 of everything that a library depends on."""
    content = hashlib.sha256(Path(__file__).read_bytes())
    for file in sorted(SOURCE.rglob("*.[ch]*")):
        content.update(f"{file.relative_to(SOURCE).as_posix()}\0".encode())
        content.update(file.read_bytes())
    return content.hexdigest()


def build(target: str, folder: Path, compiler: list[str]) -> Path:
    """The library of a target, in a folder."""
    command = [*compiler, "-target", TARGETS[target][0]]
    objects = []
    for number, (source, options) in enumerate(sources(target)):
        objects.append(folder / f"{target}-{number}.o")
        name = str(SOURCE / source)
        _run([*command, *OPTIONS, *options, "-c", name, "-o", str(objects[-1])])
    library = folder / f"{target}.so"
    sections = [] if "darwin" in target else ["-Wl,--gc-sections"]
    _run([*command, "-shared", "-s", *sections, *map(str, objects), "-o", str(library)])
    for file in objects:
        file.unlink()
    return library


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, cwd=SOURCE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    committed = sorted(library.stem for library in LIBRARIES.glob("*.so"))
    parser.add_argument("targets", nargs="*", default=committed, help=", ".join(TARGETS))
    parser.add_argument("--folder", type=Path, default=LIBRARIES)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for target in arguments.targets:
        library = build(target, arguments.folder, [sys.executable, "-m", "ziglang", "c++"])
        print(f"{library.name}: {library.stat().st_size:,} bytes")
    (arguments.folder / FINGERPRINT).write_text(fingerprint() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
