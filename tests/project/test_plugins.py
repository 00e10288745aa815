"""Manifests of plugins: only a name is read, and only of a proper one."""

from pathlib import Path

import pytest
from support.files import save_in_place
from support.project import make_project, scan_of

from asdlc_kb.project.locations import Plugin
from asdlc_kb.project.plugins import MAX_PLUGINS, list_manifests, read_plugins
from asdlc_kb.project.scanner import ProjectScanner

MANIFEST = "tools/p/.claude-plugin/plugin.json"


def test_a_folder_with_a_manifest_is_a_plugin(tmp_path: Path) -> None:
    """The project itself, too; a marketplace is none."""
    scanner = scan_of(
        tmp_path,
        {
            ".claude-plugin/plugin.json": '{"name": "top"}',
            MANIFEST: '{"name": "my-plugin.2"}',
            "market/.claude-plugin/marketplace.json": '{"name": "m"}',
            "node_modules/x/.claude-plugin/plugin.json": '{"name": "x"}',
        },
    )
    assert read_plugins(scanner) == (
        Plugin("top", ""),
        Plugin("my-plugin.2", "tools/p"),
    )
    assert MANIFEST in list_manifests(scanner)
    save_in_place(scanner.project.root / MANIFEST, '{"name": "later"}')
    assert read_plugins(scanner)[1].name == "my-plugin.2"


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "{}", '{"name": 3}', '{"name": ""}', '{"name": "a b"}'),
        *('{"name": "\\u0000"}', f'{{"name": "{"a" * 65}"}}', "[" * 100_000),
    ],
)
def test_other_manifests_make_no_plugin(tmp_path: Path, text: str) -> None:
    """Whatever is in them."""
    assert read_plugins(scan_of(tmp_path, {MANIFEST: text})) == ()


def test_a_manifest_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    """D-024: another file with a name is not disclosed."""
    project = make_project(tmp_path, {"package.json": '{"name": "secret"}'})
    folder = project.root / "p" / ".claude-plugin"
    folder.mkdir(parents=True)
    (folder / "plugin.json").symlink_to("../../package.json")
    assert read_plugins(ProjectScanner(project)) == ()
    (project.root / "q").mkdir()
    (project.root / "q" / ".claude-plugin").symlink_to("../real")
    save_in_place(project.root / "real" / "plugin.json", '{"name": "secret"}')
    assert read_plugins(ProjectScanner(project)) == ()


def test_the_number_of_plugins_is_limited(tmp_path: Path) -> None:
    """The uppermost are read."""
    files = {
        f"p/{n:03}/.claude-plugin/plugin.json": '{"name": "x"}'
        for n in range(MAX_PLUGINS + 1)
    }
    scanner = scan_of(tmp_path, files)
    assert len(read_plugins(scanner)) == len(list(list_manifests(scanner)))
    assert len(read_plugins(scanner)) == MAX_PLUGINS


def test_a_narrow_search_has_other_plugins(tmp_path: Path) -> None:
    """Those above the path alone."""
    scanner = scan_of(
        tmp_path, {MANIFEST: '{"name": "p"}', "q/.claude-plugin/plugin.json": "{}"}
    )
    assert len(read_plugins(scanner)) == 1
    scanner.narrow("q/x.md")
    assert read_plugins(scanner) == ()
    scanner.narrow("tools/p/skills/x/SKILL.md")
    assert read_plugins(scanner) == (Plugin("p", "tools/p"),)
