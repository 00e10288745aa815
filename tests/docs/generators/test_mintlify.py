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
