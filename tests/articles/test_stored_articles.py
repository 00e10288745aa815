"""Articles from the parsed cache: equal to parsed ones, and only if nothing changed."""

import logging
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.canary import CANARY
from support.files import save_in_place, save_over
from support.knowledge import HIDDEN_COUNT, KnowledgeBase, article_text, settled_clock

from asdlc_kb.articles.article import Article
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.exceptions import UnreadableFile
from asdlc_kb.files import parsed_cache
from asdlc_kb.files.snapshot import CachedFile

Entries = dict[str, CachedFile[Any]]


class Restarts:
    """Starts of a server over one folder and one cache."""

    def __init__(
        self, root: Path, cache: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        self.root = root
        self.cache = cache
        self._log = caplog
        caplog.set_level(logging.INFO)

    def open(self, *, has_cache: bool = True) -> ArticleLibrary:
        """Return a loaded library."""
        library = ArticleLibrary(
            self.root,
            parsed_cache_path=self.cache if has_cache else None,
            clock=settled_clock,
        )
        library.load()
        return library

    def count_parsed(self) -> int:
        """Start, and return the number of files that were parsed."""
        self._log.clear()
        library = self.open()
        (record,) = (r for r in self._log.records if r.getMessage() == "files loaded")
        library.save()
        parsed: int = vars(record)["parsed"]
        assert read_entries(library) == read_entries(self.open(has_cache=False))
        return parsed


def read_entries(library: ArticleLibrary) -> Entries:
    """Return the entries of a library, with their texts and positions."""
    entries = dict(library.catalog.snapshot.entries)
    for entry in entries.values():
        if isinstance(entry.value, Article):
            assert entry.value.positions.body >= 1
    return entries


@pytest.fixture
def restarts(
    knowledge: KnowledgeBase, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> Restarts:
    """A folder that was served once."""
    knowledge.write("patterns/the-spec", references="\n  - url: https://x.example")
    knowledge.write("patterns/broken", tags="{}")
    knowledge.save(knowledge.root / "patterns" / "torn.md", "no frontmatter")
    restarts = Restarts(knowledge.root, tmp_path / "parsed" / "cache", caplog)
    assert restarts.count_parsed() == HIDDEN_COUNT + 4
    return restarts


def test_a_second_start_parses_nothing(restarts: Restarts) -> None:
    """Everything is equal: fields, texts, positions, problems, hidden articles."""
    assert restarts.count_parsed() == 0
    before = restarts.cache.stat().st_mtime_ns
    assert restarts.count_parsed() == 0
    assert restarts.cache.stat().st_mtime_ns == before


def test_only_changed_files_are_parsed(
    restarts: Restarts, knowledge: KnowledgeBase
) -> None:
    """Edited, new and deleted ones while nothing was running."""
    knowledge.write("patterns/the-spec", title="Other")
    knowledge.write("patterns/new")
    (knowledge.root / "patterns" / "torn.md").unlink()
    assert restarts.count_parsed() == 2
    assert restarts.count_parsed() == 0


def test_an_edit_that_keeps_size_and_mtime_is_seen(restarts: Restarts) -> None:
    """Its ctime differs."""
    path = restarts.root / "patterns" / "the-spec.md"
    status = path.stat()
    text = path.read_text()
    save_in_place(path, text.replace("The spec", "The spot"))
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    assert restarts.count_parsed() == 1
    assert restarts.open().catalog.find("the-spec").title == "The spot"


def test_a_demoted_article_is_hidden_at_once(restarts: Restarts) -> None:
    """A status on disk is never overruled by the cache."""
    path = restarts.root / "patterns" / "the-spec.md"
    save_over(path, path.read_text().replace("status: Live", "status: Draft"))
    assert restarts.open().catalog.get_or_none("the-spec") is None


def test_a_copied_folder_is_read_but_not_parsed(restarts: Restarts) -> None:
    """As after an image pull or a checkout: other inodes, other times, equal bytes."""
    copy = restarts.root.with_name("copy")
    shutil.copytree(restarts.root, copy)
    shutil.rmtree(restarts.root)
    copy.rename(restarts.root)
    assert restarts.count_parsed() == 0


def test_a_malformed_file_does_not_keep_its_version_over_a_restart(
    restarts: Restarts,
) -> None:
    """The last good version is kept until a restart, and never stored."""
    path = restarts.root / "patterns" / "the-spec.md"
    good = path.read_text()
    library = restarts.open()
    save_over(path, good.replace("tags: [", "tags: {["))
    library.publish(library.scan())
    assert library.catalog.find("the-spec").title == "The spec"
    library.save()
    assert restarts.open().catalog.get_or_none("the-spec") is None
    assert restarts.count_parsed() == 1


def test_another_version_of_the_parser_parses_everything(
    restarts: Restarts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And replaces the cache."""
    monkeypatch.setattr(parsed_cache, "SCHEMA", parsed_cache.SCHEMA + 1)
    assert restarts.count_parsed() == HIDDEN_COUNT + 4
    assert restarts.count_parsed() == 0


def test_a_damaged_store_is_replaced(restarts: Restarts) -> None:
    """Whatever happened to it."""
    os.truncate(restarts.cache, restarts.cache.stat().st_size // 2)
    assert restarts.count_parsed() == HIDDEN_COUNT + 4
    assert restarts.count_parsed() == 0


def test_a_store_damaged_in_use_costs_a_read_of_the_file(restarts: Restarts) -> None:
    """The text is right, or there is none; the next save replaces the cache."""
    library = restarts.open()
    article = library.catalog.find("the-spec")
    body = article.body
    os.truncate(restarts.cache, 100)
    assert article.body == body
    path = restarts.root / "patterns" / "the-spec.md"
    good = path.read_text()
    save_over(path, good.replace("Live", "Draft"))
    with pytest.raises(UnreadableFile, match="changed since"):
        _ = article.body
    path.unlink()
    with pytest.raises(UnreadableFile, match="changed since"):
        _ = article.body
    save_over(path, good)
    assert library.save() > 0
    assert restarts.open().catalog.find("the-spec").body == body


def test_the_text_of_a_hidden_article_is_not_stored(
    restarts: Restarts, knowledge: KnowledgeBase
) -> None:
    """D-179: its author reads it from the file; served texts are in the cache."""
    knowledge.write("concepts/x", status="Draft", body=f"Only here: {CANARY}-body")
    restarts.count_parsed()
    stored = restarts.cache.read_bytes()
    assert f"{CANARY}-body".encode() not in stored
    assert b"Some text about The spec." in stored
    library = restarts.open()
    assert library.with_hidden().find("x").body == f"Only here: {CANARY}-body"


def test_a_withdrawn_text_leaves_the_store_with_the_next_save(
    restarts: Restarts, knowledge: KnowledgeBase
) -> None:
    """However few files changed."""
    for number in range(40):
        knowledge.write(f"patterns/p{number}", body=f"Text {number} of many.")
    library = restarts.open()
    assert library.save() > 0
    knowledge.write("patterns/p7", body="Text of another version.")
    library.publish(library.scan())
    assert library.save() == 0
    (knowledge.root / "patterns" / "p8.md").unlink()
    library.publish(library.scan())
    assert library.save() > 0
    stored = restarts.cache.read_bytes()
    assert b"Text 7 of many." not in stored
    assert b"Text 8 of many." not in stored
    assert b"Text 9 of many." in stored


def test_two_servers_may_share_a_store(restarts: Restarts) -> None:
    """Each reads on in the file that it opened, also after it was replaced."""
    one, two = restarts.open(), restarts.open()
    path = restarts.root / "patterns" / "the-spec.md"
    save_over(path, path.read_text().replace("Some text", "Other text"))
    one.publish(one.scan())
    assert one.save() > 0
    assert "Some text" in two.catalog.find("the-spec").body
    two.publish(two.scan())
    assert "Other text" in two.catalog.find("the-spec").body
    assert two.save() > 0
    assert restarts.count_parsed() == 0


def test_texts_leave_memory_when_they_are_stored(restarts: Restarts) -> None:
    """Bodies are long, and rarely read."""
    restarts.cache.unlink()
    library = restarts.open()
    article = library.catalog.find("the-spec")
    body = article.body
    places = [article.text.stored_place]
    library.save()
    places.append(article.text.stored_place)
    assert [place is None for place in places] == [True, False]
    assert article.body == body


def test_nothing_is_saved_before_the_root_was_seen(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor while it is missing: an unmounted disk does not cost the cache."""
    restarts = Restarts(tmp_path / "content", tmp_path / "cache", caplog)
    library = restarts.open()
    assert library.save() == 0
    assert not restarts.cache.exists()


def test_deleting_the_store_is_no_fault_if_there_is_none(restarts: Restarts) -> None:
    """The next start parses."""
    library = restarts.open()
    library.drop_parsed_cache()
    library.drop_parsed_cache()
    assert restarts.count_parsed() == HIDDEN_COUNT + 4


TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), max_size=60)
FILES = st.one_of(
    st.builds(lambda text: text, TEXTS),
    st.builds(
        lambda title, tags, status, body, extra: article_text(
            "a/x", title=title, tags=tags, status=status, body=body, extra=extra
        ),
        st.sampled_from(["Plain", "'quoted'", "[list]", '"\\u200b"']) | TEXTS,
        st.sampled_from(["[a, b]", "a, b", "{}", "[]", "[[a]]", "null"]) | TEXTS,
        st.sampled_from(["Live", "Experimental", "Draft", "Nothing", "null"]),
        TEXTS,
        st.sampled_from(["1.10", "{a: [1, {b: null}]}", "2020-01-01"]) | TEXTS,
    ),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts=st.lists(FILES, min_size=1, max_size=3))
def test_any_file_is_the_same_from_the_store(
    texts: list[str], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Parsed fields, texts, positions and problems."""
    root = tmp_path / "content"
    shutil.rmtree(root, ignore_errors=True)
    for number, text in enumerate(texts):
        save_in_place(root / "a" / f"x{number}.md", text)
    restarts = Restarts(root, tmp_path / "cache", caplog)
    parsed = restarts.open()
    parsed.save()
    stored = restarts.open()
    assert read_entries(stored) == read_entries(restarts.open(has_cache=False))
    for entry in stored.catalog.snapshot.entries.values():
        if isinstance(value := entry.value, Article):
            other = parsed.catalog.snapshot.entries[f"{value.id}.md"].value
            assert isinstance(other, Article)
            assert value.positions == other.positions
