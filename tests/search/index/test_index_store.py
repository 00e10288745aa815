"""The two indexes in a folder: the content of their files, and of changes."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
import tantivy
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
)
from support.texts import DOCUMENTS, document, section

from asdlc_kb.exceptions import IndexCorrupt
from asdlc_kb.search.index.directory import IndexDirectory
from asdlc_kb.search.index.index_pair import list_slots, read_documents
from asdlc_kb.search.index.index_schema import PAGES, SECTIONS, make_index
from asdlc_kb.search.index.index_store import IndexStore, convert_engine_errors
from asdlc_kb.search.policy import INDEX_POLICY
from asdlc_kb.search.values import SearchDocument

CANARY = "canaryq7x4"
"""One word for the engine."""

SECRET = document(
    "secret.md",
    f"Title {CANARY}",
    f"Text {CANARY}",
    section(f"Head {CANARY}", f"More {CANARY}"),
    tags=(CANARY,),
    description=f"About {CANARY}",
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[IndexStore]:
    """A store in a folder, with some documents and one to be removed."""
    store = IndexStore(IndexDirectory(tmp_path / "index"), INDEX_POLICY)
    add(store, *DOCUMENTS, SECRET)
    yield store
    store.close()


def add(store: IndexStore, *documents: SearchDocument) -> None:
    """Add documents."""
    rows = ((one, one.digest) for one in documents)
    store.change((), rows, count=len(documents))


def hide(store: IndexStore, *names: str) -> None:
    """Remove documents that were hidden."""
    slots = [slot_of(store, name) for name in names]
    store.change(slots, (), count=0, hidden=slots)


def keys(store: IndexStore) -> list[str]:
    """Return the keys in the two indexes, as they can be read back."""
    entries = store.snapshot.entries
    return sorted(one.key for _, one in read_documents(store.snapshot, entries))


def slot_of(store: IndexStore, key: str) -> int:
    """Return the slot of a document."""
    return next(slot for slot, e in store.snapshot.entries.items() if e.key == key)


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
    store: IndexStore, tmp_path: Path
) -> None:
    """So the check of the files can fail, and the purge is needed."""
    assert CANARY in holdings(tmp_path / "index")
    hide(store, "secret.md")
    assert store.needs_purge
    assert CANARY in holdings(tmp_path / "index")


def test_nothing_of_a_document_that_is_gone_stays_after_a_purge(
    store: IndexStore, tmp_path: Path
) -> None:
    """D-089: in no file: no term, no row, no name; even while a reader is open."""
    before = store.snapshot
    hide(store, "secret.md")
    store.purge()
    assert not store.needs_purge
    held = holdings(tmp_path / "index")
    assert CANARY not in held
    assert "secret.md" not in held
    assert "nginx" in held
    parts = sorted(path.name for path in (tmp_path / "index").glob("*-*"))
    assert len(parts) == 2
    assert before.pages.num_docs == len(DOCUMENTS) + 1


def test_only_what_was_written_next_to_it_is_rewritten(
    store: IndexStore, tmp_path: Path
) -> None:
    """So it takes a fraction of the time of the whole index."""
    add(store, *(document(f"{n}.md", "Many", f"words {n}") for n in range(300)))
    before = {path.name for path in tmp_path.rglob("*.store")}
    hide(store, "secret.md")
    store.purge()
    kept = before & {path.name for path in tmp_path.rglob("*.store")}
    assert len(kept) == len(before) - 2
    assert CANARY not in holdings(tmp_path / "index")
    assert len(keys(store)) == len(DOCUMENTS) + 300


def test_sections_may_be_cut_into_segments_of_their_own(
    store: IndexStore, tmp_path: Path
) -> None:
    """When they do not fit into a writer's memory."""
    store._dirty = frozenset(segment.name for segment in store._segments[1])
    store.purge()
    assert not store.needs_purge
    assert len(keys(store)) == len(DOCUMENTS) + 1


@pytest.mark.parametrize("is_on_disk", [True, False])
def test_a_purge_keeps_every_document_as_it_was_given(
    tmp_path: Path, is_on_disk: bool
) -> None:
    """Sections, their order and lines, tags and descriptions included."""
    folder = IndexDirectory(tmp_path / "index") if is_on_disk else None
    store = IndexStore(folder, INDEX_POLICY)
    add(store, *DOCUMENTS, SECRET)
    hide(store, DOCUMENTS[1].key)
    before = store.snapshot.pages
    store.purge()
    assert store.snapshot.pages is not before
    assert not store.needs_purge
    found = read_documents(store.snapshot, store.snapshot.entries)
    remaining = (DOCUMENTS[0], *DOCUMENTS[2:], SECRET)
    assert {one.key: one for _, one in found} == {one.key: one for one in remaining}
    store.close()


