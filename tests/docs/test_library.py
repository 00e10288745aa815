"""The library of a documentation tree: as current as the disk."""

import asyncio
import logging
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.canary import CANARY
from support.docs import HIDDEN_COUNT, DocsTree, answer, fetch, loaded, rescan
from support.files import Clock, save_in_place
from support.knowledge import settled_clock
from support.menus import menu_lines
from support.peers import BOUND
from support.pictures import make_png
from support.processes import environment
from support.stats import recorded_stats
from support.watching import NEVER, running

from asdlc_kb.attachments.referenced_files import ReferencedFiles
from asdlc_kb.attachments.store import Attachment
from asdlc_kb.corpus import Corpus
from asdlc_kb.docs.collection import DocCollection
from asdlc_kb.docs.generators import TreeConfiguration, read_configuration
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.files.tree_listing import find_tree_folders
from asdlc_kb.files.watcher import Watcher


@pytest.fixture
def tree(tmp_path: Path) -> DocsTree:
    """A tree with one page four folders down."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("a/b/c/x.md", "# One\n")
    return tree


@pytest.mark.parametrize("name", ["a/b/c/x.md", "/a/b/c/x", "A/B/C/X.md"])
def test_asking_by_name_is_never_stale_after_an_atomic_save(
    tree: DocsTree, name: str
) -> None:
    """D-066: saved, hidden, shown again and deleted are seen at once."""
    library = loaded(tree)
    gone = f"Documentation page '{name}' not found"
    for text, expected in (
        ("# Two\n", "Two"),
        ("---\ntitle: a: b: c\n---\n# Odd\n", "Odd"),
        ("# Three\n", "Three"),
    ):
        assert library.make_check(name)()
        path = tree.write("a/b/c/x.md", text)
        assert not library.make_check(name)()
        assert answer(fetch(library, name), name) == expected
    assert library.is_current(name)
    tree.write("a/b/c/x.md", "---\ndraft: true\n---\n# Three\n")
    assert not library.is_current(name)
    assert answer(fetch(library, name), name) == gone
    tree.write("a/b/c/x.md", "# Four\n")
    exact = "a/b/c/x.md"
    assert answer(fetch(library, exact), exact) == "Four"
    path.unlink()
    assert answer(fetch(library, name), name) == gone


def test_a_page_with_links_to_it_is_one_page(tree: DocsTree) -> None:
    """Each link is another name, to a file or to a folder of the tree."""
    tree.write("index.md", "# Welcome\n")
    tree.write("hidden.md", "---\ndraft: true\n---\n# Hidden\n")
    tree.write("nav/menu.md", "* [Home](README.md)\n* [Same](index.md)\n")
    for link, target in (
        *(("README.md", "index.md"), ("latest", "a/b"), ("a/b/y.md", "c/x.md")),
        *(("sidebar.md", "nav/menu.md"), ("seen.md", "hidden.md")),
    ):
        (tree.root / link).symlink_to(target)
    library = loaded(tree)
    catalog = library.catalog
    assert list(catalog.by_path) == ["index.md", "a/b/c/x.md", "nav/menu.md"]
    assert catalog.count() == {"pages": 3, "hidden": HIDDEN_COUNT + 1}
    for name in ("README.md", "readme", "kb://doc/README.md", "/docs/README", "/"):
        assert catalog.look_up(name).path == "index.md"
    for name in ("latest/y", "LATEST/C/X.md", "latest/c/x.md", "a/b/y.md"):
        assert catalog.look_up(name).path == "a/b/c/x.md"
    assert [item.path for item in catalog.sidebar] == ["index.md", "index.md"]
    for name in ("seen.md", "latest", "latest/hidden.md"):
        assert answer(fetch(library, name), name).endswith("not found")


def test_links_are_followed_as_they_change(tree: DocsTree) -> None:
    """A link that is added, retargeted, removed, and one that replaces a page."""
    tree.write("index.md", "# Welcome\n")
    tree.write("hidden.md", "---\ndraft: true\n---\n# Hidden\n")
    library = loaded(tree)
    link = tree.root / "README.md"
    gone = "Documentation page 'README.md' not found"
    for target, expected in (
        *(("index.md", "Welcome"), ("a/b/c/x.md", "One"), ("hidden.md", gone)),
        *(("index.md", "Welcome"), ("nowhere.md", gone)),
    ):
        new = tree.root / ".new"
        new.symlink_to(target)
        new.replace(link)
        assert answer(fetch(library, "README.md"), "README.md") == expected
        assert library.catalog.count()["pages"] == 2
    link.unlink()
    assert answer(fetch(library, "README.md"), "README.md") == gone
    link.write_text("# Read me\n")
    assert answer(rescan(library), "README.md") == "Read me"
    link.unlink()
    link.symlink_to("index.md")
    assert answer(rescan(library), "README.md") == "Welcome"
    assert list(library.catalog.by_path) == ["index.md", "a/b/c/x.md"]


def test_a_broken_file_keeps_its_last_good_version(tree: DocsTree) -> None:
    """Not UTF-8, or too large: as it was, and reported; a draft hides at once."""
    library = loaded(tree)
    path = tree.root / "a/b/c/x.md"
    save_in_place(path, b"# Caf\xe9\n")
    assert answer(rescan(library), "a/b/c/x.md") == "One"
    problems = library.catalog.snapshot.all_problems()
    assert ("a/b/c/x.md", "KB001") in [(p.path, p.code) for p in problems]
    save_in_place(path, b"---\nstatus: Draft\n---\n# Caf\xe9\n")
    assert "not found" in answer(rescan(library), "a/b/c/x.md")


def test_a_demotion_in_place_hides_once_it_is_still(tree: DocsTree) -> None:
    """Without kernel events: half a file is not read, 100 ms later it is."""
    clock = Clock(settled_clock())
    library = DocLibrary(tree.root, clock=clock, uses_kernel_state=False)
    library.load()
    path = tree.root / "a/b/c/x.md"
    save_in_place(path, "---\ndraft: true\n---\n# One\n")
    clock.pass_after(path, 0.05)
    assert answer(fetch(library, "a/b/c/x.md"), "a/b/c/x.md") == "One"
    clock.pass_after(path, 0.15)
    assert "not found" in answer(fetch(library, "a/b/c/x.md"), "a/b/c/x.md")


def test_hostile_files_take_nothing_else_down(tree: DocsTree) -> None:
    """D-051: each is refused alone; the page next to it is served."""
    folder = tree.root / "hostile"
    folder.mkdir()
    os.mkfifo(folder / "fifo.md")
    (folder / "zero.md").symlink_to("/dev/zero")
    (folder / "loop.md").symlink_to("loop.md")
    (folder / "up").symlink_to("..")
    with open(folder / "sparse.md", "wb") as file:
        file.truncate(20 * 1024**3)
    for name, data in (
        *(("nul", b"# T\0\n"), ("cr", b"# T\r# U\r"), ("utf-16", b"\xff\xfe#\0")),
        *(
            ("odd\nname", b"# T\n"),
            ("gzip", b"\x1f\x8b\x08\0"),
            ("large", b"x" * 3 * 2**20),
        ),
    ):
        save_in_place(folder / f"{name}.md", data)
    deep = tree.root.joinpath(*["d"] * 40)
    save_in_place(deep / "x.md", "# Deep\n")
    brackets = "---\na: " + "[" * 9000 + "\n---\n# T\n" + "[" * 9000
    tree.write("hostile/brackets.md", brackets)
    catalog = loaded(tree).catalog
    assert [page.path for page in catalog.pages] == [
        *("a/b/c/x.md", "hostile/brackets.md"),
    ]
    reported = {problem.path for problem in catalog.snapshot.all_problems()}
    assert {
        f"hostile/{name}.md" for name in ("fifo", "sparse", "nul", "large")
    } <= reported


@pytest.mark.parametrize(
    ("name", "checked"),
    [
        ("a/b/c/x", ["a/b/c/x.md"]),
        ("known-draft.md", ["", "", ""]),
        ("not-there.md", ["", "", ""]),
        ("a/b/known-draft", ["a/b", ""]),
        ("a/b/not-there", ["a/b", ""]),
        ("../x.md", []),
        ("/etc/passwd", ["", ""]),
        (".git/x.md", []),
        ("node_modules/package/README.md", []),
        ("a\\b.md", []),
        ("x" * 5000, []),
        ("\udcff", []),
    ],
)
def test_a_name_reaches_the_disk_only_if_it_is_one(
    tree: DocsTree,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    checked: list[str] | None,
) -> None:
    """D-002: one `stat` for a visible page; hidden and missing cost the same."""
    library = loaded(tree)
    with recorded_stats(monkeypatch, tree.root) as paths:
        fetch(library, name)
    assert paths == checked
    with recorded_stats(monkeypatch, tree.root) as paths:
        assert library.make_check(name)()
    assert paths == checked


def test_a_tree_is_a_source_of_the_corpus(tree: DocsTree) -> None:
    """Health and the command line use it like articles."""
    library = loaded(tree)
    corpus = Corpus((library,))
    assert (library.kind, corpus.was_seen) == ("docs", True)
    assert corpus.count() == {"pages": 1}


def test_changes_are_logged_in_numbers(
    tree: DocsTree, caplog: pytest.LogCaptureFixture
) -> None:
    """Hidden pages are counted, never named."""
    with caplog.at_level(logging.INFO, "asdlc_kb"):
        loaded(tree)
    record = next(r for r in caplog.records if r.getMessage() == "content changed")
    assert (record.pages, record.hidden) == (1, HIDDEN_COUNT)  # type: ignore[attr-defined]
    assert CANARY not in caplog.text


async def test_a_watcher_keeps_the_tree_fresh_by_events_alone(tree: DocsTree) -> None:
    """At any depth, in new folders too: the periodic scan would come in an hour."""
    library = DocLibrary(tree.root)
    library.load()
    changed = asyncio.Event()
    library.listen(lambda before, after: changed.set)
    looked = asyncio.Event()

    def publish(update: object) -> None:
        library.publish(update)  # type: ignore[arg-type]
        looked.set()

    async def until(name: str, title: str) -> None:
        async with asyncio.timeout(BOUND):
            while answer(library.catalog, name) != title:
                changed.clear()
                await changed.wait()

    watcher = Watcher(
        tree.root, library.scan, publish, interval=NEVER, find=find_tree_folders
    )
    async with running(watcher):
        await asyncio.wait_for(looked.wait(), BOUND)
        tree.write("a/b/c/x.md", "# Two\n")
        await until("a/b/c/x.md", "Two")
        tree.write("new/deep/y.md", "# New\n")
        await until("new/deep/y.md", "New")
        tree.write("new/deep/y.md", "# Newer\n")
        await until("new/deep/y.md", "Newer")


def test_a_tree_without_menus_is_indexed_without_the_grammar(tree: DocsTree) -> None:
    """Importing the grammar takes longer than indexing a hundred pages."""
    script = (
        "import sys, pathlib\n"
        "from asdlc_kb.docs.library import DocLibrary\n"
        "from asdlc_kb.docs.documents import PageSource\n"
        "from asdlc_kb.search.service.fulltext import FullText\n"
        "library = DocLibrary(pathlib.Path(sys.argv[1]))\n"
        "assert FullText(None).sync(PageSource(library.load()))\n"
        "assert library.catalog.topbar\n"
        "assert 'markdown_it' not in sys.modules\n"
    )
    command = [sys.executable, "-c", script, str(tree.root)]
    subprocess.run(command, env=environment(), timeout=60, check=True)


def test_what_a_configuration_excludes_is_like_a_missing_page(tree: DocsTree) -> None:
    """Files, and whole folders."""
    for path in ("x/a.md", "out/a.md", "out/deep/b.md", "_part.md"):
        tree.write(path, "# A\n")
    configuration = TreeConfiguration(root=tree.root, excluded=("/out/", "_*.md"))
    library = DocLibrary(tree.root, lambda: configuration, clock=settled_clock)
    library.load()
    assert list(library.catalog.by_path) == ["a/b/c/x.md", "x/a.md"]
    assert answer(fetch(library, "out/a.md"), "out/a.md").endswith("not found")


def test_the_file_of_a_sidebar_is_no_page(tree: DocsTree) -> None:
    """It is the navigation."""
    tree.write("SUMMARY.md", "# Summary\n\n- [One](a/b/c/x.md)\n")
    configuration = TreeConfiguration(
        root=tree.root, generator="mdbook", sidebar_file="SUMMARY.md"
    )
    library = DocLibrary(tree.root, lambda: configuration, clock=settled_clock)
    library.load()
    assert list(library.catalog.by_path) == ["a/b/c/x.md"]
    assert menu_lines(library.catalog.sidebar) == ["One a/b/c/x.md"]


def open_files(library: DocLibrary) -> ReferencedFiles:
    """Return the attachments of the visible pages of a tree."""
    return DocCollection.of(library).open_files(library.catalog)


def test_an_unlisted_page_has_its_pictures(tree: DocsTree) -> None:
    """As it has its address."""
    picture = b"\x89PNG\r\n\x1a\n" + bytes(64)
    (tree.root / "a.png").write_bytes(picture)
    tree.write("quiet.md", "---\nunlisted: true\n---\n# Quiet\n\n![A](a.png)\n")
    library = loaded(tree)
    assert "a.png" in open_files(library).names


def test_files_that_are_excluded_are_no_attachments(tmp_path: Path) -> None:
    """As soon as the configuration says so, although no page changes."""
    root = tmp_path / "docs"
    (root / "private").mkdir(parents=True)
    (root / "a.md").write_text("# A\n\n![p](private/p.png) [t](t.csv)\n")
    (root / "private" / "p.png").write_bytes(make_png())
    (root / "t.csv").write_text("a,b\n")
    configuration = tmp_path / "mkdocs.yml"
    configuration.write_text("site_name: X\nexclude_docs: private/\n")
    library = DocLibrary(
        configure=lambda: read_configuration(root), clock=settled_clock
    )
    library.load()
    collection = DocCollection.of(library)

    def find(name: str) -> Attachment | None:
        return collection.open_files(collection.catalog).find(name)

    assert find("private/p.png") is None
    assert find("t.csv") is not None
    configuration.write_text("site_name: X\nexclude_docs: '*.csv'\n")
    library.publish(library.scan())
    assert find("private/p.png") is not None
    assert find("t.csv") is None


def test_the_generators_static_files_belong_to_the_tree(tmp_path: Path) -> None:
    """Also when the configuration comes later; relative and absolute references."""
    root = tmp_path / "docs"
    root.mkdir()
    (root / "a.md").write_text("# A\n\n![a](/img/a.png) ![b](../static/b.png)\n")
    (tmp_path / "static" / "img").mkdir(parents=True)
    (tmp_path / "static" / "img" / "a.png").write_bytes(make_png())
    (tmp_path / "static" / "b.png").write_bytes(make_png())
    generators = [""]
    library = DocLibrary(
        root,
        lambda: TreeConfiguration(
            generator=generators[-1], root=root, files=(tmp_path / "site.yml",)
        ),
        clock=settled_clock,
    )
    library.load()
    assert open_files(library).find("img/a.png") is None
    generators.append("docusaurus")
    (root / "b.md").write_text("# B\n")
    library.publish(library.scan())
    files = open_files(library)
    assert files.find("img/a.png") is not None
    assert files.find("b.png") is not None
