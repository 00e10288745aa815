"""Sidebars and labels of Docusaurus."""

from pathlib import Path

from support.generators import outline, write_files

from asdlc_kb.docs.generators.configuration import FolderLabel
from asdlc_kb.docs.generators.configuration_files import ConfigurationFiles
from asdlc_kb.docs.generators.docusaurus_sidebars import (
    LabelledFolder,
    read_labels,
    read_sidebars,
    read_translations,
    strip_versions,
    translate_menu,
)


def test_a_sidebar_of_an_old_version_is_without_its_prefix(tmp_path: Path) -> None:
    """Older releases write the version into each id."""
    text = """{"version-1.0/docs": {"Start": ["version-1.0/intro", "b"]}}"""
    write_files(tmp_path, {"s.json": text})
    files = ConfigurationFiles(tmp_path)
    menu = strip_versions(read_sidebars(tmp_path / "s.json", files), "1.0")
    assert outline(menu) == ["Start", "  - intro", "  - b"]
    assert not files.notes


def test_titles_are_translated(tmp_path: Path) -> None:
    """By the file of a language, whose keys name the sidebar; others stay."""
    text = """{
      "version.label": {"message": "Suivante"},
      "sidebar.docs.category.Guides v1.0": {"message": "Les guides"},
      "sidebar.docs.link.Site": {"message": 3},
      "sidebar": 3, "x": "y"
    }"""
    write_files(tmp_path, {"t.json": text, "broken.json": "3"})
    files = ConfigurationFiles(tmp_path)
    titles = read_translations(tmp_path / "t.json", files)
    assert titles == {"Guides v1.0": "Les guides"}
    write_files(tmp_path, {"s.json": '{"d": {"Guides v1.0": ["a"], "Other": ["b"]}}'})
    menu = translate_menu(read_sidebars(tmp_path / "s.json", files), titles)
    assert outline(menu) == ["Les guides", "  - a", "Other", "  - b"]
    assert not files.notes
    assert read_translations(tmp_path / "none.json", files) == {}
    assert read_translations(tmp_path / "broken.json", files) == {}
    assert len(files.notes) == 1


def test_labels_are_read_at_the_path_in_the_tree(tmp_path: Path) -> None:
    """Those of an edition are below its prefix."""
    write_files(
        tmp_path,
        {
            "docs/a/_category_.json": '{"label": "A", "position": 2}',
            "old/a/_category_.yml": "label: Old\n",
            "old/_category_.yml": "label: Root\n",
            "old/node_modules/_category_.yml": "label: No\n",
        },
    )
    roots = LabelledFolder(tmp_path / "docs"), LabelledFolder(tmp_path / "old", "1.0")
    assert dict(read_labels(roots, ConfigurationFiles(tmp_path))) == {
        "a": FolderLabel("A", 2.0),
        "1.0": FolderLabel("Root"),
        "1.0/a": FolderLabel("Old"),
    }
