"""Further names of a page, from its frontmatter.

`aliases` (Hugo, Obsidian), `slug` (Docusaurus, Hugo, Starlight), `id` (Docusaurus),
`permalink` and `redirect_from` (Jekyll), and `url` (Hugo).
"""

from collections.abc import Callable, Sequence
from itertools import chain, islice
from typing import Final

MAX_ALIASES: Final = 20
"""Names of a page that are read."""

MAX_ALIAS_CHARS: Final = 300
"""Characters of such a name; a longer one is left out."""

_FROM_ROOT: Final = ("permalink", "redirect_from", "url")
_FROM_FOLDER: Final = ("slug", "aliases")
"""Fields with names relative to the page's folder, or as a whole."""
_OF_FILE: Final = "id"
"""A field that stands for the name of the file."""


def read_aliases(path: str, read: Callable[[str], Sequence[str]]) -> tuple[str, ...]:
    """Return the names, from the root, that the page at `path` states.

    `read` returns the texts of a field.
    """
    folder = path.rpartition("/")[0]
    whole = chain.from_iterable(map(read, (*_FROM_ROOT, *_FROM_FOLDER)))
    own = (f"{folder}/{name}" for name in read(_OF_FILE) if name.strip("/") == name)
    below = (
        f"{folder}/{name}"
        for name in chain.from_iterable(map(read, _FROM_FOLDER))
        if folder and not name.startswith("/")
    )
    names = (name.strip("/") for name in (*whole, *below, *own) if _is_name(name))
    return tuple(dict.fromkeys(islice(filter(None, names), MAX_ALIASES)))


def _is_name(name: str) -> bool:
    # Jekyll replaces `:title` and the like.
    return len(name) <= MAX_ALIAS_CHARS and ":" not in name
