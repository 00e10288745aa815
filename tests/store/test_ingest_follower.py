"""Following folders with unreadable files, and a store that loses a source."""

import asyncio
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from store.ingesting import read_visible
from store.postgres import postgres_server
from support.canary import CANARY
from support.files import ordinary_user
from support.generators import write_files
from support.pictures import make_png
from support.processes import BOUND
from support.stored_trees import load

from asdlc_kb.exceptions import OperationalError, UnreadableFile
from asdlc_kb.files.reader import ChangedWhileRead
from asdlc_kb.ingestion import ingest_follower, source_files
from asdlc_kb.ingestion.ingest_follower import IngestFollower
from asdlc_kb.ingestion.ingester import MAX_ATTEMPTS, Ingester, WrittenSource
from asdlc_kb.ingestion.source_files import SourceFiles
from asdlc_kb.ingestion.source_names import list_libraries
from asdlc_kb.settings import Settings
from asdlc_kb.store.database import StoreAddress, connect
from asdlc_kb.store.snapshot_writer import SnapshotWriter

HEAD = "title: T\ndescription: D\ntags: [x]\nlastUpdated: 2026-01-01"


def article(status: str = "Live", text: str = "Words.") -> str:
    """Return an article."""
    return f"---\n{HEAD}\nstatus: {status}\n---\n{text}\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory without content."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in which file permissions count, also for root."""
    with ordinary_user() as opened:
        yield opened


def save(path: Path, text: str) -> None:
    """Save a file as editors do."""
    new = path.with_name(f".{path.name}.new")
    new.write_text(text)
    os.replace(new, path)


def open_ingester(
    database: str, *, content: Path | None = None, docs: tuple[str, ...] = ()
) -> Ingester:
    """Return the ingester of loaded folders."""
    name = None if content is None else str(content)
    settings = Settings(content=name, docs=docs, cache_dir="off")
    user = os.geteuid()
    # The package may be in a folder of root, and a part of it is read late.
    os.seteuid(os.getuid())
    try:
        ingester = Ingester(settings, load(settings), StoreAddress(database))
        ingester.prepare()
    finally:
        os.seteuid(user)
    return ingester


def write(ingester: Ingester, name: str) -> WrittenSource | None:
    """Scan the folders of a source, then write it if it changed."""
    for library in list_libraries(ingester.sources, name):
        library.load()
    return ingester.write_changed(name)


@pytest.fixture
def articles(folder: Path, database: str) -> Ingester:
    """The ingester of two articles and a picture, written once."""
    write_files(
        folder / "content/concepts",
        {"one.md": article(text="![p](one.png)"), "two.md": article()},
    )
    (folder / "content/concepts/one.png").write_bytes(make_png(3, 2))
    ingester = open_ingester(database, content=folder / "content")
    written = write(ingester, "articles")
    assert written is not None
    assert (written.files, written.unreadable) == (3, ())
    return ingester


def test_what_cannot_be_read_stays_as_it_is_stored(
    articles: Ingester, folder: Path, database: str
) -> None:
    """As at a server of the folder, whatever else changed."""
    before = read_visible(database, "articles")
    concepts = folder / "content/concepts"
    (concepts / "one.md").chmod(0)
    save(concepts / "two.md", article("Draft", CANARY))
    written = write(articles, "articles")
    assert written is not None
    assert written.unreadable == ("concepts/one.md",)
    assert written.removed == 1
    del before["concepts/two.md"]
    assert read_visible(database, "articles") == before
    assert write(articles, "articles") is None
    save(concepts / "one.md", article(text="Edited."))
    written = write(articles, "articles")
    assert written is not None
    assert (written.written, written.removed, written.unreadable) == (1, 1, ())


def test_a_folder_that_cannot_be_read_stays_as_it_is_stored(
    articles: Ingester, folder: Path, database: str
) -> None:
    """Its pages are still in the catalog."""
    pages = {"concepts/one.md", "concepts/two.md"}
    (folder / "content/concepts").chmod(0)
    try:
        write(articles, "articles")
    finally:
        (folder / "content/concepts").chmod(0o700)
    assert read_visible(database, "articles").keys() == pages


def test_a_page_that_was_hidden_and_cannot_be_read_is_withdrawn(
    articles: Ingester, folder: Path, database: str
) -> None:
    """The stored version is of before it was hidden."""
    page = folder / "content/concepts/one.md"
    save(page, article("Draft"))
    for library in articles.sources.libraries:
        library.load()
    page.chmod(0)
    written = write(articles, "articles")
    assert written is not None
    assert written.unreadable == ("concepts/one.md",)
    assert list(read_visible(database, "articles")) == ["concepts/two.md"]


def test_a_page_that_becomes_a_link_to_elsewhere_stays_as_it_is_stored(
    articles: Ingester, folder: Path, database: str
) -> None:
    """The server of the folder shows the last version too."""
    before = read_visible(database, "articles")
    replace_by_link(folder / "content/concepts/one.md", folder / "elsewhere.md")
    with pytest.raises(ChangedWhileRead):
        articles.write_changed("articles")
    written = write(articles, "articles")
    assert written is not None
    assert written.unreadable == ("concepts/one.md",)
    assert read_visible(database, "articles") == before


def replace_by_link(path: Path, target: Path) -> None:
    """Replace a file in one step."""
    target.write_text("# Elsewhere\n")
    link = path.with_name("link")
    os.symlink(target, link)
    os.replace(link, path)


def test_a_hidden_page_with_rules_for_others_may_become_a_link_to_elsewhere(
    tmp_path: Path, database: str
) -> None:
    """Or be edited after it was parsed: it is read again then."""
    site = write_files(
        tmp_path / "site",
        {
            "hugo.toml": "title = 'Site'\n",
            "content/_index.md": "---\ntitle: Home\n---\nHome.\n",
            "content/part/_index.md": "---\ndraft: true\ncascade: {draft: false}\n"
            f"---\n{CANARY}\n",
            "content/part/page.md": "---\ntitle: Page\n---\nWords.\n",
        },
    )
    ingester = open_ingester(database, docs=(str(site),))
    assert write(ingester, "docs") is not None
    rule = site / "content/part/_index.md"
    save(rule, "---\ndraft: true\ncascade: {draft: true}\n---\n")
    with pytest.raises(ChangedWhileRead):
        ingester.write_changed("docs")
    assert write(ingester, "docs") is not None
    replace_by_link(rule, tmp_path / "elsewhere.md")
    with pytest.raises(ChangedWhileRead):
        ingester.write_changed("docs")
    written = write(ingester, "docs")
    assert written is not None
    assert "content/part/_index.md" not in read_visible(database, "docs")


def test_a_folder_whose_name_is_no_utf_8_is_stored(
    tmp_path: Path, database: str
) -> None:
    """Its name is a part of titles only, unless the paths of files have it."""
    folder = write_files(tmp_path / "caf\udce9", {"a.md": "# A\n"})
    ingester = open_ingester(database, docs=(f"site={folder}",))
    assert write(ingester, "site") is not None
    assert list(read_visible(database, "site")) == ["a.md"]
    (tmp_path / ".git").mkdir()
    ingester = open_ingester(database, docs=(f"site={folder}",))
    with pytest.raises(OperationalError, match=r"site: .* is not valid Unicode"):
        write(ingester, "site")


def test_known_files_are_those_of_the_last_result(
    articles: Ingester, folder: Path
) -> None:
    """A follower that runs for a year does not remember each file that ever was."""
    root = folder / "content/concepts"
    assert articles._known["articles"].keys() == set(root.iterdir())
    (root / "two.md").unlink()
    write(articles, "articles")
    assert articles._known["articles"].keys() == set(root.iterdir())


@asynccontextmanager
async def following(ingester: Ingester) -> AsyncIterator[asyncio.Queue[WrittenSource]]:
    """Follow until the block ends; yield what is written."""
    written: asyncio.Queue[WrittenSource] = asyncio.Queue()
    follower = IngestFollower(ingester, written.put_nowait)
    task = asyncio.ensure_future(follower.run())
    try:
        async with asyncio.timeout(BOUND):
            yield written
        assert not task.done()
    finally:
        task.cancel()
        await asyncio.wait((task,), timeout=BOUND)


@pytest.fixture
def tree(tmp_path: Path, database: str) -> Ingester:
    """The ingester of a tree that was written once."""
    write_files(tmp_path / "tree", {"a.md": "# A\n"})
    ingester = open_ingester(database, docs=(str(tmp_path / "tree"),))
    assert write(ingester, "docs") is not None
    return ingester


async def test_a_source_that_the_store_lost_is_written_again(
    tree: Ingester, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Removed by an operator, or with a former number after a failover or a restore."""
    monkeypatch.setattr(ingest_follower, "COMPARE_SECONDS", 0.05)
    with connect(database) as connection:
        writer = SnapshotWriter(connection)
        async with following(tree) as written:
            writer.remove("docs")
            assert (await written.get()).written == 1
            connection.execute("UPDATE asdlc_kb.sources SET snapshot = snapshot - 1")
            assert (await written.get()).written == 0
            writer.remove("docs")
            assert (await written.get()).written == 1
            assert written.empty()
    assert list(read_visible(database, "docs")) == ["a.md"]


