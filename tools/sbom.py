"""The CycloneDX SBOM that a wheel carries (PEP 770): `python tools/sbom.py` writes regard.cdx.json.

It lists the packages of npm in the page, the models, and the packages of PyPI that regard requires,
in the versions of constraints.txt. Needs the extra `dev`.
"""

import argparse
import json
import uuid
from collections.abc import Iterable
from pathlib import Path

from cyclonedx.contrib.hash.factories import HashTypeFactory
from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import Property
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packages import ROOT, SHIPPED, Package, models, page_packages, python_packages
from packageurl import PackageURL

from regard.files import sha256
from regard.version import __version__

FILE = ROOT / "regard.cdx.json"
LICENSE, HASH = LicenseFactory(), HashTypeFactory()


def bom() -> Bom:
    """The list, the same for the same files: without the time of its making."""
    required, contained = python_packages(), page_packages()
    described = Component(
        name="regard",
        version=__version__,
        type=ComponentType.LIBRARY,
        bom_ref="regard",
        purl=PackageURL("pypi", None, "regard", __version__),
        licenses=[LICENSE.make_from_string("Apache-2.0")],
    )
    made = Bom(serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"regard {__version__}"))
    made.metadata.component = described
    python = {each.name: _required(each) for each in required}
    inside = [*map(_contained, contained), *(_model(*each) for each in models().items())]
    made.components.update([*inside, *python.values()])
    direct = [python[each.name] for each in required if each.required]
    made.register_dependency(described, [*inside, *direct])
    for each in required:
        made.register_dependency(python[each.name], _named(python, each.needs))
    return made


def written(made: Bom) -> str:
    """The list as JSON.

    Raises:
        ValueError: it is not valid CycloneDX.
    """
    content = json.loads(JsonV1Dot6(made).output_as_string())
    del content["metadata"]["timestamp"]
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    if error := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise ValueError(f"the SBOM must be valid CycloneDX 1.6; {error}")
    return text


def _required(package: Package) -> Component:
    found = _component(package, "pypi")
    found.scope = ComponentScope.REQUIRED
    where = [Property(name="regard:where", value="installed beside the wheel")]
    if package.required:
        where.append(Property(name="regard:versions", value=package.required))
    found.properties.update(where)
    return found


def _contained(package: Package) -> Component:
    found = _component(package, "npm")
    found.scope = ComponentScope.REQUIRED
    found.properties.add(Property(name="regard:where", value="regard/studio/static/regard.js"))
    return found


def _component(package: Package, kind: str) -> Component:
    namespace, _, name = package.name.rpartition("/")
    return Component(
        name=name,
        group=namespace or None,
        version=package.version,
        type=ComponentType.LIBRARY,
        bom_ref=f"{kind}:{package.name}",
        purl=PackageURL(kind, namespace or None, name, package.version),
        licenses=[LICENSE.make_from_string(package.license)],
    )


def _model(name: str, license: str) -> Component:
    weights = sorted((SHIPPED / name).glob("*.safetensors"))
    return Component(
        name=name,
        version=__version__,
        type=ComponentType.MACHINE_LEARNING_MODEL,
        bom_ref=f"model:{name}",
        licenses=[LICENSE.make_with_name(license)],
        hashes=[HASH.from_hashlib_alg("sha256", sha256(file)) for file in weights],
        properties=[Property(name="regard:where", value=f"regard/shipped/{name}")],
    )


def _named(components: dict[str, Component], names: Iterable[str]) -> list[Component]:
    return [components[name] for name in names]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=FILE)
    arguments = parser.parse_args()
    arguments.output.write_text(written(bom()), encoding="utf-8")


if __name__ == "__main__":
    main()
