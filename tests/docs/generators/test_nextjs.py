"""`next.config.*`, with the menus of Nextra and Fumadocs."""

import json
from pathlib import Path

import pytest
from support.generators import configured, outline

from asdlc_kb.docs.generators import nextjs
from asdlc_kb.docs.generators.static_folders import find_static_folders

NEXT = {"next.config.mjs": "export default {}"}


def test_menus_of_nextra_are_in_its_folders(tmp_path: Path) -> None:
    """Keys are in order, separators are groups, and other pages follow."""
    files = {
        **NEXT,
        "package.json": '{"dependencies": {"nextra": "4"}}',
        "content/_meta.js": """export default {
          index: '', 'a-b': 'Title', '--': {type: 'separator', title: 'More'},
          guide: {title: 'Guide'}, x: {title: 'X', href: 'https://e.org'},
          old: {display: 'hidden'}, '*': {theme: {}}, '../up': 'Up',
        }""",
        "content/guide/_meta.json": '{"one": {"theme": {}}}',
        "content/guide/one.mdx": "",
        "content/index.mdx": "",
    }
    found = configured(tmp_path, files)
    assert (found.generator, found.dialect) == ("nextjs", "mdx")
    assert found.root == tmp_path / "content"
    assert outline(found.navigation) == [
        *("- index", "Title a-b", "More", "  Guide guide/", "    - guide/one"),
        *("    - guide/**", "  X https://e.org", "- /**"),
    ]


def test_menus_of_fumadocs_name_pages(tmp_path: Path) -> None:
    """Folders, separators, links, the rest, and pages of a folder."""
    files = {
        **NEXT,
        "package.json": '{"dependencies": {"fumadocs-ui": "1"}}',
        "content/blog/post.mdx": "",
        "content/docs/meta.json": """{"pages": ["index", "---[Icon]Part---", "(g)",
          "...h", "!no", "[E](https://e.org)", "../up", "..."]}""",
        "content/docs/(g)/meta.json": '{"title": "G"}',
        "content/docs/(g)/one.mdx": "",
        "content/docs/h/two.mdx": "",
        "content/docs/index.mdx": "",
    }
    found = configured(tmp_path, files)
    assert found.root == tmp_path / "content" / "docs"
    assert found.prefixes == ("/docs/",)
    assert outline(found.navigation) == [
        *("- index", "Part", "  G (g)/", "    - (g)/**", "  - h/**"),
        *("  E https://e.org", "  - /**"),
    ]


def test_a_site_without_menus_has_no_navigation(tmp_path: Path) -> None:
    """A program without MDX, or without pages, is no site."""
    package = {"package.json": '{"dependencies": {"@next/mdx": "1"}}'}
    found = configured(tmp_path / "a", {**NEXT, **package, "src/content/a.md": ""})
    assert (found.generator, found.navigation) == ("nextjs", ())
    assert found.root == tmp_path / "a" / "src" / "content"
    (tmp_path / "a" / "public").mkdir()
    assert find_static_folders(found) == (tmp_path / "a" / "public",)
    assert configured(tmp_path / "b", {**NEXT, **package}).generator == ""
    files = {**NEXT, "package.json": "{}", "content/a.md": ""}
    assert configured(tmp_path / "c", files).generator == ""


@pytest.mark.parametrize("name", ["meta.json", "_meta.json"])
def test_the_entries_of_all_folders_are_bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """A folder can be named repeatedly, also by itself."""
    monkeypatch.setattr(nextjs, "MAX_ENTRIES", 7)
    entries = {f"{'./' * number}a": "" for number in range(5)}
    stated = entries if name == "_meta.json" else {"pages": [*entries]}
    files = {
        **NEXT,
        "package.json": '{"dependencies": {"nextra": "4", "fumadocs-ui": "1"}}',
        "content/docs/a/page.mdx": "",
        f"content/docs/{name}": json.dumps(stated),
        f"content/docs/a/{name}": json.dumps({"pages": ["b", "c"], "x": "", "y": ""}),
    }
    items = outline(configured(tmp_path, files).navigation)
    assert len([item for item in items if "**" not in item]) == 7
