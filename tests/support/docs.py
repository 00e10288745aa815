"""Documentation trees for tests: a folder of pages, some of them hidden.

Every tree has hidden pages full of canary text, and files that must not be served.
Whatever leaves the server during a test is scanned for it (see `support.canary`).
"""

import asyncio
from hashlib import blake2b
from pathlib import Path

from asdlc_kb.docs.catalogs.tree_catalog import TreeCatalog
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.exceptions import DocNotFound
from asdlc_kb.files.reader import RawFile
from asdlc_kb.files.signature import Signature
from support.canary import CANARY
from support.files import save_over
from support.knowledge import settled_clock


def raw_file(text: str, path: str = "guide/first-steps.md") -> RawFile:
    """Return a file as the reader returns it."""
    digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return RawFile(path, Signature(1, 1, len(text), 1, 1), digest, text)


class DocsTree:
    """A documentation folder that a test writes pages into."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(exist_ok=True)
        self._plant_canaries()

    def write(self, path: str, text: str) -> Path:
        """Save a file atomically, as an editor does; return its path."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        return save_over(self.root / path, text)

    def _plant_canaries(self) -> None:
        for number, line in enumerate(
            ("status: Draft", "draft: true", "status: Drfat", "a: [\nstatus: Draft")
        ):
            text = f"---\ntitle: {CANARY}\n{line}\n---\n# {CANARY}\n\nSays {CANARY}.\n"
            self.write(f"guide/{CANARY}-{number}.md", text)
        self.write(f"{CANARY}/only.md", "---\ndraft: true\n---\n# Only\n")
        self.write("known-draft.md", f"---\nstatus: Draft\n---\n# {CANARY}\n")
        secret = f"# {CANARY}\n\nA secret plover {CANARY}.\n"
        for path in (
            *(".env", ".hidden.md", ".git/x.md", "guide/.cache/x.md", "notes.txt"),
            *("node_modules/package/README.md", "guide/node_modules/README.md"),
        ):
            self.write(path, secret)
        outside = self.root.parent / f"{self.root.name}-outside"
        outside.mkdir(exist_ok=True)
        save_over(outside / "secret.md", secret)
        (self.root / "outside.md").symlink_to(outside / "secret.md")
        (self.root / "outside").symlink_to(outside)
        (self.root / "dotfile.md").symlink_to(".env")


HIDDEN_COUNT = 6
"""Hidden pages in every tree."""


def loaded(tree: DocsTree, *, missing_grace: float = 60.0) -> DocLibrary:
    """Return a loaded library for which every file is settled."""
    library = DocLibrary(tree.root, missing_grace=missing_grace, clock=settled_clock)
    library.load()
    return library


def rescan(library: DocLibrary) -> TreeCatalog:
    """Update a library from the disk; return its catalog."""
    library.publish(library.scan())
    return library.catalog


def fetch(library: DocLibrary, name: str) -> TreeCatalog:
    """Return a catalog with the current version of one page."""
    return asyncio.run(library.fetch(name))


def answer(catalog: TreeCatalog, name: str) -> str:
    """Return the title of a page, or the error instead."""
    try:
        return catalog.find(name).title
    except DocNotFound as error:
        return str(error)