def test_a_purge_that_is_ended_leaves_a_true_index(
    store: IndexStore, tmp_path: Path
) -> None:
    """It is opened at the next start, not made again, and still needs the purge."""

    class Ended(Exception):
        """The purge is to stop."""

    def end() -> None:
        if calls:
            raise Ended
        calls.append(True)

    calls: list[bool] = []
    hide(store, "secret.md")
    with pytest.raises(Ended):
        store.purge(end)
    assert keys(store) == sorted(one.key for one in DOCUMENTS)
    store.close()
    opened = IndexStore(IndexDirectory(tmp_path / "index"), INDEX_POLICY)
    assert opened.was_opened
    assert opened.needs_purge
    opened.purge()
    assert CANARY not in holdings(tmp_path / "index")
    opened.close()


def test_what_wears_out_while_others_are_purged_is_purged_with_them(
    store: IndexStore, tmp_path: Path
) -> None:
    """Rewriting parts marks their documents as deleted; that is no fault."""
    for part in "abcd":
        add(store, *(document(f"{part}{n}.md", "Many", f"{n}") for n in range(300)))
    new = document("d0.md", "Changed")
    store.change([slot_of(store, "d0.md")], [(new, new.digest)], count=1)
    hide(store, *(f"{part}0.md" for part in "abc"))
    store.purge()
    assert not store.needs_purge
    assert len(keys(store)) == len(DOCUMENTS) + 1 + 1_200 - 3


def test_what_may_not_be_seen_leaves_the_files_before_what_was_replaced(
    store: IndexStore, tmp_path: Path
) -> None:
    """The former cannot wait; the latter ends when other work arrives."""

    class Ended(Exception):
        """Other work arrived."""

    def end() -> None:
        if not store.is_purge_urgent:
            raise Ended

    others = [document(f"{n}.md", "Other", f"Words {n}") for n in range(300)]
    add(store, *others)
    worn = [slot_of(store, one.key) for one in others[:90]]
    new = [document(one.key, "Changed") for one in others[:90]]
    store.change(worn, ((one, one.digest) for one in new), count=90)
    assert (store.needs_purge, store.is_purge_urgent) == (True, False)
    hide(store, "secret.md")
    assert (store.needs_purge, store.is_purge_urgent) == (True, True)
    with pytest.raises(Ended):
        store.purge(end)
    assert CANARY not in holdings(tmp_path / "index")
    assert (store.needs_purge, store.is_purge_urgent) == (True, False)
    store.purge()
    assert not store.needs_purge


def test_replaced_states_leave_the_files_when_they_are_many(
    store: IndexStore, tmp_path: Path
) -> None:
    """One in five; they are not secret, so a single edit rewrites nothing."""
    others = [document(f"{n}.md", "Other", f"Words {n}") for n in range(95)]
    store.change(list(store.snapshot.entries), (), count=0)
    add(store, *DOCUMENTS, SECRET, *others)
    names = ["secret.md", *(one.key for one in others[:21])]
    for number, name in enumerate(names):
        assert store.needs_purge == (number > 20)
        new = document(name, "Changed")
        store.change([slot_of(store, name)], [(new, new.digest)], count=1)
    store.purge()
    assert not store.needs_purge
    assert CANARY not in holdings(tmp_path / "index")


def test_an_index_is_opened_as_it_was_closed(store: IndexStore, tmp_path: Path) -> None:
    """With its slots, so that the next document gets another one."""
    entries = store.snapshot.entries
    store.close()
    opened = IndexStore(IndexDirectory(tmp_path / "index"), INDEX_POLICY)
    assert opened.was_opened
    assert opened.snapshot.entries == entries
    add(opened, document("new.md", "New"))
    assert slot_of(opened, "new.md") == max(entries) + 1
    opened.close()


def test_a_reader_of_the_state_before_reads_on(store: IndexStore) -> None:
    """While its files are replaced and deleted."""
    before = store.snapshot
    slots = list(before.entries)
    store.change(slots, (), count=0, hidden=slots)
    store.purge()
    found = before.pages.search(tantivy.Query.all_query(), 10).hits
    assert (
        len([before.pages.doc(address) for _, address in found]) == len(DOCUMENTS) + 1
    )
    assert store.snapshot.pages.num_docs == 0


