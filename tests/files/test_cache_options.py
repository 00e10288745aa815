"""Options of the content cache: a root that is a mirror."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from support.files import save_over

from asdlc_kb.articles.library import ArticleLibrary

ARTICLE = """---
title: One
description: About it
tags: [one]
lastUpdated: 2025-01-01
status: Live
---

{text}
"""


class CountingLock:
    """Counts how often the mirror is locked, and refuses on demand."""

    def __init__(self) -> None:
        self.count = 0
        self.is_held = False

    @contextmanager
    def __call__(self) -> Iterator[None]:
        """Lock the mirror."""
        self.count += 1
        self.is_held = True
        yield
        self.is_held = False


@pytest.fixture
def lock() -> CountingLock:
    """The lock of the mirror."""
    return CountingLock()


@pytest.fixture
def mirror(tmp_path: Path, lock: CountingLock) -> ArticleLibrary:
    """A library on a mirror with one article."""
    save_over(tmp_path / "concepts" / "one.md", ARTICLE.format(text="first"))
    library = ArticleLibrary(tmp_path, mirror=lock)
    library.load()
    return library


async def test_a_request_of_a_mirror_never_reads_the_disk(
    mirror: ArticleLibrary, lock: CountingLock
) -> None:
    """D-255: half a snapshot on the disk is in no answer."""
    count = lock.count
    save_over(mirror.root / "concepts" / "one.md", ARTICLE.format(text="second"))
    save_over(mirror.root / "concepts" / "two.md", ARTICLE.format(text="other"))
    for name in ("one", "two", "concepts/two", "absent"):
        check = mirror.make_check(name)
        catalog = await mirror.fetch(name)
        assert check()
        assert [each.slug for each in catalog.articles] == ["one"]
    assert mirror.is_current("one")
    assert "first" in mirror.catalog.articles[0].body
    assert lock.count == count


def test_a_scan_of_a_mirror_holds_its_lock(
    mirror: ArticleLibrary, lock: CountingLock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files are listed and read while no snapshot is being written."""
    save_over(mirror.root / "concepts" / "one.md", ARTICLE.format(text="second"))
    count = lock.count
    mirror.publish(mirror.scan())
    assert (lock.count, lock.is_held) == (count + 1, False)
    assert "second" in mirror.catalog.articles[0].body


def test_files_of_a_mirror_are_finished(tmp_path: Path, lock: CountingLock) -> None:
    """They are renamed into place, so a file that looks open is read all the same."""
    path = tmp_path / "concepts" / "one.md"
    save_over(path, ARTICLE.format(text="first"))
    library = ArticleLibrary(tmp_path, mirror=lock)
    with path.open("a"):
        update = library.scan()
    assert not update.is_unsettled
    library.publish(update)
    assert len(library.catalog.articles) == 1
