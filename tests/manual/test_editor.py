"""The extension of VS Code and Cursor matches the server."""

import json
import re
from pathlib import Path
from typing import Any

from asdlc_kb import __version__

FOLDER = Path(__file__).parents[2] / "deploy" / "editor"
MANIFEST: dict[str, Any] = json.loads(
    (FOLDER / "package.json").read_text(encoding="utf-8")
)
LOCK = (FOLDER / "package-lock.json").read_text(encoding="utf-8")
SETTINGS: dict[str, Any] = MANIFEST["contributes"]["configuration"]["properties"]


def test_the_extension_has_the_version_of_the_server() -> None:
    """In both of its files: a release has one version."""
    lock = json.loads(LOCK)
    root = lock["packages"][""]
    versions = {MANIFEST["version"], lock["version"], root["version"]}
    assert versions == {__version__}


def test_the_extension_brings_nothing_along() -> None:
    """Its build dependencies are pinned, for whichever registry is configured."""
    assert not {"dependencies", "optionalDependencies"} & MANIFEST.keys()
    pinned = MANIFEST["devDependencies"].values()
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in pinned)
    packages = json.loads(LOCK)["packages"]
    assert all(package["integrity"] for path, package in packages.items() if path)
    assert '"resolved"' not in LOCK


def test_every_setting_of_the_extension_is_documented() -> None:
    """With its default, in its own table."""
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name, setting in SETTINGS.items():
        default = setting["default"]
        text = default if isinstance(default, str) else json.dumps(default)
        assert f"| `{name}` | {f'`{text}`' if text else ''}".rstrip() in page


def test_no_folder_that_is_opened_can_choose_what_is_started() -> None:
    """Settings have machine scope, and an untrusted workspace gets none at all."""
    assert {setting["scope"] for setting in SETTINGS.values()} == {"machine"}
    assert MANIFEST["capabilities"]["untrustedWorkspaces"]["supported"] is False