def test_a_source_that_fails_leaves_a_state_that_goes_on(
    store: IndexStore, tmp_path: Path
) -> None:
    """Documents written before the failure count; nothing is lost or duplicated."""

    def fail() -> Iterator[tuple[SearchDocument, bytes]]:
        for one in many[:500]:
            yield one, one.digest
        raise KeyError

    many = [document(f"{n}.md", "Many", f"words {n}") for n in range(600)]
    with pytest.raises(KeyError):
        store.change((), fail(), count=600)
    held = {entry.key for entry in store.snapshot.entries.values()}
    assert held == set(keys(store)) > {"0.md"}
    add(store, *(one for one in many if one.key not in held))
    assert len(keys(store)) == len(DOCUMENTS) + 601
    store.close()
    opened = IndexStore(IndexDirectory(tmp_path / "index"), INDEX_POLICY)
    assert opened.was_opened
    opened.close()


class Changing(RuleBasedStateMachine):
    """Documents are added, changed and removed in any order; files match."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = TemporaryDirectory()
        self.root = Path(self.folder.name)
        self.store = IndexStore(IndexDirectory(self.root / "index"), INDEX_POLICY)
        self.documents: dict[str, SearchDocument] = {}
        self.hidden: set[str] = set()
        self.count = 0

    @rule(count=st.integers(1, 40))
    def add_documents(self, count: int) -> None:
        """Some documents are new."""
        new = [self._make(f"{self.count}.md") for _ in range(count)]
        self.documents |= {one.key: one for one in new}
        add(self.store, *new)

    @precondition(lambda self: self.documents)
    @rule(data=st.data())
    def edit(self, data: st.DataObject) -> None:
        """One of them changes."""
        key = data.draw(st.sampled_from(sorted(self.documents)))
        slot, new = slot_of(self.store, key), self._make(key)
        self.documents[key] = new
        self.store.change([slot], [(new, new.digest)], count=1)

    @precondition(lambda self: self.documents)
    @rule(data=st.data())
    def remove_documents(self, data: st.DataObject) -> None:
        """One of them is hidden."""
        key = data.draw(st.sampled_from(sorted(self.documents)))
        self.hidden.add(self.documents.pop(key).title.lower())
        hide(self.store, key)

    @rule()
    def purge(self) -> None:
        """Hidden text leaves the files."""
        self.store.purge()
        held = holdings(self.root / "index")
        assert not [title for title in self.hidden if title in held]

    @precondition(lambda self: self.count)
    @rule()
    def start_again(self) -> None:
        """A process ends, and another opens its files."""
        self.store.close()
        self.store = IndexStore(IndexDirectory(self.root / "index"), INDEX_POLICY)
        assert self.store.was_opened

    @invariant()
    def matches_model(self) -> None:
        """Each document once, in its current version, in few segments."""
        snapshot = self.store.snapshot
        found = {one.key: one for _, one in read_documents(snapshot, snapshot.entries)}
        assert found == self.documents
        assert snapshot.pages.num_docs == len(self.documents)
        assert snapshot.pages.num_segments < 8
        for name, slots in self.store._written.items():
            rows = list_slots(snapshot.pages)
            segments = self.store._segments[0]
            assert slots == {slot for slot, at in rows if segments[at].name == name}

    def teardown(self) -> None:
        """Delete everything."""
        self.store.close()
        self.folder.cleanup()

    def _make(self, key: str) -> SearchDocument:
        self.count += 1
        return document(key, f"canary{self.count}x", "Some words of any kind.")


Changing.TestCase.settings = settings(
    deadline=None, max_examples=8, stateful_step_count=15
)
test_an_index_holds_what_it_should = Changing.TestCase


@pytest.mark.parametrize("error", [OSError, ValueError, RuntimeError])
def test_everything_by_which_the_engine_fails_is_one_fault(
    error: type[Exception],
) -> None:
    """A panic too, which is no Exception; but not an interrupt."""
    with pytest.raises(IndexCorrupt), convert_engine_errors():
        raise error("x")
    with pytest.raises(IndexCorrupt, match="No space left"), convert_engine_errors():
        raise error("IO error: No space left on device (os error 28)")
    with pytest.raises(IndexCorrupt), convert_engine_errors():
        raise type("PanicException", (BaseException,), {})("x")
    with pytest.raises(KeyboardInterrupt), convert_engine_errors():
        raise KeyboardInterrupt
