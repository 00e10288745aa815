"""Style sheets, scripts and the like, at addresses with their digest.

They are cacheable forever. Style sheets are minified.
"""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Final

from asdlc_kb.site.representation import CSS, SCRIPT, SVG, Representation
from asdlc_kb.site.urls import ASSETS

LIVE: Final = "live.js"
"""The live-reload script of pages in development."""
PREFETCH: Final = "prefetch.json"
"""The speculation rules: browsers load the page of a link under the pointer."""

_REFERENCE: Final = re.compile(r'(?<=url\(")[\w.]+(?="\))')
"""Another asset in a style sheet, by its name."""
_FOLDER: Final = Path(__file__).parent / "assets"
_TYPES: Final = {
    ".css": CSS,
    ".js": SCRIPT,
    ".json": "application/speculationrules+json",
    ".svg": SVG,
}


def address(name: str) -> str:
    """Return the address of an asset; raise FileNotFoundError if there is none."""
    return _make(name).path


def read_text(name: str) -> str:
    """Return the text of an asset as it is served."""
    return _make(name).body.decode()


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


def read(name: str) -> bytes:
    """Return the bytes of an asset; raise FileNotFoundError if there is none."""
    return (_FOLDER / name).read_bytes()


def make(stem: str, suffix: str, type: str, body: bytes) -> Representation:
    """Return an asset with the digest of its bytes in its address."""
    digest = blake2b(body, digest_size=6).hexdigest()
    path = f"{ASSETS}{stem}.{digest}.{suffix}"
    return Representation(path, type, body, is_lasting=True)


@cache
def _make(name: str) -> Representation:
    stem, _, suffix = name.rpartition(".")
    body = read(name)
    if suffix == "css":
        body = _write_style(body.decode()).encode()
    return make(stem, suffix, _TYPES[f".{suffix}"], body)


def _write_style(text: str) -> str:
    """Return a style sheet, minified, with the addresses of assets for their names."""
    # Imported late: the website begins with its first page.
    import rcssmin

    named = _REFERENCE.sub(lambda match: _make(match[0]).path.rpartition("/")[2], text)
    return str(rcssmin.cssmin(named))
