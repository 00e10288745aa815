"""Notes that are embedded by their name only."""

from pathlib import Path

from support.docs import DocsTree, rescan
from support.knowledge import settled_clock

from asdlc_kb.docs.generators.configuration import TreeConfiguration
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.docs.pages.note_names import MAX_FOLDERS, NoteNames
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.tree_listing import list_tree


def test_names_are_found_in_any_folder(tmp_path: Path) -> None:
    """The uppermost first; not beyond the limit of folders."""
    tree = DocsTree(tmp_path / "vault")
    for path in ("a/b/Note.md", "z/note.md", "a/b/other.md"):
        tree.write(path, "# Note\n")
    listing = list_tree(tree.root)
    names = NoteNames(tree.root, listing)
    assert names.find("note.md") == ["z/note.md", "a/b/Note.md"]
    assert names.find("B/note.md") == ["a/b/Note.md"]
    assert names.find("x/note.md") == names.find("ote.md") == names.find("") == []
    signature = Signature.of(tree.root.stat())
    listing.folders |= dict.fromkeys(map(str, range(MAX_FOLDERS)), signature)
    assert NoteNames(tree.root, listing).find("note.md") == []


def test_a_note_is_embedded_by_its_name(tmp_path: Path) -> None:
    """As soon as it appears in any folder; a hidden one is like a missing one."""
    tree = DocsTree(tmp_path / "vault")
    tree.write("x/home.md", "![[day]]\n")
    tree.write("hidden/day.md", "---\ndraft: true\n---\nA secret plover.\n")
    tree.write("y/other.md", "Other\n")
    configuration = TreeConfiguration(root=tree.root, dialect="obsidian")
    library = DocLibrary(tree.root, lambda: configuration, clock=settled_clock)
    library.load()
    body = library.catalog.find("x/home").body
    assert "plover" not in body and "not included" in body
    tree.write("y/day.md", "A day.\n")
    assert "A day." in rescan(library).find("x/home").body
    tree.write("y/day.md", "Another one.\n")
    assert "Another one." in rescan(library).find("x/home").body
