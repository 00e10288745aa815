"""The index in a folder: opened if it is intact, else made again; never an obstacle."""

import json
import logging
import os
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.texts import DOCUMENTS, Texts, find, keys
from support.unusable import REFUSED_NAME

from asdlc_kb.search.index.directory import IN_USE
from asdlc_kb.search.policy import (
    INDEX_POLICY,
    QUERY_POLICY,
    IndexPolicy,
    QueryPolicy,
)
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.synonyms import parse_synonyms


def serve(
    folder: Path,
    *,
    index_policy: IndexPolicy = INDEX_POLICY,
    query_policy: QueryPolicy = QUERY_POLICY,
) -> tuple[list[str], list[str]]:
    """Open an index, search it, close it; return keys found and keys that were read."""
    source = Texts(*DOCUMENTS)
    fulltext = FullText(folder, index_policy=index_policy, query_policy=query_policy)
    fulltext.sync(source)
    found = keys(find((fulltext, source), "configuration"))
    fulltext.close()
    return found, source.asked


@pytest.fixture(scope="module")
def closed_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an index that was closed."""
    folder = tmp_path_factory.mktemp("kept") / "index"
    serve(folder)
    return folder


@pytest.fixture
def folder(closed_index: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may damage."""
    return Path(shutil.copytree(closed_index, tmp_path / "index"))


FOUND = ["guides/cache.md", "guides/deploy.md"]


def test_a_true_index_is_opened_without_reading_a_document(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """With one line in the log."""
    caplog.set_level(logging.INFO, "asdlc_kb.search")
    found, pair = serve(folder)
    assert (sorted(found), pair) == (FOUND, [])
    assert [record.message for record in caplog.records] == ["index opened"]


def test_only_what_differs_is_read_at_the_start(folder: Path) -> None:
    """By content, not by time."""
    fulltext = FullText(folder)
    source = Texts(*DOCUMENTS[1:])
    fulltext.sync(source)
    assert source.asked == []
    assert keys(find((fulltext, source), "clear cache")) == []
    fulltext.close()


def files(folder: Path) -> list[Path]:
    """Return every relevant file of an index."""
    return sorted(p for p in folder.rglob("*") if p.is_file() and "lock" not in p.name)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.data())
