"""Sources of a store as folders."""

import asyncio
from pathlib import Path

import pytest
from support.loglines import captured
from support.wire import BOUND, until

from asdlc_kb.app import Runtime, build, http_service
from asdlc_kb.app.http_service import HttpService, load
from asdlc_kb.app.store_sources import Store, open_store
from asdlc_kb.exceptions import OperationalError, SettingsError
from asdlc_kb.settings import Settings
from asdlc_kb.store.database import StoreAddress
from asdlc_kb.store.values import SourceRecord
from asdlc_kb.web.http_server import open_sockets

URL = "postgresql://kb@127.0.0.1:1/kb"


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store whose mirrors are those of articles and of one tree."""
    store = Store(StoreAddress.parse(URL), tmp_path)
    options = {"tree": "api", "dialect": "mkdocs", "language": "fr", "folder": "docs"}
    store.mirrors.set_snapshot(SourceRecord("articles", "articles", {}, "", 1), 1)
    store.mirrors.set_snapshot(SourceRecord("api", "docs", options, "", 2), 2)
    return store


def test_mirrors_are_named_as_folders_are(store: Store) -> None:
    """With the options that the folder was written with."""
    local = store.localize(Settings()).settings
    assert local.content is not None
    assert local.content.endswith("/articles")
    assert local.docs[0].startswith("api=/")
    assert local.docs[0].endswith("/api/docs")
    assert (local.dialect, local.language) == (("api=mkdocs",), ("api=fr",))


def test_folders_and_a_store_exclude_each_other(store: Store) -> None:
    """Which of them is served would be unclear."""
    with pytest.raises(SettingsError, match="asdlc-kb ingest"):
        store.localize(Settings(docs=("docs",)))


def test_two_sources_of_articles_are_an_error(store: Store) -> None:
    """One folder of articles is served."""
    store.mirrors.set_snapshot(SourceRecord("more", "articles", {}, "", 3), 3)
    with pytest.raises(OperationalError, match="'articles' and 'more'"):
        store.localize(Settings())


def test_another_option_is_another_source(store: Store) -> None:
    """It takes a reload; another snapshot takes none."""
    served = store.mirrors.sources
    store.mirrors.set_snapshot(SourceRecord("articles", "articles", {}, "", 9), 9)
    assert not store.has_changed(served)
    store.mirrors.set_snapshot(SourceRecord("api", "docs", {}, "", 9), 9)
    assert store.has_changed(served)


def test_content_that_is_not_brought_up_to_date_is_outdated_in_time(
    store: Store,
) -> None:
    """0 is no limit; without a source there is nothing to serve."""
    assert store.is_outdated(5)
    assert not store.is_outdated(0)
    store.mirrors.record_contact(is_current=False)
    assert store.is_outdated(5)
    store.mirrors.record_contact(is_current=True)
    assert not store.is_outdated(5)
    store.mirrors.remove("articles")
    store.mirrors.remove("api")
    assert store.is_outdated(0)


def test_a_chosen_source_that_is_missing_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """It is served once it is in the store; a name may also be misspelt."""
    record = SourceRecord("articles", "articles", {}, "", 1)
    store = Store(StoreAddress.parse(URL), tmp_path, ["articles", "artikles"])
    store.mirrors.set_snapshot(record, 1)
    with caplog.at_level("WARNING"):
        store.fill(waits=False)
    assert [vars(each)["source"] for each in caplog.records] == ["artikles"]


def test_an_address_that_is_none_is_not_repeated() -> None:
    """It may have a password."""
    with pytest.raises(SettingsError) as raised:
        open_store(Settings(store="postgresql://u:secret@h:x/d"))
    assert "secret" not in str(raised.value)


async def test_a_source_is_served_once_its_mirror_is_whole_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reload that found it incomplete is repeated: its writer had died."""
    store = Store(StoreAddress.parse(URL), tmp_path)
    first, second = (SourceRecord(n, "docs", {"tree": n}, "", 1) for n in "ab")

    def write(record: SourceRecord) -> None:
        with store.mirrors.writing(record) as folder:
            folder.mkdir(exist_ok=True)
            (folder / "index.md").write_text("# A\n")
            store.mirrors.set_snapshot(record, 1)

    async def load_late(app: Runtime) -> None:
        if not lines.rows:
            store.mirrors.set_snapshot(second, None)
        await load(app)

    write(first)
    store.mirrors.record_contact(is_current=True)
    app = build(Settings(store=URL, cache_dir=str(tmp_path / "c")), store=store)
    await load(app)
    service = HttpService(app, open_sockets("127.0.0.1", 0))
    following = asyncio.ensure_future(service.follow_store(store))
    try:
        with captured("asdlc_kb.app") as lines:
            monkeypatch.setattr(http_service, "load", load_late)
            write(second)
            await until(lambda: bool(lines.rows))
            assert "is incomplete" in lines.rows[0]["reason"]
            write(second)
            await until(lambda: len(service.app.sources.mirrored) == 2)
    finally:
        following.cancel()
        await asyncio.wait_for(service.stop(), BOUND)