async def test_what_another_command_wrote_stays_until_the_folder_changes(
    tree: Ingester, tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that follow one source would undo each other for ever; reported once."""
    monkeypatch.setattr(ingest_follower, "COMPARE_SECONDS", 0.05)
    reports: asyncio.Queue[str] = asyncio.Queue()
    tree.report = reports.put_nowait
    other_tree = write_files(tmp_path / "other/tree", {"a.md": "# B\n"})
    other = open_ingester(database, docs=(str(other_tree),))
    async with following(tree) as written:
        assert write(other, "docs") is not None
        assert await reports.get() == "another command wrote the source 'docs'"
        assert read_visible(database, "docs") == {"a.md": b"# B\n"}
        save(tmp_path / "tree/a.md", "# C\n")
        assert (await written.get()).written == 1
        assert reports.empty()
    assert read_visible(database, "docs") == {"a.md": b"# C\n"}


async def test_a_lost_source_is_noticed_after_an_outage(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """At once, although the files are those that were written last."""
    tree = write_files(tmp_path / "tree", {"a.md": "# A\n"})
    with postgres_server() as server:
        ingester = open_ingester(server.url, docs=(str(tree),))
        assert write(ingester, "docs") is not None
        with connect(server.url) as connection:
            SnapshotWriter(connection).remove("docs")
        server.kill()
        async with following(ingester) as written:
            save(tree / "a.md", "# B\n")
            while "store unavailable" not in caplog.messages:
                await asyncio.sleep(0.01)
            save(tree / "a.md", "# A\n")
            server.start()
            assert (await written.get()).written == 1
        assert read_visible(server.url, "docs") == {"a.md": b"# A\n"}


async def test_a_source_that_cannot_be_written_is_logged_once(
    tree: Ingester, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """With the reason; an edit that is under way is not logged."""
    monkeypatch.setattr(ingest_follower, "CHECK_SECONDS", 0.01)
    monkeypatch.setattr(ingest_follower, "_MAX_CHECK_SHARE", 1.0)
    attempts = count(1)
    is_repaired = asyncio.Event()

    def fail(*values: Any) -> SourceFiles:
        if is_repaired.is_set():
            return source_files.find_files(*values)
        if next(attempts) > 2 * MAX_ATTEMPTS:
            is_repaired.set()
        raise UnreadableFile("the link points outside", "copy the file")

    monkeypatch.setattr("asdlc_kb.ingestion.ingester.find_files", fail)
    async with following(tree):
        await is_repaired.wait()
        while "source written again" not in caplog.messages:
            await asyncio.sleep(0.01)
    assert caplog.messages.count("source not written") == 1
    (logged,) = (r for r in caplog.records if r.message == "source not written")
    assert vars(logged)["source"] == "docs"
    assert "the link points outside" in vars(logged)["reason"]
