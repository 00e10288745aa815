"""Files being written: hidden ones stay hidden, and nothing incomplete is served."""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event

import pytest
from support.docs import DocsTree
from support.files import ordinary_user
from support.knowledge import KnowledgeBase, article_text
from support.peers import BOUND
from support.watching import Live, live, running

from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.docs.library import DocLibrary as Docs
from asdlc_kb.exceptions import ArticleNotFound, DocNotFound
from asdlc_kb.files.tree_listing import find_tree_folders
from asdlc_kb.files.watcher import Watcher

PAUSE = 0.3
"""Seconds: three times the settling time without kernel events."""
PAGE = "guide/layoffs-2027.md"
HIDDEN_PAGE = "---\ntitle: Secretplan\ndraft: true\n---\n\nWe lay off.\n"
WHOLE = article_text("x", title="New", body="1\n2\n3\n")


@asynccontextmanager
async def followed(
    tree: DocsTree, *, uses_kernel_state: bool = True
) -> AsyncIterator[Docs]:
    """Follow a documentation tree; each catalog is read by name and as a list."""
    docs = Docs(tree.root, uses_kernel_state=uses_kernel_state)
    docs.load()
    watcher = Watcher(
        *(tree.root, docs.scan, docs.publish),
        find=find_tree_folders,
        scan_unfinished=docs.scan_unfinished,
    )
    async with running(watcher):
        yield docs


async def read_page(docs: Docs, path: str = PAGE) -> str | None:
    """Return a page as a client gets it, None for not found; lists agree."""
    catalog = await docs.fetch(path)
    try:
        text = catalog.find(path).text
    except DocNotFound:
        assert path not in catalog.by_path
        return None
    return text


async def keep_reading(docs: Docs, seconds: float) -> set[str | None]:
    """Return every version of the page that clients get in so many seconds."""
    seen: set[str | None] = set()
    deadline = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < deadline:
        seen.add(await read_page(docs))
        await asyncio.sleep(0.01)
    return seen


