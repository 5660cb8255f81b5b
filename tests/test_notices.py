"""THIRD-PARTY.md and the SBOM are of what is installed; what an audit finds is not passed over."""

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("license_expression")
pytest.importorskip("cyclonedx")

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools"))
try:
    import audit
    import licenses
    import packages
    import sbom
finally:
    sys.path.pop(0)


def test_the_list_of_licenses_is_that_of_what_is_installed() -> None:
    made = licenses.text(packages.python_packages(), packages.page_packages())
    assert licenses.FILE.read_text("utf-8") == made, "run `make notices`"


def test_the_sbom_is_of_what_is_installed_and_valid() -> None:
    assert sbom.FILE.read_text("utf-8") == sbom.written(sbom.bom()), "run `make notices`"


def test_what_is_installed_by_hash_is_what_regard_requires() -> None:
    lines = [
        line.split()[0]
        for name in ("hashes.txt", "hashes-build.txt")
        for line in (ROOT / name).read_text("utf-8").splitlines()
        if "==" in line
    ]
    pinned = {f"{name}=={version}" for name, version in packages.constraints().items()}
    required = {f"{each.name}=={each.version}" for each in packages.python_packages()}
    assert required <= set(lines) <= pinned, "run `make notices`"


def test_every_license_is_allowed() -> None:
    found = [*packages.python_packages(), *packages.page_packages()]
    assert {"numpy", "preact"} <= {each.name for each in found}
    assert licenses.refused(found) == []


@pytest.mark.parametrize(
    ("license", "is_allowed"),
    [
        ("MIT", True),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR GPL-3.0-only) AND ISC", True),
        ("Apache-2.0 WITH LLVM-exception", True),
        ("GPL-2.0-only WITH Classpath-exception-2.0", False),
        ("unknown", False),
        ("BSD", False),
    ],
)
def test_an_expression_is_met_by_allowed_licenses_alone(license: str, is_allowed: bool) -> None:
    assert licenses.allowed(license) == is_allowed
    assert bool(licenses.refused([packages.Package("it", "1", license)])) == (not is_allowed)


def test_the_page_carries_the_license_of_every_package_in_it() -> None:
    script = (packages.BUNDLED.parent / "regard.js").read_text("utf-8")
    notice = script[: script.index("*/")]
    assert notice.startswith("/*!")
    assert "Permission is hereby granted" in notice
    for each in packages.page_packages():
        assert f"{each.name} {each.version} ({each.license})" in notice
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text("utf-8"))["packages"]
    versions = {each.name: each.version for each in packages.page_packages()}
    assert versions == {name: lock[f"node_modules/{name}"]["version"] for name in versions}


VULNERABLE = {"id": "CVE-1", "fix_versions": ["3"], "aliases": [], "description": ""}
SKIPPED = {"name": "b", "skip_reason": "Dependency not found on PyPI"}
SOUND = {"name": "a", "version": "2", "vulns": []}


def pip(*found: object) -> audit.Answer:
    return audit.of_pip(json.dumps({"dependencies": found, "fixes": []}), "")


def test_a_known_vulnerability_of_a_python_package_fails() -> None:
    answer = pip(SOUND, {"name": "c", "version": "2", "vulns": [VULNERABLE]})
    assert answer.failed
    assert "c 2: CVE-1, mended in 3" in answer.text


def test_packages_that_the_service_does_not_know_are_not_called_sound() -> None:
    assert pip(SOUND, SKIPPED).text == "1 packages, no known vulnerability; 1 are not known there"
    nothing = pip(SKIPPED)  # of which pip-audit says "No known vulnerabilities found"
    assert not nothing.failed
    assert nothing.text == "not reachable: skipped (it knows none of 1 packages)"


def test_no_network_is_a_skip_and_a_mistake_is_a_failure() -> None:
    refused = "requests.exceptions.ProxyError: Max retries exceeded"
    assert audit.of_pip("", refused) == audit.Answer(f"{audit.UNREACHABLE} ({refused})")
    assert audit.of_pip("", "No module named pip_audit").failed
    for message in (
        {"message": "405 Method Not Allowed", "statusCode": 405},
        {"message": "request to x failed, reason: connect ECONNREFUSED"},
    ):
        answer = audit.of_npm(json.dumps(message), "")
        assert answer.text.startswith(audit.UNREACHABLE)
        assert not answer.failed
    assert audit.of_npm('{"error": {"code": "ENOLOCK", "summary": "no lockfile"}}', "").failed
    assert audit.of_npm("", "npm crashed").failed


def test_npm_tells_vulnerable_packages() -> None:
    total = {"dependencies": {"total": 110}}
    sound = audit.of_npm(json.dumps({"vulnerabilities": {}, "metadata": total}), "")
    assert sound == audit.Answer("110 packages, no known vulnerability")
    hole = {"vulnerabilities": {"lodash": {"severity": "high"}}, "metadata": total}
    assert audit.of_npm(json.dumps(hole), "") == audit.Answer(
        "1 vulnerable packages\n  lodash: high", failed=True
    )


def test_a_question_without_an_answer_in_time_is_a_skip() -> None:
    asleep = [sys.executable, "-c", "import time; time.sleep(9)"]
    answer = audit._asked(asleep, ROOT, 0.05, audit.of_pip)
    assert answer == audit.Answer("no answer in 0.05 s: skipped")
