"""Known vulnerabilities in the packages of PyPI and npm that regard is built and tested with.

    python tools/audit.py               asks for as long as it takes
    python tools/audit.py --seconds 15  leaves out what has not answered by then

pip-audit asks about the versions of constraints.txt, npm about those of each package-lock.json. A
vulnerability ends it with exit code 1. A service that cannot be reached is named and skipped: a
mirror of a registry often has none. Needs the extra `dev`, and npm where there is one.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packages import ROOT, constraints, python_packages

# What pip-audit and npm write where the network, and not what was asked, is at fault.
NETWORK = ("requests.exceptions.", "Could not connect", "not redirecting", "ServiceError")
NPM_NETWORK = ("request to ", "network ", "Service Unavailable")
UNREACHABLE = "not reachable: skipped"


@dataclass(frozen=True)
class Answer:
    """What became of a question: what to print, and whether CI must fail."""

    text: str
    failed: bool = False


def of_pip(output: str, errors: str) -> Answer:
    """What pip-audit's JSON says. A package that the service does not know was not audited."""
    try:
        packages = json.loads(output)["dependencies"]
    except (ValueError, KeyError):
        last = (errors.strip().split("\n") or [""])[-1][:200]
        if any(word in errors for word in NETWORK):
            return Answer(f"{UNREACHABLE} ({last})")
        return Answer(f"pip-audit failed: {last}", failed=True)
    known = [each for each in packages if "skip_reason" not in each]
    found = [
        f"{each['name']} {each['version']}: {vulnerability['id']}"
        + (
            f", mended in {', '.join(vulnerability['fix_versions'])}"
            if vulnerability["fix_versions"]
            else ""
        )
        for each in known
        for vulnerability in each["vulns"]
    ]
    if found:
        return Answer("\n  ".join([f"{len(found)} known vulnerabilities", *found]), failed=True)
    if not known:
        return Answer(f"{UNREACHABLE} (it knows none of {len(packages)} packages)")
    left = (
        f"; {len(packages) - len(known)} are not known there" if len(known) < len(packages) else ""
    )
    return Answer(f"{len(known)} packages, no known vulnerability{left}")


def of_npm(output: str, errors: str) -> Answer:
    """What `npm audit --json` says."""
    try:
        answer: dict[str, Any] = json.loads(output)
    except ValueError:
        return Answer(f"npm audit failed: {errors.strip()[-200:]}", failed=True)
    if "vulnerabilities" in answer:
        found = [f"{name}: {each['severity']}" for name, each in answer["vulnerabilities"].items()]
        if found:
            return Answer("\n  ".join([f"{len(found)} vulnerable packages", *found]), failed=True)
        count = answer["metadata"]["dependencies"]["total"]
        return Answer(f"{count} packages, no known vulnerability")
    message = str(answer.get("message") or (answer.get("error") or {}).get("summary") or "")
    if "statusCode" in answer or message.startswith(NPM_NETWORK):
        return Answer(f"{UNREACHABLE} ({answer.get('statusCode') or message[:100]})")
    return Answer(f"npm audit failed: {message or answer}"[:300], failed=True)


def ask_pip(names: set[str], seconds: float | None) -> Answer:
    """Asks about packages of constraints.txt."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "requirements.txt"
        pins = (f"{name}=={version}\n" for name, version in constraints().items() if name in names)
        file.write_text("".join(pins), encoding="utf-8")
        options = ["--no-deps", "--disable-pip", "--format=json", "--progress-spinner=off"]
        command = [sys.executable, "-m", "pip_audit", f"--requirement={file}", *options]
        return _asked(command, ROOT, seconds, of_pip)


def ask_npm(folder: Path, seconds: float | None) -> Answer:
    """Asks about the packages of a package-lock.json."""
    npm = shutil.which("npm")
    if npm is None:
        return Answer("no npm here: skipped")
    return _asked([npm, "audit", "--json", "--package-lock-only"], folder, seconds, of_npm)


def _asked(command: list[str], folder: Path, seconds: float | None, read: Any) -> Answer:
    try:
        done = subprocess.run(
            command, cwd=folder, timeout=seconds, capture_output=True, encoding="utf-8"
        )
    except subprocess.TimeoutExpired:
        return Answer(f"no answer in {seconds:g} s: skipped")
    answer: Answer = read(done.stdout, done.stderr)
    return answer


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, help="leave out what has not answered by then")
    seconds = parser.parse_args().seconds
    required = {each.name for each in python_packages()}
    asked = {
        "PyPI, what regard requires": lambda: ask_pip(required, seconds),
        "PyPI, what the tests and the documentation need": lambda: ask_pip(
            set(constraints()) - required, seconds
        ),
        "npm, the page": lambda: ask_npm(ROOT / "web", seconds),
    }
    with ThreadPoolExecutor(len(asked)) as pool:
        answers = dict(zip(asked, pool.map(lambda ask: ask(), asked.values()), strict=True))
    for name, answer in answers.items():
        print(f"{name}: {answer.text}")
    sys.exit(any(answer.failed for answer in answers.values()))


if __name__ == "__main__":
    main()
