"""Style sheets and scripts, at addresses with their digest, cacheable forever."""

from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

from asdlc_kb.site.representation import CSS, SCRIPT, Representation
from asdlc_kb.site.urls import ASSETS

LIVE: Final = "live.js"
"""The live-reload script of pages in development."""

_FOLDER: Final = Path(__file__).parent / "assets"
_TYPES: Final = {".css": CSS, ".js": SCRIPT, ".svg": "image/svg+xml"}


def address(name: str) -> str:
    """Return the address of an asset; raise FileNotFoundError if there is none."""
    return _make(name).path


def find(path: str) -> Representation | None:
    """Return the asset at an address, or None. Cheap for other addresses."""
    return _by_path().get(path) if path.startswith(ASSETS) else None


def published() -> Iterator[Representation]:
    """Yield every asset except those for development."""
    return (page for page in all_assets() if page.path != address(LIVE))


def all_assets() -> Iterator[Representation]:
    """Yield every asset."""
    for file in sorted(_FOLDER.iterdir()):
        if file.suffix in _TYPES:
            yield _make(file.name)


@cache
def _by_path() -> Mapping[str, Representation]:
    return {page.path: page for page in all_assets()}


@cache
def _make(name: str) -> Representation:
    body = (_FOLDER / name).read_bytes()
    stem, _, suffix = name.rpartition(".")
    digest = blake2b(body, digest_size=6).hexdigest()
    path = f"{ASSETS}{stem}.{digest}.{suffix}"
    return Representation(path, _TYPES[f".{suffix}"], body, is_lasting=True)
