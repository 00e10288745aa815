"""Leaf bundles of Hugo: folders with an `index` page, whose other files are no pages.

The root is none, nor a folder that has an `_index` page too.
"""

from collections.abc import Iterable, Iterator

from asdlc_kb.files.tree_names import list_folders


def find_resources(paths: Iterable[str]) -> Iterator[str]:
    """Yield the files of leaf bundles that are no pages."""
    own: dict[str, set[str]] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        own.setdefault(folder, set()).add(name.partition(".")[0])
    bundles = {
        folder
        for folder, stems in own.items()
        if folder and "index" in stems and "_index" not in stems
    }
    for path in paths if bundles else ():
        folder, _, name = path.rpartition("/")
        is_own = folder in bundles and name.partition(".")[0] == "index"
        above = list_folders(folder if is_own else path)
        if any(each in bundles for each in above):
            yield path