def test_a_damaged_file_is_noticed_and_the_index_rebuilt(
    closed_index: Path, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """D-090: any byte of any file flipped, any file truncated, emptied or missing."""
    folder = tmp_path_factory.mktemp("damaged") / "index"
    shutil.copytree(closed_index, folder)
    path = data.draw(st.sampled_from(files(folder)), label="file")
    content = path.read_bytes()
    at = data.draw(st.integers(0, max(len(content) - 1, 0)), label="place")
    damage = data.draw(st.sampled_from(["flip", "cut", "unlink"]), label="damage")
    if damage == "unlink":
        path.unlink()
    elif damage == "cut" or not content:
        path.write_bytes(content[:at])
    else:
        flipped = bytes([content[at] ^ data.draw(st.integers(1, 255))])
        path.write_bytes(content[:at] + flipped + content[at + 1 :])
    is_changed = not path.exists() or path.read_bytes() != content
    found, pair = serve(folder)
    assert sorted(found) == FOUND
    if is_changed and path.name != "manifest.json":
        assert len(pair) == len(DOCUMENTS)
    assert serve(folder)[1] == []


def test_a_lock_file_that_the_engine_creates_late_does_not_move_the_index_to_memory(
    folder: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It loads a folder once more after opening it, on a busy machine late.

    A damaged index has one attempt left, so one failure would end it.
    """
    remove, late = os.rmdir, set[str]()

    def remove_after_engine(path: str, *, dir_fd: int | None = None) -> None:
        if "copies-of-" in str(path) and str(path) not in late:
            late.add(str(path))
            Path(path, ".tantivy-meta.lock").touch()
        remove(path, dir_fd=dir_fd)

    monkeypatch.setattr(os, "rmdir", remove_after_engine)
    files(folder)[0].write_bytes(b"")
    assert sorted(serve(folder)[0]) == FOUND
    assert late
    warned = [r.message for r in caplog.records if r.levelno == logging.WARNING]
    assert warned == ["rebuilding the index"]
    assert serve(folder)[1] == []


@pytest.mark.parametrize("text", ["", "{}", "[]", "null", '{"version": 1}', "\udcff"])
def test_a_manifest_that_is_none_is_replaced(folder: Path, text: str) -> None:
    """Whatever is in the file."""
    manifest = folder / "manifest.json"
    manifest.write_bytes(text.encode(errors="surrogateescape"))
    assert len(serve(folder)[1]) == len(DOCUMENTS)
    assert serve(folder)[1] == []


def test_an_index_is_opened_with_other_weights_of_queries(folder: Path) -> None:
    """They are no part of it: nothing is read or written again."""
    before = {path: path.read_bytes() for path in files(folder)}
    policy = replace(
        QUERY_POLICY,
        pair_weight=0.31,
        section_share=0.41,
        synonyms=parse_synonyms("page, site", "words"),
    )
    assert policy != QUERY_POLICY
    found, pair = serve(folder, query_policy=policy)
    assert (sorted(found), pair) == (FOUND, [])
    assert {path: path.read_bytes() for path in files(folder)} == before


def test_an_index_of_another_version_is_rebuilt(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Another index policy, engine or schema: the files have the old weights."""
    caplog.set_level(logging.INFO, "asdlc_kb.search")
    found, pair = serve(folder, index_policy=IndexPolicy(title_copies=2))
    assert (sorted(found), len(pair)) == (FOUND, len(DOCUMENTS))
    assert [record.message for record in caplog.records] == ["index rebuilt"]
    assert len(list(folder.glob("pages-*"))) == 1


@pytest.mark.parametrize("name", ["notes.txt", "pages-1/notes.txt", "sub/x", "link"])
def test_a_folder_with_anything_else_in_it_is_left_alone(
    folder: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    """D-090: the index stays in memory then, and logs it once."""
    strange = folder / name.replace("pages-1", next(folder.glob("pages-*")).name)
    strange.parent.mkdir(exist_ok=True)
    if name == "link":
        strange.symlink_to(folder / "manifest.json")
    else:
        strange.write_text("mine")
    before = {path: path.read_bytes() for path in files(folder)}
    found, pair = serve(folder)
    assert (sorted(found), len(pair)) == (FOUND, len(DOCUMENTS))
    assert {path: path.read_bytes() for path in files(folder)} == before
    warned = [r for r in caplog.records if r.levelno == logging.WARNING]
    assert [vars(r)["reason"] for r in warned] == [
        "it contains files that do not belong to a search index"
    ]


def test_a_file_in_the_place_of_the_folder_is_left_alone(tmp_path: Path) -> None:
    """It belongs to another program."""
    path = tmp_path / "index"
    path.write_text("mine")
    assert sorted(serve(path)[0]) == FOUND
    assert path.read_text() == "mine"


def test_the_second_on_one_folder_lives_in_memory(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """D-090: and logs it once, however often it follows; the first is not affected."""
    first = FullText(folder)
    first.sync(Texts(*DOCUMENTS))
    second = FullText(folder)
    for source in (Texts(*DOCUMENTS), Texts(*DOCUMENTS[:2])):
        second.sync(source)
        assert sorted(keys(find((second, source), "configuration"))) == FOUND
    warned = [r for r in caplog.records if r.levelno == logging.WARNING]
    assert [vars(r)["reason"] for r in warned] == [IN_USE]
    first.sync(Texts(*DOCUMENTS[1:]))
    first.close()
    second.close()
    assert len(json.loads((folder / "manifest.json").read_bytes())["documents"]) == 3


def test_the_folder_is_for_its_owner_only(folder: Path) -> None:
    """It holds the text of every document."""
    folder.chmod(0o755)
    serve(folder)
    assert folder.stat().st_mode & 0o777 == 0o700


def test_parts_that_an_interrupted_change_left_are_dropped(folder: Path) -> None:
    """They may contain text that was deleted since."""
    remaining = folder / "pages-77"
    remaining.mkdir()
    (remaining / "meta.json").write_text("{}")
    (folder / "manifest.json.new").write_text("{")
    assert serve(folder)[1] == []
    assert not remaining.exists()


def test_a_folder_that_goes_away_is_no_fault(folder: Path) -> None:
    """Search goes on; the index is made again."""
    fulltext = FullText(folder)
    fulltext.sync(Texts(*DOCUMENTS))
    shutil.rmtree(folder)
    source = Texts(*DOCUMENTS[1:])
    fulltext.sync(source)
    assert keys(find((fulltext, source), "nginx")) == ["guides/deploy.md"]
    fulltext.close()


@pytest.mark.parametrize("folder", ["/proc/asdlc-kb-index", f"/{REFUSED_NAME}"])
def test_a_folder_that_cannot_be_written_is_not_used(
    folder: str, caplog: pytest.LogCaptureFixture
) -> None:
    """If the folder cannot be made, search stays in memory and logs it once."""
    found, pair = serve(Path(folder))
    assert (sorted(found), len(pair)) == (FOUND, len(DOCUMENTS))
    warned = [r.message for r in caplog.records if r.levelno == logging.WARNING]
    assert warned == ["index kept in memory only"]


def test_an_opened_index_holds_the_keys_and_digests_of_its_source(
    closed_index: Path, tmp_path: Path
) -> None:
    """D-301: not further objects for each of 100,000 documents."""
    folder = shutil.copytree(closed_index, tmp_path / "index")
    source, fulltext = Texts(*DOCUMENTS), FullText(folder)
    fulltext.sync(source)
    snapshot = fulltext._snapshot
    assert snapshot is not None
    own = {one.key: one for one in DOCUMENTS}
    for entry in snapshot.entries.values():
        assert entry.key is own[entry.key].key
        assert entry.digest is own[entry.key].digest
    assert all(key is own[key].key for key in snapshot.slots)
    fulltext.close()
