"""The contents of the bundle for Claude Desktop (`.mcpb`), before its tool packs them.

The bundle has the package's modules and a `pyproject.toml` with the versions that the
image installs; the host installs them with uv (MCPB manifest 0.4, server type `uv`).
"""

import json
import re
import shutil
from configparser import ConfigParser
from pathlib import Path
from typing import Final

from published import ROOT, Published, read_published, read_version

SOURCES: Final = ROOT / "deploy" / "mcpb"
LOCK: Final = ROOT / "deploy" / "requirements" / "image.txt"
_PIN: Final = re.compile(r"(?m)^([A-Za-z0-9._-]+==\S+?)(?: ; (.+?))? \\$")


def write_bundle(folder: Path, root: Path = ROOT) -> None:
    """Write the files of the bundle into a new folder, from the tree at a root."""
    folder.mkdir(parents=True)
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(root / "asdlc_kb", folder / "asdlc_kb", ignore=ignored)
    shutil.copy(root / "LICENSE", folder)
    shutil.copy(SOURCES / "server.py", folder)
    (folder / "pyproject.toml").write_text(describe_project(), encoding="utf-8")
    manifest = describe_manifest(read_published(), read_version())
    (folder / "manifest.json").write_text(manifest, encoding="utf-8")


def describe_project() -> str:
    """Return the `pyproject.toml`: what to install, and in which versions."""
    config = ConfigParser()
    config.read(ROOT / "setup.cfg", encoding="utf-8")
    requirements = config["options"]["install_requires"].split("\n")
    pins = [
        f"{pin} ; {marker}" if marker else pin
        for pin, marker in _PIN.findall(LOCK.read_text(encoding="utf-8"))
    ]
    return (
        "[project]\n"
        'name = "asdlc-kb-bundle"\n'
        f'version = "{read_version()}"\n'
        f'requires-python = "{config["options"]["python_requires"]}"\n'
        f"dependencies = {_write_list(requirements)}\n"
        "[tool.uv]\n"
        "package = false\n"
        f"constraint-dependencies = {_write_list(pins)}"
    )


def describe_manifest(published: Published, version: str) -> str:
    """Return the manifest with this version and, if it is public, the repository."""
    manifest = json.loads((SOURCES / "manifest.json").read_text(encoding="utf-8"))
    manifest["version"] = version
    if published.repository:
        url = f"{published.repository}.git"
        manifest["repository"] = {"type": "git", "url": url}
        manifest["homepage"] = published.repository
    return json.dumps(manifest, indent=2) + "\n"


def _write_list(items: list[str]) -> str:
    lines = "".join(f"  {json.dumps(item)},\n" for item in items if item)
    return f"[\n{lines}]\n"
