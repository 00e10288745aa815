"""Frontmatter that a configuration states for many pages, as the `defaults` of Jekyll.

The longer path of a scope wins, then one with a type, then the later one; the page's
own frontmatter wins over all.
"""

from collections.abc import Sequence
from typing import Final

from asdlc_kb.docs.generators.configuration import PageDefaults
from asdlc_kb.docs.pages.path_globs import match_glob
from asdlc_kb.files.tree_names import list_folders
from asdlc_kb.frontmatter.nodes import Mapping
from asdlc_kb.frontmatter.toml_format import make_mapping

_PAGES: Final = "pages"
_POSTS: Final = "posts"


def add_defaults(
    fields: Mapping, path: str, defaults: Sequence[PageDefaults], base: str = ""
) -> Mapping:
    """Return the frontmatter of a page with what is stated for it elsewhere."""
    if not defaults:
        return fields
    found = [each for each in defaults if _is_meant(each, f"{base}{path}")]
    found.sort(key=lambda each: (len(each.path), bool(each.type)))
    own = {key.strip().casefold() for key in fields.items}
    values = {
        key: value
        for each in found
        for key, value in each.values.items()
        if key.strip().casefold() not in own
    }
    return fields._replace(items={**make_mapping(values, 1).items, **fields.items})


def _is_meant(default: PageDefaults, path: str) -> bool:
    if default.type and default.type not in _list_types(path):
        return False
    if not set("*?[{") & set(default.path):
        # Jekyll compares the beginnings of paths, not names.
        return path.startswith(default.path)
    names = (path, *list_folders(path))
    return any(match_glob(default.path, name) is not False for name in names)


def _list_types(path: str) -> tuple[str, ...]:
    """Return the types that a page may have: of its collection, or of pages."""
    folders = path.split("/")[:-1]
    names = tuple(name[1:] for name in folders if name.startswith("_"))
    # A folder with an underscore may also be one of pages that is included.
    return (*names, _PAGES) if names != (_POSTS,) else names
