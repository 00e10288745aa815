"""Listing of the articles of a content root: `<root>/<folder>/<name>.md`.

Temporary and dot names are skipped.
"""

import os
import stat
import sys
from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files.listing import COPY_ADVICE, Listing, NameRule, check_folder
from asdlc_kb.files.paths import is_name, refusal_reason
from asdlc_kb.files.seen_entries import SeenEntries
from asdlc_kb.files.signature import Signature

SUFFIX: Final = ".md"

NAME_ADVICE: Final = "use letters, digits, '.', '_', '-'"

_FOLDERS: Final = NameRule(is_name, NAME_ADVICE)
_FILES: Final = NameRule(lambda name: is_name(name.removesuffix(SUFFIX)), NAME_ADVICE)
_OPEN: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def list_files(root: Path, max_files: int = sys.maxsize) -> Listing:
    """List the Markdown files one folder below `root`, up to a number of them.

    Raises OSError if the root itself cannot be listed.
    """
    listing = Listing(seen=SeenEntries(_is_file))
    listing.folders[""] = Signature.of(os.stat(root))
    with os.scandir(root) as entries:
        children = list(entries)
    listing.seen.add("", root, children)
    names = [entry.name for entry in children if _is_folder(entry)]
    for folder in listing.select_names(names, _FOLDERS):
        try:
            status = os.stat(root / folder)
            if stat.S_ISDIR(status.st_mode):
                _list_folder(root, folder, Signature.of(status), listing, max_files)
        except OSError as error:
            if os.path.lexists(root / folder):
                listing.report_unlisted(folder, error)
    return listing


def check_article_path(path: str) -> UnreadableFile | None:
    """Return why the real path of an article is refused: hidden or not Markdown."""
    refusal = check_folder(path)
    if refusal is None and not path.endswith(SUFFIX):
        refusal = UnreadableFile(
            "the link does not point to a Markdown file", COPY_ADVICE
        )
    return refusal


def _list_folder(
    root: Path, folder: str, signature: Signature, listing: Listing, max_files: int
) -> None:
    refusal = refusal_reason(root, folder, check_folder)
    if refusal is not None:
        listing.report(folder, str(refusal))
        return
    listing.folders[folder] = signature
    with os.scandir(root / folder) as entries:
        children = list(entries)
    listing.seen.add(folder, root / folder, children)
    names = [entry.name for entry in children if _is_file(entry.name)]
    descriptor = os.open(root / folder, _OPEN)
    try:
        for name in listing.select_names(names, _FILES, f"{folder}/"):
            if len(listing.files) >= max_files:
                listing.report_too_many(folder, max_files)
                return
            path = f"{folder}/{name}"
            file_signature = listing.find_signature(name, path, within=descriptor)
            if file_signature is not None:
                listing.files[path] = file_signature
    finally:
        os.close(descriptor)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry of the root may be a served folder; links are candidates."""
    return not (entry.name.startswith(".") or entry.is_file(follow_symlinks=False))


def _is_file(name: str) -> bool:
    """Whether an entry of this name in a folder is a candidate."""
    return name.endswith(SUFFIX) and not name.startswith(".")
