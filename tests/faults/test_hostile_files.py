"""Files that should not exist: rows of the table of faults."""

import os
from pathlib import Path

import pytest
from support.canary import CANARY
from support.files import ordinary_user
from support.knowledge import KnowledgeBase, article_text
from support.watching import NEVER, Live, live


async def is_served(it: Live, knowledge: KnowledgeBase, title: str) -> None:
    """Wait until an article next to the hostile files was saved and is served."""
    knowledge.write("patterns/good", title=title)
    await it.until(lambda: it.ask("good") == title)


async def test_symlinks_in_content(knowledge: KnowledgeBase, tmp_path: Path) -> None:
    """D-070: inside: followed. Outside, loop, dangling, device: reported."""
    outside = tmp_path / "content-private"
    outside.mkdir()
    (outside / "x.md").write_text(article_text("x", title=CANARY, body=CANARY))
    patterns = knowledge.write("patterns/target", title="Target").parent
    links: dict[str, str | Path] = {
        "inside": "target.md",
        "chain": "inside.md",
        "outside": outside / "x.md",
        "relative": "../../content-private/x.md",
        "loop": "loop.md",
        "nowhere": "missing.md",
        "device": "/dev/zero",
    }
    async with live(knowledge, interval=NEVER) as it:
        for name, target in links.items():
            (patterns / f"{name}.md").symlink_to(target)
        (knowledge.root / "stolen").symlink_to(outside)
        refused = [f"patterns/{name}.md" for name in list(links)[2:]]
        await it.until(lambda: all(it.codes(p) == ["KB001"] for p in refused))
        await it.until(lambda: it.codes("stolen") == ["KB001"])
        assert (it.ask("inside"), it.ask("chain")) == ("Target", "Target")
        for name in list(links)[2:]:
            assert it.ask(name) == f"Article '{name}' not found"
        assert it.ask("stolen/x") == "Article 'stolen/x' not found"
        await is_served(it, knowledge, "Still served")


async def test_case_insensitive_fs_nfc_nfd_twins(knowledge: KnowledgeBase) -> None:
    """D-072: two names with one form: both reported, the first by path order served."""
    async with live(knowledge, interval=NEVER) as it:
        for name in ("Twin", "twin", "caf\u00e9", "cafe\u0301"):
            knowledge.write(f"patterns/{name}", title=f"Of {len(name)} {name[0]}")
        await it.until(lambda: it.ask("Twin") == "Of 4 T")
        await it.until(lambda: it.ask("caf\u00e9") == "Of 4 c")
        assert it.ask("twin") == "Article 'twin' not found"
        for name in ("Twin", "twin", "caf\u00e9"):
            assert it.codes(f"patterns/{name}.md") == ["KB003"]


async def test_unreadable_file_dir_directory_named_x_md_fifo_device() -> None:
    """D-070: skipped and reported; nothing blocks, and the others are served."""
    with ordinary_user() as folder:
        knowledge = KnowledgeBase(folder / "content")
        locked = knowledge.write("patterns/locked", title="Locked")
        knowledge.write("closed/x", title="Closed")
        knowledge.write("listed/x", title="Listed")
        async with live(knowledge, interval=NEVER) as it:
            locked.chmod(0)
            (knowledge.root / "closed").chmod(0)
            (knowledge.root / "listed").chmod(0o400)
            (locked.parent / "folder.md").mkdir()
            os.mkfifo(locked.parent / "fifo.md")
            await it.until(lambda: it.codes("patterns/fifo.md") == ["KB001"])
            await it.until(lambda: it.codes("patterns/folder.md") == ["KB001"])
            await it.until(lambda: it.codes("patterns/locked.md") == ["KB001"])
            await it.until(lambda: it.codes("closed") == ["KB001"])
            await it.until(lambda: it.codes("listed/x.md") == ["KB001"])
            assert it.ask("locked") == "Locked"
            assert (it.ask("closed/x"), it.ask("listed/x")) == ("Closed", "Listed")
            await is_served(it, knowledge, "Still served")
            (knowledge.root / "closed").chmod(0o700)
            (knowledge.root / "listed").chmod(0o700)
            locked.chmod(0o600)
            await it.until(lambda: not it.codes("closed") + it.codes("listed/x.md"))


async def test_100_mb_20_gb_sparse_file_more_files_than_the_cap(
    knowledge: KnowledgeBase,
) -> None:
    """D-061: refused by its size before it is read; excess files are reported."""
    giant = knowledge.write("patterns/giant", title="Small")
    async with live(knowledge, interval=NEVER) as it:
        with (giant.parent / ".new").open("w") as file:
            file.truncate(20 * 1024**3)
        (giant.parent / ".new").rename(giant)
        await it.until(lambda: it.codes("patterns/giant.md") == ["KB001"])
        assert it.ask("giant") == "Small"
        it.library._cache._max_files = 8
        for number in range(10):
            knowledge.write(f"practices/x-{number}", title="Many")
        await it.until(lambda: it.codes("practices") == ["KB001"])
        assert len(it.library.catalog.snapshot.entries) <= 8 + 1


async def test_duplicate_slug_across_categories(knowledge: KnowledgeBase) -> None:
    """D-008: each has its `category/slug`; a hidden twin does not count."""
    async with live(knowledge, interval=NEVER) as it:
        knowledge.write("patterns/twice", title="Pattern")
        knowledge.write("practices/twice", title=CANARY, status="Draft")
        await it.until(lambda: it.ask("twice") == "Pattern")
        knowledge.write("practices/twice", title="Practice")
        await it.until(lambda: "patterns/twice" in it.ask("twice"))
        assert "practices/twice" in it.ask("twice")
        assert it.ask("patterns/twice") == "Pattern"
        assert it.ask("practices/twice") == "Practice"
        knowledge.write("practices/twice", title=CANARY, status="Proposed")
        await it.until(lambda: it.ask("twice") == "Pattern")


@pytest.mark.parametrize(
    "name",
    [b"new\nline", b"esc\x1b[2J", b"per%cent", b"x" * 252, b"bad-\xff", b"wh ite"],
    ids=ascii,
)
async def test_odd_names(knowledge: KnowledgeBase, name: bytes) -> None:
    """D-072: reported and never served; watcher and log survive them."""
    folder = os.fsencode(knowledge.write("patterns/good").parent)
    async with live(knowledge, interval=0.1) as it:
        served = len(it.library.catalog.articles)
        with open(folder + b"/" + name + b".md", "w") as file:
            file.write(article_text("odd"))
        shown = f"patterns/{ascii(os.fsdecode(name))[1:-1]}.md"
        await it.until(lambda: it.codes(shown) == ["KB002"])
        await is_served(it, knowledge, "Still served")
        assert len(it.library.catalog.articles) == served
        (Path(os.fsdecode(folder + b"/" + name + b".md"))).unlink()
        await it.until(lambda: it.codes(shown) == [])


async def test_a_folder_whose_name_is_not_utf8(knowledge: KnowledgeBase) -> None:
    """D-072: it can be neither served nor watched, and harms no other folder."""
    async with live(knowledge, interval=0.1) as it:
        os.mkdir(os.fsencode(knowledge.root) + b"/bad-\xff")
        await it.until(lambda: it.codes("bad-\\udcff") == ["KB002"])
        await is_served(it, knowledge, "Still served")
