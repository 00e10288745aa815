"""The folder of caches: where the index and the parsed files of a source are."""

import os
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Final

from platformdirs import user_cache_path

from asdlc_kb.settings import MEMORY, Settings

PARSED: Final = "parsed"
"""The folder of parsed caches in it."""

MIRRORS: Final = "mirrors"
"""The folder of the files of databases in it."""


def locate_index(settings: Settings, kind: str, paths: Iterable[Path]) -> Path | None:
    """Return the folder of the index of a source; None for memory."""
    if (folder := _find_folder(settings)) is None:
        return None
    return folder / _name(kind, map(os.fsencode, paths))


def locate_parsed_cache(settings: Settings, kind: str, *identity: str) -> Path | None:
    """Return the file of the parsed files of one root; None for memory."""
    if (folder := _find_folder(settings)) is None:
        return None
    return folder / PARSED / _name(kind, map(os.fsencode, identity))


def locate_mirrors(settings: Settings, identity: str) -> Path | None:
    """Return the folder of the mirrors of a database; None for memory."""
    if (folder := _find_folder(settings)) is None:
        return None
    return folder / MIRRORS / identity


def _find_folder(settings: Settings) -> Path | None:
    if settings.cache_dir == MEMORY:
        return None
    return Path(settings.cache_dir or user_cache_path("asdlc-kb")).absolute()


def _name(kind: str, identity: Iterable[bytes]) -> str:
    digest = blake2b(b"\0".join(identity), digest_size=8)
    return f"{kind}-{digest.hexdigest()}"
