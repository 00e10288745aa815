"""The extension of VS Code and Cursor matches the server."""

import json
import re
from pathlib import Path
from typing import Any

from detected_paths import PATHS, describe_paths
from published import Published, add_extension_urls

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


def test_the_extension_detects_projects_as_the_server_does() -> None:
    """If not: python deploy/release/detected_paths.py."""
    assert PATHS.read_text(encoding="utf-8") == describe_paths()


def test_every_command_of_the_extension_is_documented() -> None:
    """By the title that the command palette shows."""
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    for command in MANIFEST["contributes"]["commands"]:
        assert f"| **{command['title']}** |" in page


def test_the_page_of_the_extension_works_in_a_marketplace() -> None:
    """It has no pictures, and no links that need the repository."""
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert "![" not in page
    assert re.findall(r"\]\((?!https:)", page) == []


def test_the_icon_of_the_extension_is_a_picture_that_a_marketplace_accepts() -> None:
    """PNG of at least 128 x 128 pixels."""
    icon = (FOLDER / MANIFEST["icon"]).read_bytes()
    assert icon.startswith(b"\x89PNG\r\n\x1a\n")
    sides = int.from_bytes(icon[16:20]), int.from_bytes(icon[20:24])
    assert min(sides) >= 128
    assert sides[0] == sides[1]


def test_the_extension_names_the_repository_once_it_is_public() -> None:
    """Before that it names no address."""
    text = (FOLDER / "package.json").read_text(encoding="utf-8")
    assert "https:" not in text
    nowhere = Published(repository="", index=False, image="")
    assert add_extension_urls(text, nowhere) == text
    base = "https://example.com/team/asdlc-kb"
    manifest = json.loads(add_extension_urls(text, Published(base, False, "")))
    assert manifest["homepage"] == base
    assert manifest["repository"] == {"type": "git", "url": f"{base}.git"}
    assert manifest["bugs"] == {"url": f"{base}/issues"}
    assert manifest["contributes"] == MANIFEST["contributes"]
