"""Pages from the parsed cache: as parsed ones, while nothing they show changes."""

import gc
import logging
import shutil
import tracemalloc
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.docs import DocsTree, loaded, raw_file
from support.files import Clock, save_in_place
from support.knowledge import settled_clock

from asdlc_kb.docs.collection import DocCollection
from asdlc_kb.docs.generators import read_configuration
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.docs.pages.page import DocPage, DocPageText, read_page
from asdlc_kb.docs.pages.placement import UNPLACED
from asdlc_kb.files.lazy_value import StoredPlace

PAGES = {
    "docs/index.md": "# Home\n\n!!! note\n    Text.\n",
    "docs/guide/a.md": '---\ntitle: A\ntags: [x]\n---\n--8<-- "docs/parts/p.md"\n',
    "docs/guide/b.md": "Plain *text*, ==marked==.\n",
    "docs/parts/p.md": "The part.\n",
    "docs/secret.md": "---\ndraft: true\n---\nThe secret text.\n",
    "mkdocs.yml": (
        "site_name: X\nmarkdown_extensions: [pymdownx.snippets, admonition]\n"
    ),
}


class Restarts:
    """Starts of a server over one tree and one cache."""

    def __init__(self, folder: Path, log: pytest.LogCaptureFixture) -> None:
        self.folder = folder
        self.cache = folder.parent.parent / "cache"
        self.clock: Any = settled_clock
        self._log = log
        log.set_level(logging.INFO)

    def write(self, name: str, text: str) -> Path:
        """Write a file of the tree."""
        return save_in_place(self.folder / name, text)

    def open(self, *, has_cache: bool = True, **options: Any) -> DocLibrary:
        """Return a loaded library."""
        library = DocLibrary(
            configure=partial(read_configuration, self.folder),
            parsed_cache_path=self.cache if has_cache else None,
            clock=self.clock,
            **options,
        )
        library.load()
        return library

    def count_parsed(self, **options: Any) -> int:
        """Start, and return the number of files that were parsed."""
        self._log.clear()
        library = self.open(**options)
        (record,) = (r for r in self._log.records if r.getMessage() == "files loaded")
        library.save()
        fresh = self.open(has_cache=False, **options).catalog
        assert dict(library.catalog.snapshot.entries) == dict(fresh.snapshot.entries)
        assert list(library.catalog.by_path) == list(fresh.by_path)
        parsed: int = vars(record)["parsed"]
        return parsed


