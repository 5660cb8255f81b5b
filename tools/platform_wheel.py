"""Put the native engine's libraries into a wheel: all of them or, for a platform's wheel, its own.

REGARD_PLATFORM=linux-x86_64 python -m pip wheel --no-deps .
"""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

LIBRARIES = Path("src/regard/engine/native/libraries")
TAGS = {
    "linux-x86_64": "manylinux_2_17_x86_64",
    "linux-arm64": "manylinux_2_17_aarch64",
    "darwin-arm64": "macosx_13_0_arm64",
    "darwin-x86_64": "macosx_13_0_x86_64",
    "windows-x86_64": "win_amd64",
}


class PlatformWheel(BuildHookInterface):
    """A wheel with one library, whose tag names its platform; else one for all of them."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        folder, platform = Path(self.root) / LIBRARIES, os.environ.get("REGARD_PLATFORM")
        if platform is not None and platform not in TAGS:
            raise ValueError(f"REGARD_PLATFORM must be one of {', '.join(TAGS)}; got {platform!r}")
        for file in sorted(folder.iterdir()):
            if platform is None or file.stem in (platform, "wasm32", "wasm32-relaxed", "sources"):
                build_data["force_include"][str(file)] = (
                    f"{LIBRARIES.relative_to('src')}/{file.name}"
                )
        if platform is not None:
            build_data["pure_python"], build_data["tag"] = False, f"py3-none-{TAGS[platform]}"
