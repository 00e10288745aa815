"""Mirrors in a folder, and what writes them."""

from pathlib import Path

from asdlc_kb.store.database import StoreAddress
from asdlc_kb.store.mirror_set import MirrorSet
from asdlc_kb.store.mirror_writer import MirrorWriter


def open_writer(folder: Path, url: str) -> tuple[MirrorSet, MirrorWriter]:
    """Return a set of mirrors and its writer."""
    mirrors = MirrorSet(folder)
    return mirrors, MirrorWriter(mirrors, StoreAddress.parse(url))
