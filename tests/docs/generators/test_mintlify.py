"""`docs.json` and `mint.json` of Mintlify."""

import json
from pathlib import Path

from support.generators import configured, list_pages, outline

from asdlc_kb.docs.generators.configuration_files import MAX_FILE_BYTES


def test_tabs_groups_and_pages_are_the_navigation(tmp_path: Path) -> None:
    """In both forms of the file."""
    groups = [
        {"group": "Start", "pages": ["intro", {"group": "More", "pages": ["a/b"]}]},
    ]
    tabs = [{"tab": "Guide", "groups": groups}, {"tab": "API", "href": "https://x.y"}]
    fields = {"name": "Site", "navigation": {"tabs": tabs}}
    found = configured(tmp_path / "new", {"docs.json": json.dumps(fields)})
    assert (found.generator, found.title) == ("mintlify", "Site")
    assert outline(found.navigation) == [
        *("Guide", "  Start", "    - intro", "    More", "      - a/b"),
        "API https://x.y",
    ]
    old = {"name": "Site", "navigation": groups}
    found = configured(tmp_path / "old", {"mint.json": json.dumps(old)})
    assert outline(found.navigation)[:2] == ["Start", "  - intro"]


def test_another_docs_json_is_none(tmp_path: Path) -> None:
    """The name is common."""
    assert configured(tmp_path, {"docs.json": '{"pages": 3}'}).generator == ""


def test_what_mintignore_lists_is_left_out(tmp_path: Path) -> None:
    """With the patterns of git; one that cannot be read leaves out all."""
    files = {"docs.json": '{"navigation": []}', "a.md": "", "keep.draft.mdx": ""}
    files |= {"x/private/b.md": "", "x/c.draft.mdx": "", "snippets/d.mdx": ""}
    text = "# internal\n\nprivate/\n*.draft.mdx\n!keep.draft.mdx\n"
    found = configured(tmp_path, {**files, ".mintignore": text})
    assert list_pages(found) == ["a.md", "keep.draft.mdx"]
    assert tmp_path / ".mintignore" in found.files
    (tmp_path / ".mintignore").write_bytes(b"a" * (MAX_FILE_BYTES + 1))
    found = configured(tmp_path, {})
    assert found.fault is not None
    assert (found.fault.path, list_pages(found)) == (".mintignore", [])


def test_a_navigation_may_be_divided_into_files(tmp_path: Path) -> None:
    """Each is named relative to the one that names it; fields beside it win."""
    languages = [
        {"language": "en", "tabs": [{"tab": "Guide", "pages": ["index"]}]},
        {"$ref": "./config/fr.json", "language": "fr"},
    ]
    files = {
        "docs.json": json.dumps({"navigation": {"$ref": "./config/menu.json"}}),
        "config/menu.json": json.dumps({"languages": languages}).replace("config/", ""),
        "config/fr.json": '{"language": "de", "tabs": {"$ref": "tabs.json"}}',
        "config/tabs.json": '[{"tab": "Manuel", "pages": ["fr/index"]}]',
    }
    found = configured(tmp_path, files | {"index.mdx": "", "fr/index.mdx": ""})
    assert outline(found.navigation) == [
        *("en", "  Guide", "    - index", "fr", "  Manuel", "    - fr/index")
    ]
    assert found.editions.languages == {"fr": "fr"}
    assert {tmp_path / name for name in files} <= set(found.files)


def test_references_that_lead_nowhere_are_empty(tmp_path: Path) -> None:
    """A cycle ends; a file outside of the repository is not read, but reported."""
    (tmp_path / "secret.json").write_text('{"group": "Secret", "pages": ["x"]}')
    pages = [{"$ref": "../secret.json"}, {"$ref": "none.json"}, {"$ref": "a.json"}]
    files = {
        "docs.json": json.dumps({"navigation": {"groups": pages}}),
        "a.json": '{"group": "A", "pages": ["a", {"$ref": "a.json"}]}',
    }
    found = configured(tmp_path / "repository", files)
    assert not [line for line in outline(found.navigation) if "Secret" in line]
    assert outline(found.navigation)[:3] == ["A", "  - a", "  A"]
    assert [note for note in found.notes if "../secret.json" in note]


def test_files_about_a_repository_are_no_pages(tmp_path: Path) -> None:
    """Unless `.mintignore` takes them back; those in folders are pages."""
    files = {"docs.json": '{"navigation": []}', "index.mdx": "", "a/README.md": ""}
    files |= {"README.md": "", "LICENSE.md": "", "CHANGELOG.md": ""}
    assert list_pages(configured(tmp_path / "x", files)) == ["a/README.md", "index.mdx"]
    found = configured(tmp_path / "y", files | {".mintignore": "!/CHANGELOG.md"})
    assert "CHANGELOG.md" in list_pages(found)