@pytest.fixture
def restarts(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> Restarts:
    """A tree of MkDocs that was served once."""
    restarts = Restarts(tmp_path / "x" / "tree", caplog)
    for name, text in PAGES.items():
        restarts.write(name, text)
    assert restarts.count_parsed() == 5
    return restarts


def read(library: DocLibrary, path: str) -> str:
    """Return the text of a visible page."""
    return library.catalog.by_path[path].text


def test_a_second_start_parses_nothing(restarts: Restarts) -> None:
    """Pages, hidden ones, problems and texts are the same."""
    assert restarts.count_parsed() == 0
    library = restarts.open()
    assert "The part." in read(library, "guide/a.md")
    page = library.catalog.by_path["index.md"]
    assert page.source.startswith("# Home")
    assert "Text." in page.html_text


def test_a_changed_page_is_parsed(restarts: Restarts) -> None:
    """No other one."""
    restarts.write("docs/guide/b.md", "Other text.\n")
    assert restarts.count_parsed() == 1


def test_a_page_is_parsed_when_what_it_includes_changed(restarts: Restarts) -> None:
    """Both files."""
    restarts.write("docs/parts/p.md", "Another part.\n")
    assert restarts.count_parsed() == 2
    assert "Another part." in read(restarts.open(), "guide/a.md")


def test_an_include_that_is_hidden_meanwhile_is_not_in_the_page(
    restarts: Restarts,
) -> None:
    """Its text was in the cache, as part of a page that was visible."""
    restarts.write("docs/parts/p.md", "---\ndraft: true\n---\nThe part.\n")
    assert "The part." not in read(restarts.open(), "guide/a.md")


def test_a_page_with_a_dated_include_is_parsed_at_each_start(
    restarts: Restarts,
) -> None:
    """What it shows depends on the time."""
    restarts.write("docs/parts/p.md", "---\nexpiryDate: 2900-01-01\n---\nNow.\n")
    assert restarts.count_parsed() == 2
    assert restarts.count_parsed() == 1


@pytest.mark.parametrize(
    "written",
    [
        "site_name: X\nmarkdown_extensions: [pymdownx.snippets]\ndocs_dir: docs\n",
        "site_name: X\nplugins: [{exclude: {glob: [guide/*]}}]\n",
    ],
)
def test_a_changed_configuration_is_followed(restarts: Restarts, written: str) -> None:
    """Rows of other rules are not used; of equal ones they are."""
    restarts.write("mkdocs.yml", written)
    restarts.count_parsed()
    assert restarts.count_parsed() == 0


@pytest.mark.parametrize("option", [{"dialect": "github"}, {"language": "de"}])
def test_options_of_the_operator_are_part_of_the_rules(
    restarts: Restarts, option: dict[str, str]
) -> None:
    """Dialect and language change every page."""
    assert restarts.count_parsed(**option) == 5
    assert restarts.count_parsed(**option) == 0
    assert restarts.count_parsed() == 5


def test_the_text_of_a_hidden_page_is_not_stored(restarts: Restarts) -> None:
    """D-179: nor that of one that is hidden until a date."""
    restarts.write(
        "docs/later.md", "---\npublishDate: 2900-01-01\n---\nThe later text.\n"
    )
    assert restarts.count_parsed() == 1
    stored = restarts.cache.read_bytes()
    assert b"The secret text." not in stored
    assert b"The later text." not in stored
    assert b"The part." in stored
    restarts.clock = Clock(30_000_000_000.0)
    assert "The later text." in read(restarts.open(), "later.md")


def test_what_an_index_page_hides_is_not_stored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """As in Hugo: a cascade hides the pages below it."""
    restarts = Restarts(tmp_path / "x" / "site", caplog)
    restarts.write("hugo.toml", "title = 'X'\n")
    restarts.write("content/_index.md", "# Home\n")
    hides = "---\ndraft: true\ncascade:\n  draft: true\n---\n"
    restarts.write("content/below/_index.md", hides)
    restarts.write("content/below/x.md", "The text below.\n")
    assert restarts.count_parsed() == 3
    assert restarts.count_parsed() == 0
    assert b"The text below." not in restarts.cache.read_bytes()
    assert list(restarts.open().catalog.by_path) == ["_index.md"]


def test_notes_that_embed_each_other_are_stored(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A new note of the same name is found."""
    restarts = Restarts(tmp_path / "x" / "vault", caplog)
    (restarts.folder / ".obsidian").mkdir(parents=True)
    restarts.write("a.md", "![[part]]\n")
    restarts.write("below/part.md", "The first.\n")
    assert restarts.count_parsed() == 2
    assert restarts.count_parsed() == 0
    restarts.write("part.md", "The nearer.\n")
    assert restarts.count_parsed() == 2
    assert "The nearer." in read(restarts.open(), "a.md")


def test_a_copied_tree_is_read_but_parsed_only_where_files_include_others(
    restarts: Restarts,
) -> None:
    """Included files are compared by their signature."""
    copy = restarts.folder.with_name("copy")
    shutil.copytree(restarts.folder, copy)
    shutil.rmtree(restarts.folder)
    copy.rename(restarts.folder)
    assert restarts.count_parsed() == 1


def test_a_sidebar_is_stored(restarts: Restarts) -> None:
    """With its text, which the catalog needs at once."""
    restarts.write("docs/sidebar.md", "- [B](guide/b.md)\n")
    restarts.count_parsed()
    assert restarts.count_parsed() == 0


def test_a_page_of_the_store_reads_its_file_if_the_store_is_damaged(
    restarts: Restarts,
) -> None:
    """The same text."""
    page = restarts.open().catalog.by_path["guide/b.md"]
    assert isinstance(page, DocPage)
    text = page.text
    restarts.cache.write_bytes(b"")
    assert page.text == text


def test_a_start_shares_what_many_pages_have(restarts: Restarts) -> None:
    """D-301: the values of fields, and what their entries hold anyway."""
    for name in ("c", "d"):
        restarts.write(f"docs/{name}.md", f"---\ntags: [same, {name}]\n---\n{name}\n")
    restarts.open().save()
    catalog = restarts.open().catalog
    one, other = (catalog.by_path[f"{name}.md"] for name in ("c", "d"))
    assert one.placement is other.placement is UNPLACED
    assert one.edition is other.edition
    assert one.dialect is other.dialect
    assert one.file_date is other.file_date
    assert one.tags[0] is other.tags[0]
    entries = catalog.snapshot.entries
    paths = dict(zip(entries, entries, strict=True))
    for page in (one, other):
        assert page.path is paths[page.path]
        assert page.digest is entries[page.path].digest


def test_a_page_of_a_large_tree_takes_little_memory(tmp_path: Path) -> None:
    """D-301: its text is on the disk, and all tables for requests are made."""
    count, names = 1_000, ("a", "b", "c", "d")
    for number in range(count):
        folder = f"section-{number % 20}/group-{number % 7}"
        links = " ".join(f"[{name}]({name}.md)" for name in names)
        save_in_place(
            tmp_path / "docs" / folder / f"a-page-of-the-manual-{number}.md",
            f"---\ntitle: A page of the manual {number}\ntags: [manual, guide]\n"
            f"description: What the page {number} of the manual explains to readers.\n"
            f"---\n{links}\n\n## Usage\n\nText.\n",
        )

    def load() -> DocLibrary:
        library = DocLibrary(
            tmp_path / "docs",
            parsed_cache_path=tmp_path / "cache",
            clock=settled_clock,
        )
        library.load()
        return library

    load().save()
    gc.collect()
    tracemalloc.start()
    try:
        library = load()
        library.catalog.precompute()
        library.catalog.find_near("a-page-of-the-manul-7")
        gc.collect()
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(library.catalog.by_path) == count
    assert taken / count < 1_900


def page_of(text: str) -> DocPage:
    """Return the page of a text."""
    page = read_page(raw_file(text, "a.md")).value
    assert isinstance(page, DocPage)
    return page


def test_the_references_of_a_page_are_named_without_reading_its_text() -> None:
    """D-302: after an edit, the files to which 100,000 pages refer are known."""
    page = page_of("# Page\n\n![](a.png)\n")

    class Stored:
        read_count = 0

        def read(self, place: bytes, path: str, digest: bytes) -> DocPageText:
            self.read_count += 1
            return DocPageText("![](a.png)")

    stored = Stored()
    page.stored_text.move(StoredPlace(stored, b"x"), page.path, page.digest)
    text = page.referring_text
    again = page_of("# Page\n\n![](a.png)\n").referring_text
    other = page_of("# Page\n\n![](b.png)\n").referring_text
    assert text.key == again.key != other.key
    assert stored.read_count == 0
    assert [*text.read()] == ["![](a.png)"]
    assert stored.read_count == 1


def test_an_unknown_file_reads_only_the_texts_that_may_refer_to_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-303: a client that asked for one waited until 100,000 texts were read."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("plain.md", "# Plain\n\nSee [it](shown.md) and `this`.\n")
    tree.write("code.md", "# Code\n\nSee `![](code.png)`.\n")
    tree.write("shown.md", "# Shown\n\n![](a.png)\n")
    tree.write("part.md", "![](part.png)\n")
    tree.write("including.mdx", "import Part from './part.md';\n\n<Part />\n")
    library = loaded(tree)
    read: list[str] = []

    def record(page: DocPage) -> Iterator[str]:
        read.append(page.path)
        return read_forms(page)

    read_forms = DocPage._read_forms
    monkeypatch.setattr(DocPage, "_read_forms", record)
    names = DocCollection.of(library).open_files(library.catalog).names
    assert set(names) >= {"a.png", "part.png"}
    assert "code.png" not in names
    assert sorted(read) == ["code.md", "including.mdx", "part.md", "shown.md"]
