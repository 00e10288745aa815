"""The two indexes in a folder: what is in their files, and what a change leaves."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import tantivy
from support.texts import SHELF, document, section

from asdlc_kb.exceptions import IndexFault
from asdlc_kb.search.document import Document
from asdlc_kb.search.folder import Folder
from asdlc_kb.search.policy import POLICY
from asdlc_kb.search.schema import PAGES, SECTIONS, make_index
from asdlc_kb.search.store import Store, guard

CANARY = "canaryq7x4"
"""One word, as the engine cuts words."""

SECRET = document(
    "secret.md",
    f"Title {CANARY}",
    f"Text {CANARY}",
    section(f"Head {CANARY}", f"More {CANARY}"),
    tags=(CANARY,),
    description=f"About {CANARY}",
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store in a folder, with some documents and one that is to go."""
    store = Store(Folder(tmp_path / "index"), POLICY)
    store.change((), ((one, one.digest) for one in (*SHELF, SECRET)))
    yield store
    store.close()


def slot_of(store: Store, key: str) -> int:
    """Return the slot of a document."""
    return next(slot for slot, e in store.shelf.entries.items() if e.key == key)


def holdings(root: Path) -> str:
    """Return every term and every stored byte of the indexes in a folder.

    Terms and rows are compressed in the files, so the engine has to open them. It shows
    the terms of deleted documents too, as long as they are in a file.
    """
    found: list[str] = []
    for part in sorted(root.glob("*-*")):
        schema = PAGES if part.name.startswith("pages") else SECTIONS
        index = make_index(schema, str(part))
        searcher = index.searcher()
        names = ("all", "head", "title", "tags", "body", "words", "category")
        for name in names if schema is PAGES else names[:2]:
            found += [term for term, _ in searcher.terms_with_prefix(name, "")]
        hits = searcher.search(tantivy.Query.all_query(), 1_000).hits
        found += [str(searcher.doc(address).to_dict()) for _, address in hits]
    for path in root.rglob("*"):
        if path.is_file():
            found.append(path.read_bytes().decode("latin-1"))
    return "\n".join(found).lower()


def test_a_deletion_alone_leaves_the_terms_in_the_files(
    store: Store, tmp_path: Path
) -> None:
    """So the look into the files can fail, and the engine needs to be helped."""
    assert CANARY in holdings(tmp_path / "index")
    store.change([slot_of(store, "secret.md")], ())
    assert store.dead == 1
    assert CANARY in holdings(tmp_path / "index")


def test_nothing_of_a_document_that_is_gone_stays_after_a_rewrite(
    store: Store, tmp_path: Path
) -> None:
    """In no file: no term, no row, no name; and there is one set of files only."""
    store.change([slot_of(store, "secret.md")], ())
    store.rewrite()
    assert store.dead == 0
    held = holdings(tmp_path / "index")
    assert CANARY not in held
    assert "secret.md" not in held
    assert "nginx" in held
    parts = sorted(path.name for path in (tmp_path / "index").glob("*-*"))
    assert len(parts) == 2


def test_a_rewrite_keeps_every_document_as_it_was_given(store: Store) -> None:
    """Sections, their order and lines, tags and descriptions included."""
    store.rewrite()
    again: dict[str, Document] = {one.key: one for _, one in store._read_all()}
    assert again == {one.key: one for one in (*SHELF, SECRET)}


def test_an_index_is_opened_as_it_was_closed(store: Store, tmp_path: Path) -> None:
    """With its slots, so that the next document gets another one."""
    entries = store.shelf.entries
    store.close()
    opened = Store(Folder(tmp_path / "index"), POLICY)
    assert opened.was_opened
    assert opened.shelf.entries == entries
    opened.change((), [(document("new.md", "New"), b"new")])
    assert slot_of(opened, "new.md") == max(entries) + 1
    opened.close()


def test_a_reader_of_the_state_before_reads_on(store: Store) -> None:
    """While the files under it are replaced and deleted."""
    before = store.shelf
    store.change(list(before.entries), ())
    store.rewrite()
    found = before.pages.search(tantivy.Query.all_query(), 10).hits
    assert len([before.pages.doc(address) for _, address in found]) == len(SHELF) + 1
    assert store.shelf.pages.num_docs == 0


@pytest.mark.parametrize("error", [OSError, ValueError, RuntimeError])
def test_everything_by_which_the_engine_fails_is_one_fault(
    error: type[Exception],
) -> None:
    """A panic too, which is no Exception; but not what a person does."""
    with pytest.raises(IndexFault), guard():
        raise error("x")
    with pytest.raises(IndexFault), guard():
        raise type("PanicException", (BaseException,), {})("x")
    with pytest.raises(KeyboardInterrupt), guard():
        raise KeyboardInterrupt
