"""Build the native engine's libraries again that are committed, or others: `make engine`.

    python tools/build_engine.py                                all that are committed
    python tools/build_engine.py linux-x86_64                   one of them
    python tools/build_engine.py --check linux-x86_64 wasm32    compares bytes, and changes nothing

Zig's clang, which PyPI has as the package ziglang, compiles for every machine on any of them, and
to the same bytes.
"""

import argparse
import hashlib
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "engine"
LIBRARIES = ROOT / "src" / "regard" / "engine" / "native" / "libraries"
FINGERPRINTS = "sources.sha256"  # beside the libraries: of what each was built from
OPTIONS = [
    *("-O2", "-g0", "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections"),
    *("-ffp-contract=off", "-fno-sanitize=all"),
]
OURS = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-psabi", f"-I{SOURCE}"]
AVX2 = ["-mavx2", "-mfma"]
AVX512 = [*AVX2, "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl"]
X86_64: dict[str, list[str]] = {
    "plain": [],
    "avx2": AVX2,
    "avx_vnni": [*AVX2, "-mavxvnni", "-DLIKE=avx2"],
    "avx512": AVX512,
    "avx512_vnni": [*AVX512, "-mavx512vnni", "-DLIKE=avx512"],
}
ARM64 = {"plain": [], "neon_dot": ["-mcpu=generic+dotprod", "-DLIKE=plain"]}
# By system and machine: Zig's name of them, and the kernels with the compiler's options for each.
TARGETS: dict[str, tuple[str, dict[str, list[str]]]] = {
    "linux-x86_64": ("x86_64-linux-gnu.2.17", X86_64),
    "linux-arm64": ("aarch64-linux-gnu.2.17", ARM64),
    "darwin-arm64": ("aarch64-macos", ARM64),
    "darwin-x86_64": ("x86_64-macos", X86_64),
    "windows-x86_64": ("x86_64-windows-gnu", X86_64),
    "wasm32": ("wasm32-wasi", {"plain": []}),
    "wasm32-relaxed": ("wasm32-wasi", {"plain": ["-mrelaxed-simd"]}),
}
# Exceptions are WebAssembly's own, as every browser with SIMD has them. Zig's library of C++ is
# built without; its sources have what is missing. Relaxed SIMD, which not all have, multiplies and
# adds in one instruction.
WASM = ["-mcpu=generic+simd128+bulk_memory+exception_handling", "-fwasm-exceptions"]
WASM_LIBRARY = {
    "libcxxabi/src/cxa_exception.cpp": ["-std=c++23"],
    "libcxxabi/src/cxa_personality.cpp": ["-std=c++23"],
    "libunwind/src/Unwind-wasm.c": ["-std=c23"],
}


def is_wasm(target: str) -> bool:
    return target.startswith("wasm32")


def file_of(target: str) -> str:
    return f"{target}.wasm" if is_wasm(target) else f"{target}.so"


def sources(target: str) -> list[tuple[Path, list[str]]]:
    """Each object of a target's library: its source, and the options for it alone.

    Of a function that several have, the linker takes the first: what every processor runs is ahead
    of the kernels for some.
    """
    objects = [
        (
            SOURCE / "interface.cpp",
            [*OURS, "-Os", "-fno-rtti"],
        ),  # what takes long is in the kernels
        (SOURCE / "kernels/kernels_at.cpp", OURS),
        *(
            (SOURCE / "kernels/kernels.cpp", [*OURS, *options, f"-DFAMILY={name}"])
            for name, options in TARGETS[target][1].items()
        ),
    ]
    if is_wasm(target):
        zig = Path(str(find_spec("ziglang").origin)).parent / "lib"  # type: ignore[union-attr]
        folders = ("libcxxabi/include", "libcxxabi/src", "libcxx/src", "libunwind/include")
        library = ["-DNDEBUG", "-D_LIBCXXABI_HAS_NO_THREADS", "-D_LIBUNWIND_HIDE_SYMBOLS"]
        library += ["-D_LIBCPP_BUILDING_LIBRARY", "-D_LIBCXXABI_BUILDING_LIBRARY", "-w"]
        library += [f"-I{zig / folder}" for folder in folders]
        objects.append((SOURCE / "wasm.cpp", OURS))
        objects += [(zig / name, [*library, *more]) for name, more in WASM_LIBRARY.items()]
    return objects


def fingerprint() -> str:
    """The SHA-256 of everything that a library depends on."""
    content = hashlib.sha256(Path(__file__).read_bytes())
    for file in sorted(SOURCE.rglob("*.[ch]*")):
        content.update(f"{file.relative_to(SOURCE).as_posix()}\0".encode())
        content.update(file.read_bytes())
    return content.hexdigest()


def fingerprints(folder: Path = LIBRARIES) -> dict[str, str]:
    """What each library of a folder was built from, by its file."""
    file = folder / FINGERPRINTS
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return {name: number for number, name in map(str.split, lines)}


def build(target: str, folder: Path) -> Path:
    """The library of a target, in a folder."""
    compiler = [sys.executable, "-m", "ziglang"]
    machine = ["-target", TARGETS[target][0], *(WASM if is_wasm(target) else [])]
    library = folder / file_of(target)
    with tempfile.TemporaryDirectory() as objects:
        files = []
        for number, (source, options) in enumerate(sources(target)):
            more = ["-mllvm", "-wasm-enable-eh"] if is_wasm(target) else ["-fPIC"]
            command = [*compiler, "cc" if source.suffix == ".c" else "c++", *machine, *more]
            files.append(f"{objects}/{number}.o")
            _run([*command, *OPTIONS, *options, "-c", str(source), "-o", files[-1]])
        link = {"darwin": ["-shared", "-Wl,-dead_strip", "-Wl,-x"]}.get(
            target.split("-")[0], ["-shared", "-Wl,--gc-sections"]
        )
        if is_wasm(target):
            link = ["-mexec-model=reactor", "-Wl,--no-entry", "-rdynamic"]
        made = f"{objects}/{library.name}"  # beside which Windows' linker leaves files of its own
        _run([*compiler, "c++", *machine, *link, "-s", *files, "-o", made])
        library.write_bytes(Path(made).read_bytes())
    return library


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, cwd=SOURCE)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    committed = [target for target in TARGETS if (LIBRARIES / file_of(target)).exists()]
    parser.add_argument("targets", nargs="*", default=committed, help=", ".join(TARGETS))
    parser.add_argument("--folder", type=Path, default=LIBRARIES)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(os.cpu_count()) as pool:
        folder = Path(temporary) if arguments.check else arguments.folder
        folder.mkdir(parents=True, exist_ok=True)
        same = True
        for library in pool.map(lambda target: build(target, folder), arguments.targets):
            bytes_here = library.read_bytes()
            print(f"{library.name}: {len(bytes_here):,} bytes", flush=True)
            if arguments.check and bytes_here != (arguments.folder / library.name).read_bytes():
                print(f"{library.name} is not what its sources give: run `make engine`")
                same = False
    if not arguments.check:
        built = fingerprints(folder)
        built |= {file_of(target): fingerprint() for target in arguments.targets}
        lines = [f"{number}  {name}\n" for name, number in sorted(built.items())]
        (folder / FINGERPRINTS).write_text("".join(lines), encoding="utf-8")
    sys.exit(not same)


if __name__ == "__main__":
    main()
