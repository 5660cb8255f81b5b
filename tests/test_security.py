"""The security page names modules and tests that exist; what deploys regard is what it says."""

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "reference" / "security.md").read_text("utf-8")
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8")
UNIT = (ROOT / "deploy" / "regard.service").read_text("utf-8")
DOORS = [part for part in PAGE.split("\n## ")[1:] if "At worst:" in part]


def test_every_door_names_modules_and_tests_that_exist() -> None:
    for door in DOORS:
        modules = re.findall(r"`([\w/]+\.py)`", door)
        tests = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", door)
        assert modules, door
        assert tests, door
        homes = (ROOT / "src/regard", ROOT)
        assert [m for m in modules if not any((home / m).is_file() for home in homes)] == []
        for file, name in tests:
            nodes = ast.walk(ast.parse((ROOT / file).read_text("utf-8")))
            assert name in {each.name for each in nodes if isinstance(each, ast.FunctionDef)}, file


def test_every_door_is_there() -> None:
    assert len(DOORS) == 14


def test_the_image_copies_what_exists_and_is_not_ignored() -> None:
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    ignored = (ROOT / ".dockerignore").read_text("utf-8").split("\n")
    assert {name for name in names if not (ROOT / name).exists()} == set()
    assert ignored[1] == "*"
    assert {line[1:] for line in ignored if line.startswith("!")} == names


def test_the_image_runs_without_root_and_holds_no_key() -> None:
    last = DOCKERFILE.rsplit("\nFROM ", 1)[1]
    assert re.search(r"^USER [1-9]\d*$", last, re.MULTILINE)
    assert last.index("\nUSER") < last.index("\nENTRYPOINT")
    assert "/healthz" in last[last.index("HEALTHCHECK") :]
    assert re.search(r"^ARG BASE=debian:\w+-slim$", DOCKERFILE, re.MULTILINE)
    assert not re.search(r"^(ENV|ARG) .*(KEY|TOKEN|SECRET)", DOCKERFILE, re.MULTILINE)


def test_the_dockerfile_has_no_warning() -> None:
    hadolint = Path(sys.executable).with_name("hadolint")
    program = str(hadolint) if hadolint.exists() else shutil.which("hadolint")
    if program is None:
        pytest.skip("hadolint is not installed")
    done = subprocess.run([program, str(ROOT / "Dockerfile")], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here")
def test_the_unit_is_valid_and_confined(tmp_path: Path) -> None:
    unit = tmp_path / "regard.service"
    unit.write_text(UNIT.replace("/opt/regard/bin/regard", shutil.which("true") or "/bin/true"))
    for arguments in (["verify"], ["security", "--offline=true", "--threshold=15"]):
        command = ["systemd-analyze", *arguments, str(unit)]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
