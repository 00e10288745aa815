"""Names of artifact files and folders: which are served, and in which form.

A name is served in Unicode's composed form (NFC): macOS stores some names decomposed
(NFD), and people write them composed.
"""

from collections.abc import Collection
from typing import Final
from unicodedata import normalize

from asdlc_kb.files.paths import is_free_name

MAX_NAME_BYTES: Final = 255
"""UTF-8 bytes of a name, as many as file systems allow."""


def compose(path: str) -> str:
    """Return a name or path in the form in which it is served."""
    return path if path.isascii() else normalize("NFC", path)


def is_artifact_name(name: str) -> bool:
    """Whether a file or folder of this name may be served."""
    return is_free_name(compose(name), MAX_NAME_BYTES)


def is_folder_name(name: str) -> bool:
    """Whether artifacts may be in a folder of this name, outside artifact folders."""
    return is_free_name(name, MAX_NAME_BYTES)


def refuse_name(name: str, names: Collection[str]) -> str | None:
    """Return why a name in a folder with these names is not served; None if it is."""
    if not is_artifact_name(name):
        return "the name is not served: use no control or invisible character"
    composed = compose(name)
    if composed != name and composed in names:
        return "another name differs in its Unicode form alone: rename one"
    return None
