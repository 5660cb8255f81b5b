"""The image of the Dockerfile without a container tool: its steps run in a root folder.

    python tools/container.py FOLDER        as root; needs debootstrap and a mirror of Debian

The base is Debian's minimal system without its documentation, as the base of the image has it.
pip takes wheels that it has downloaded before. Then the entry point runs as the image's user.
Printed are the image's size, unpacked and as an archive, the time to its first answer, and that of
an answer.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MIRROR = "http://deb.debian.org/debian"
LEFT_OUT = ("usr/share/doc", "usr/share/man", "usr/share/locale", "usr/share/info", "var/cache/apt",
            "var/lib/apt/lists", "var/log")  # fmt: skip
# As in the base of the image: apt keeps no package that it has installed, dpkg no documentation.
CLEAN = """DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb || true"; };
Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache "";
"""
EXCLUDED = "".join(
    f"path-exclude /{folder}/*\n" for folder in LEFT_OUT if folder.startswith("usr/share")
)
PORT, KEY = 8766, "a key for this run"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "folder", type=Path, help="of the root folders; what is there is used again"
    )
    folder = parser.parse_args().folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    image = built(folder)
    weigh(image, folder / "image.tar.gz")
    serve(image)


def weigh(image: Path, archive: Path) -> None:
    """Print the size of a root folder, and of its archive."""
    unpacked = sum(file.lstat().st_size for file in image.rglob("*") if not file.is_dir())
    with tarfile.open(archive, "w:gz", compresslevel=6) as tar:
        tar.add(image, "")
    print(f"image: {unpacked / 1e6:.0f} MB, to download {archive.stat().st_size / 1e6:.0f} MB")


def instructions(text: str) -> list[tuple[str, str]]:
    """The Dockerfile's instructions, each with what follows its name."""
    lines = "\n".join(line for line in text.splitlines() if not line.startswith("#"))
    joined = lines.replace("\\\n", " ").splitlines()
    return [tuple(line.split(maxsplit=1)) for line in joined if line.strip()]  # type: ignore[misc]


def built(folder: Path) -> Path:
    """The root folder of the last stage."""
    base = debian(folder / "base")
    stages: dict[str, Path] = {}
    root, environment, work = base, dict[str, str](), "/"
    for name, rest in instructions((ROOT / "Dockerfile").read_text("utf-8")):
        if name == "FROM":
            stage = rest.partition(" AS ")[2] or "image"
            root = stages[stage] = folder / stage
            shutil.rmtree(root, ignore_errors=True)
            subprocess.run(["cp", "-a", base, root], check=True)
            environment, work = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"}, "/"
            if stage == "build":
                environment |= wheels(folder / "wheels", root)
        elif name in ("ARG", "ENV"):
            for setting, value in re.findall(r"(\w+)=(\S+)", rest):
                environment[setting] = value.replace("$PATH", environment.get("PATH", ""))
        elif name == "WORKDIR":
            work = rest
            (root / work[1:]).mkdir(parents=True, exist_ok=True)
        elif name == "COPY":
            copy(rest.split(), stages, root, root / work[1:])
        elif name == "RUN":
            inside(root, environment, work, ["sh", "-ec", rest]).check_returncode()
    return root


def debian(folder: Path) -> Path:
    """Debian's minimal system, and nothing that a slim image leaves out."""
    if not folder.exists():
        command = ["debootstrap", "--variant=minbase", "bookworm", str(folder), MIRROR]
        subprocess.run(command, check=True, stdout=sys.stderr)
        for name in LEFT_OUT:
            shutil.rmtree(folder / name, ignore_errors=True)
            (folder / name).mkdir(parents=True)
    (folder / "etc/apt/apt.conf.d/docker-clean").write_text(CLEAN)
    (folder / "etc/dpkg/dpkg.cfg.d/docker").write_text(EXCLUDED)
    shutil.copy("/etc/resolv.conf", folder / "etc/resolv.conf")
    return folder


def wheels(folder: Path, root: Path) -> dict[str, str]:
    """Put all wheels that the package needs into the root; the settings by which pip takes them."""
    if not folder.exists():
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--only-binary", ":all:"]
        command += ["--constraint", str(ROOT / "constraints.txt"), "--dest", str(folder)]
        command += ["--python-version", "3.11", "--implementation", "cp", "--no-cache-dir"]
        subprocess.run([*command, *required(), "hatchling"], check=True)
    shutil.copytree(folder, root / "wheels")
    return {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": "/wheels"}


def required() -> list[str]:
    import tomllib

    found: list[str] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "dependencies"
    ]
    return found


def copy(words: list[str], stages: dict[str, Path], root: Path, work: Path) -> None:
    """COPY [--from=STAGE] SOURCE… TARGET."""
    source = ROOT
    if words[0].startswith("--from="):
        source = stages[words.pop(0).removeprefix("--from=")]
    *names, last = words
    target = root / last[1:] if last.startswith("/") else work / last
    for name in names:
        place = source / name.lstrip("/")
        to = target / place.name if last.endswith("/") or target.is_dir() else target
        to.parent.mkdir(parents=True, exist_ok=True)
        if place.is_dir():
            # A checkout has compiled files that are no part of it.
            ignored = shutil.ignore_patterns("__pycache__") if source == ROOT else None
            shutil.copytree(place, to, symlinks=True, ignore=ignored)
        else:
            shutil.copy2(place, to)


def inside(
    root: Path, environment: dict[str, str], work: str, command: list[str]
) -> subprocess.CompletedProcess[str]:
    line = f"cd {shlex.quote(work)} && exec {shlex.join(command)}"
    chroot = ["/usr/sbin/chroot", str(root), "/bin/sh", "-ec", line]
    return subprocess.run(chroot, env=environment, stdout=sys.stderr, text=True)


def serve(image: Path) -> None:
    """Run the entry point as the image's user, and ask it."""
    steps = instructions((ROOT / "Dockerfile").read_text("utf-8"))
    last = {name: rest for name, rest in steps}  # noqa: C416 - the last of each
    command = json.loads(last["ENTRYPOINT"]) + json.loads(last["CMD"])
    environment = {"PATH": "/opt/regard/bin:/usr/bin:/bin", "PYTHONDONTWRITEBYTECODE": "1"}
    chroot = ["/usr/sbin/chroot", f"--userspec={last['USER']}", str(image), *command]
    began = time.perf_counter()
    server = subprocess.Popen(chroot, env=environment | {"REGARD_API_KEY": KEY}, stdout=sys.stderr)
    try:
        while not answers():
            if server.poll() is not None:
                sys.exit("the server ended before it answered")
            time.sleep(0.02)
        print(f"first answer {time.perf_counter() - began:.2f} s after its start")
        times = []
        for _ in range(20):
            start = time.perf_counter()
            assert answers()
            times.append(time.perf_counter() - start)
        times.sort()
        middle, largest = (1000 * times[place] for place in (len(times) // 2, -1))
        print(f"an answer: median {middle:.0f} ms, largest {largest:.0f} ms")
    finally:
        server.terminate()
        server.wait()


def answers() -> bool:
    """Whether it translates a sentence."""
    body = json.dumps({"q": "Where is the station?", "source": "en", "target": "de"})
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {KEY}"}
    request = urllib.request.Request(f"http://127.0.0.1:{PORT}/translate", body.encode(), headers)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return bool(json.load(answer)["translatedText"])
    except OSError:
        return False


if __name__ == "__main__":
    if os.geteuid() != 0:
        sys.exit("chroot needs root: sudo python tools/container.py FOLDER")
    main()
