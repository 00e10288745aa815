"""Folders with the configuration of a documentation generator, for tests."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from asdlc_kb.docs.generators import TreeConfiguration, read_configuration
from asdlc_kb.docs.generators.exclusions import Exclusions
from asdlc_kb.files.tree_listing import list_tree
from asdlc_kb.markup.nested_lists import MenuItem


def write_files(root: Path, files: Mapping[str, str]) -> Path:
    """Write files below a folder, and return it."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    return root


def configured(
    root: Path, files: Mapping[str, str], folder: str = ""
) -> TreeConfiguration:
    """Return the configuration read in a folder below `root` with these files."""
    return read_configuration(write_files(root, files) / folder)


def list_pages(found: TreeConfiguration) -> list[str]:
    """Return the paths of the files that a configuration does not leave out."""
    leaves_out = Exclusions(found).leaves_out
    return sorted(list_tree(found.root, leaves_out=leaves_out).files)


def outline(items: Iterable[MenuItem], depth: int = 0) -> list[str]:
    """Return a navigation as lines: title, address, indented below its parent."""
    lines: list[str] = []
    for item in items:
        lines.append(f"{'  ' * depth}{item.title or '-'} {item.href}".rstrip())
        lines += outline(item.below, depth + 1)
    return lines
