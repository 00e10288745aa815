"""Guides and imported texts in one list, by path."""

from pathlib import Path

from support.project import scan_of

from asdlc_kb.project.guide_texts import get_guide_text, scan_guide_texts

FILES = {
    "CLAUDE.md": "@docs/a.md @away.md\n",
    "docs/a.md": "A\n@b.md\n",
    "docs/b.md": "B\n",
    "docs/c.md": "C\n",
    "web/AGENTS.md": "Only CSS.\n",
    "opencode.json": '{"instructions": ["docs/c.md", "docs/a.md"]}',
}


def test_each_text_is_listed_once(tmp_path: Path) -> None:
    """An import follows its guide; those that settings name come last."""
    texts = scan_guide_texts(scan_of(tmp_path, FILES))
    assert [(text.name, text.scope, text.importer) for text in texts] == [
        ("CLAUDE.md", "", ""),
        ("docs/a.md", "", "CLAUDE.md"),
        ("docs/b.md", "", "docs/a.md"),
        ("web/AGENTS.md", "web", ""),
        ("docs/c.md", "", ""),
    ]
    assert [text.content for text in texts][2:] == ["B\n", "Only CSS.\n", "C\n"]


def test_a_guide_is_listed_as_one_even_if_another_imports_it(tmp_path: Path) -> None:
    """Whichever comes first."""
    files = {"CLAUDE.md": "@web/AGENTS.md\n", "web/AGENTS.md": "Only CSS.\n"}
    guide = get_guide_text(scan_of(tmp_path, files), "web/AGENTS.md")
    assert guide is not None
    assert (guide.scope, guide.importer) == ("web", "")


def test_a_text_is_found_by_its_path_alone(tmp_path: Path) -> None:
    """Other files have none."""
    scanner = scan_of(tmp_path, FILES)
    found = get_guide_text(scanner, "docs/b.md")
    assert found is not None
    assert found.content == "B\n"
    for path in ("b.md", "away.md", "opencode.json", ""):
        assert get_guide_text(scanner, path) is None
    assert scanner.imported == {"docs/a.md", "docs/b.md", "away.md"}
