"""`next.config.*`, with the menus of Nextra and Fumadocs."""

from pathlib import Path

from support.generators import configured, outline

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