async def until_page(docs: Docs, text: str | None) -> None:
    """Wait, for a bounded time, until the page has this text."""
    async with asyncio.timeout(BOUND):
        while await read_page(docs) != text:
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("is_new", [False, True])
@pytest.mark.parametrize("closes", [False, True], ids=["keeps it open", "closes it"])
@pytest.mark.parametrize("uses_kernel_state", [True, False], ids=["kernel", "poll"])
async def test_a_hidden_page_is_never_public_while_it_is_saved_in_place(
    tmp_path: Path, is_new: bool, closes: bool, uses_kernel_state: bool
) -> None:
    """D-067: truncated, then half of its frontmatter: not a finished file."""
    tree = DocsTree(tmp_path / "docs")
    if not is_new:
        tree.write(PAGE, HIDDEN_PAGE)
    pieces = ("", "---\ntitle: Secretplan\n", "draft: true\n---\n\nWe lay off.\n")
    async with followed(tree, uses_kernel_state=uses_kernel_state) as docs:
        descriptor = os.open(tree.root / PAGE, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for piece in pieces:
            os.write(descriptor, piece.encode())
            if closes:
                os.close(descriptor)
            assert await keep_reading(docs, PAUSE) == {None}
            if closes:
                descriptor = os.open(tree.root / PAGE, os.O_WRONLY | os.O_APPEND)
        os.close(descriptor)
        assert await keep_reading(docs, PAUSE) == {None}


@pytest.mark.parametrize("closes", [False, True], ids=["keeps it open", "closes it"])
async def test_a_visible_page_that_is_truncated_keeps_its_last_version(
    tmp_path: Path, closes: bool
) -> None:
    """D-067: an empty file is no version; it is reported while it stays empty."""
    tree = DocsTree(tmp_path / "docs")
    path = tree.write(PAGE, "# One\n")
    async with followed(tree) as docs:
        with path.open("w") as file:
            if closes:
                file.close()
            assert await keep_reading(docs, PAUSE) == {"# One\n"}
        await until_problem(docs, "the file is empty")
        assert await read_page(docs) == "# One\n"
        path.write_text("# Two\n")
        await until_page(docs, "# Two\n")
        assert docs.catalog.snapshot.entries[PAGE].problems == ()


async def until_problem(docs: Docs, message: str) -> None:
    """Wait, for a bounded time, until such a problem of the page is reported."""
    async with asyncio.timeout(BOUND):
        while not any(
            problem.path == PAGE and message in problem.message
            for problem in docs.catalog.snapshot.all_problems()
        ):
            await asyncio.sleep(0.01)


async def test_frontmatter_without_an_end_is_reported_with_what_to_do(
    tmp_path: Path,
) -> None:
    """D-067: nothing of it is served: it may be the beginning of a hidden page."""
    tree = DocsTree(tmp_path / "docs")
    async with followed(tree) as docs:
        tree.write(PAGE, "---\ntitle: Secretplan\n")
        await until_problem(docs, "add a line '---' below it")
        assert await read_page(docs) is None


async def read_article(library: ArticleLibrary) -> str | None:
    """Return an article's title and body as a client gets them."""
    try:
        article = (await library.fetch("x")).find("x")
    except ArticleNotFound:
        return None
    return f"{article.title}: {article.body}"


OLD, NEW = "Old: old\n", "New: 1\n2\n3\n"


@pytest.mark.parametrize("way", ["in place", "new", "unlink and create", "overwrite"])
@pytest.mark.parametrize("pause", [0.15, 1.0])
async def test_a_writer_that_pauses_is_not_read(
    knowledge: KnowledgeBase, way: str, pause: float
) -> None:
    """D-067: read when the writer is done, not when it pauses."""
    path = knowledge.root / "concepts/x.md"
    if way != "new":
        knowledge.write("concepts/x", title="Old", body="old\n")
    before = None if way == "new" else OLD
    async with live(knowledge) as it:
        if way == "unlink and create":
            path.unlink()
        with path.open("r+" if way == "overwrite" else "w") as file:
            for piece in (WHOLE[:20], WHOLE[20:-4], WHOLE[-4:]):
                file.write(piece)
                file.flush()
                seen = await keep_reading_article(it, pause)
                # A deleted article stays missing until the new one is complete.
                assert seen <= (
                    {before, None} if way.startswith("unlink") else {before}
                )
            file.truncate()
        async with asyncio.timeout(BOUND):
            while await read_article(it.library) != NEW:
                await asyncio.sleep(0.01)


async def keep_reading_article(it: Live, seconds: float) -> set[str | None]:
    """Return every version of the article that clients get in so many seconds."""
    seen: set[str | None] = set()
    deadline = asyncio.get_running_loop().time() + seconds
    while asyncio.get_running_loop().time() < deadline:
        seen.add(await read_article(it.library))
        await asyncio.sleep(0.01)
    return seen


async def test_files_of_another_user_are_not_read_while_they_are_written(
    tmp_path: Path,
) -> None:
    """D-067: a lease is not permitted there: kernel events report the close."""
    with ordinary_user() as folder:
        os.seteuid(0)
        knowledge = KnowledgeBase(folder / "content")
        path = knowledge.write("concepts/x", title="Old", body="old\n")
        # Opened before this process becomes a user without write permission.
        descriptor = os.open(path, os.O_WRONLY)
        os.seteuid(65534)
        async with live(knowledge) as it:
            os.ftruncate(descriptor, 0)
            for piece in (WHOLE[:20], WHOLE[20:-4], WHOLE[-4:]):
                os.write(descriptor, piece.encode())
                assert await keep_reading_article(it, PAUSE) == {OLD}
            os.close(descriptor)
            async with asyncio.timeout(BOUND):
                while await read_article(it.library) != NEW:
                    await asyncio.sleep(0.01)


@pytest.mark.parametrize("is_early", [False, True], ids=["new folder", "open before"])
async def test_what_another_user_began_to_write_before_it_was_watched_is_not_read(
    is_early: bool,
) -> None:
    """D-067: neither a lease nor an event shows that it is open: it settles longer."""
    with ordinary_user() as folder:
        os.seteuid(0)
        knowledge = KnowledgeBase(folder / "content")
        path = knowledge.root / "fresh/x.md"
        loop, seen = asyncio.get_running_loop(), set()

        def begin() -> asyncio.Future[None]:
            os.seteuid(0)
            path.parent.mkdir()
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT, 0o644)
            os.seteuid(65534)
            os.write(descriptor, WHOLE[:-6].encode())
            return loop.run_in_executor(None, finish, descriptor)

        def finish(descriptor: int) -> None:
            for at in (-6, -4, -2):
                Event().wait(1.0)
                os.write(descriptor, WHOLE[at : at + 2 or None].encode())
            os.close(descriptor)

        os.seteuid(65534)
        writing = begin() if is_early else None
        async with live(knowledge) as it:
            writing = writing or begin()
            async with asyncio.timeout(BOUND):
                while NEW not in seen:
                    seen.add(await read_article(it.library))
                    await asyncio.sleep(0.01)
        await writing
        assert seen <= {None, NEW}


async def test_a_demotion_in_place_hides_when_its_writer_closes_the_file(
    knowledge: KnowledgeBase,
) -> None:
    """D-068: not earlier, for the file is unfinished; and then at once."""
    path = knowledge.write("concepts/x", title="Old", body="old\n")
    async with live(knowledge) as it:
        with path.open("w") as file:
            file.write(article_text("x", status="Draft"))
            file.flush()
            assert await keep_reading_article(it, PAUSE) == {OLD}
        # The `stat` of each read detects it, with or without the watcher.
        assert await read_article(it.library) is None
        await it.until(lambda: it.ask("x") == "Article 'x' not found")
