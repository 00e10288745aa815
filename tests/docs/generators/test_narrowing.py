"""A folder below a tree's root has its part of the configuration."""

from pathlib import Path

from support.generators import outline, write_files

from asdlc_kb.docs.edition import EditionFolder, EditionRules
from asdlc_kb.docs.generators.configuration import FolderLabel, TreeConfiguration
from asdlc_kb.docs.generators.narrowing import narrow, view_edition
from asdlc_kb.markup.nested_lists import MenuItem


def configure(root: Path, editions: EditionRules) -> TreeConfiguration:
    """Return the configuration of a tree with these editions."""
    labels = {"guide/a": FolderLabel("A"), "1.0/guide/b": FolderLabel("B")}
    return TreeConfiguration(root=root, editions=editions, folders=labels)


def read_part(configuration: TreeConfiguration, name: str) -> TreeConfiguration:
    """Return the configuration of a folder of the tree."""
    found = narrow(configuration, configuration.root / name)
    assert found is not None
    return found


def test_the_root_and_folders_above_have_all(tmp_path: Path) -> None:
    """Another folder has nothing."""
    configuration = configure(tmp_path / "docs", EditionRules())
    assert narrow(configuration, tmp_path / "docs") is configuration
    assert narrow(configuration, tmp_path) is configuration
    assert narrow(configuration, tmp_path / "other") is None


def test_a_language_alone_is_the_default(tmp_path: Path) -> None:
    """The others are outside of the folder."""
    rules = EditionRules(
        languages={"en": "en", "fr": "fr"},
        default_language="en",
        language="en",
        versions={"fr/v1": "1", "fr/v2": "2", "en/v1": "1"},
        default_version="2",
    )
    part = read_part(configure(tmp_path, rules), "fr").editions
    assert (part.language, part.default_language, part.languages) == ("fr", "fr", {})
    assert part.versions == {"v1": "1", "v2": "2"}
    assert part.default_version == "2"
    english = read_part(configure(tmp_path, rules), "en").editions
    assert (english.versions, english.default_version) == ({"v1": "1"}, "")


def test_a_folder_that_states_no_edition_keeps_all(tmp_path: Path) -> None:
    """Its suffixes, and the same folder of editions outside of the root."""
    menu = (MenuItem("G", "guide/x"), MenuItem("O", "other"))
    folder = EditionFolder(tmp_path / "v1", "1.0", "1.0", "", menu)
    missing = EditionFolder(tmp_path / "v0", "0.9", "0.9")
    linked = EditionFolder(tmp_path / "v2", "2.0", "2.0")
    write_files(tmp_path, {"v1/guide/x.md": "", "v0/a.md": "", "v2/a.md": ""})
    (tmp_path / "v2/guide").symlink_to(tmp_path / "v1")
    rules = EditionRules(
        version="next",
        default_version="1.0",
        suffixes={"fr": "fr"},
        language="en",
        default_language="en",
        folders=(folder, missing, linked),
    )
    part = read_part(configure(tmp_path / "docs", rules), "guide")
    (kept,) = part.editions.folders
    assert kept.folder == tmp_path / "v1/guide"
    assert (kept.prefix, outline(kept.navigation)) == ("1.0", ["G /x"])
    assert part.editions.suffixes == rules.suffixes
    assert part.editions.default_version == "1.0"
    assert part.folders == {"a": FolderLabel("A"), "1.0/b": FolderLabel("B")}


def test_an_edition_has_its_folder_labels_and_addresses(tmp_path: Path) -> None:
    """A translation also has those of the tree; the default edition stays that."""
    older = EditionFolder(tmp_path / "v1", "1.0", "1.0", "en")
    french = EditionFolder(
        tmp_path / "fr", "fr", "2.0", "fr", navigation=(MenuItem("F", "a"),)
    )
    rules = EditionRules(
        version="2.0",
        default_version="2.0",
        language="en",
        default_language="en",
        folders=(older, french),
    )
    labels = {"a": FolderLabel("A"), "b": FolderLabel("B")}
    labels |= {"1.0/a": FolderLabel("Old"), "fr/a": FolderLabel("Un")}
    tree = TreeConfiguration(
        root=tmp_path / "docs",
        editions=rules,
        folders=labels,
        prefixes=("/docs/",),
        navigation=(MenuItem("N", "a"),),
        sidebar_file="s.md",
        notes=("a: not read",),
    )
    view = view_edition(tree, older)
    assert (view.root, view.sidebar_file) == (tmp_path / "v1", "")
    assert view.folders == {"a": FolderLabel("Old")}
    assert view.notes == ()
    assert view.prefixes == ("/docs/1.0/", "/1.0/", "/docs/")
    assert outline(view.navigation) == ["N a"]
    assert (view.editions.version, view.editions.default_version) == ("1.0", "2.0")
    assert (view.editions.folders, view.editions.language) == ((), "en")
    view = view_edition(tree, french)
    assert view.folders["a"] == FolderLabel("Un")
    assert view.folders["b"] == FolderLabel("B")
    assert outline(view.navigation) == ["F a"]
    assert view.editions.default_language == "en"
