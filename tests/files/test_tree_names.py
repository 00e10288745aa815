"""Rules for the real paths of files in a documentation tree."""

import pytest

from asdlc_kb.files.tree_names import INSTALLED, check_tree_folder


@pytest.mark.parametrize("path", [".", "a/b.md", "a b/c.png", "..data/a.md", "ü.md"])
def test_ordinary_paths_may_be_served(path: str) -> None:
    """Two leading dots, as of a mounted ConfigMap, are not hidden."""
    assert check_tree_folder(path) is None


@pytest.mark.parametrize(
    "path", [".a", "a/.git/b", ".env", *(f"a/{name}/b" for name in sorted(INSTALLED))]
)
def test_hidden_and_installed_paths_are_refused(path: str) -> None:
    """Wherever in the path the name is."""
    assert check_tree_folder(path) is not None
