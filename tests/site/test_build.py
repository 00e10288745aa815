"""The whole site as files."""

import os
from pathlib import Path

import pytest
from support.canary import Scanner
from support.docs import DocsTree
from support.knowledge import KnowledgeBase
from support.publication import fill_both
from support.publishing import BASE, find_page, open_site

from asdlc_kb.exceptions import HostError
from asdlc_kb.site import llms
from asdlc_kb.site.build import MARKER, build, name_file
from asdlc_kb.site.page import HTML, JSON


def read_all(folder: Path) -> dict[str, bytes]:
    """Return every file of a folder by its path."""
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_a_build_has_the_bytes_that_are_served(
    tmp_path: Path, scanner: Scanner
) -> None:
    """Every address is a file, whatever names there are; nothing hidden is in any."""
    site = open_site(*fill_both(tmp_path), BASE)
    count = build(site, tmp_path / "out")
    built = read_all(tmp_path / "out")
    assert built.pop(MARKER) == b""
    assert count == len(built)
    shelves = site.shelves
    for path in site.addresses(shelves):
        page = find_page(site, path, shelves)
        assert built.pop(name_file(path, page.type)) == page.body, path
    assert built.pop("llms-full.txt") == b"".join(
        llms.write_full(site.identity, shelves.articles, shelves.docs)
    )
    missing = built.pop("404.html")
    assert b"There is no page at this address" in missing
    assert not built
    for path, body in read_all(tmp_path / "out").items():
        scanner.scan(path.encode() + body, "build")


@pytest.mark.parametrize(
    ("path", "type", "name"),
    [
        ("/", HTML, "index.html"),
        ("/concepts/", HTML, "concepts/index.html"),
        ("/concepts/a", HTML, "concepts/a.html"),
        ("/docs/a%20b", HTML, "docs/a b.html"),
        ("/concepts/a.md", "text/markdown", "concepts/a.md"),
        ("/-/search.json", JSON, "-/search.json"),
    ],
)
def test_an_address_has_a_file_that_any_server_finds(
    path: str, type: str, name: str
) -> None:
    """Folders have an index; pages get the suffix that servers try."""
    assert name_file(path, type) == name


def test_a_second_build_takes_the_place_of_the_first(
    tmp_path: Path, knowledge: KnowledgeBase
) -> None:
    """What is gone is gone from the files too; nothing is left beside the folder."""
    knowledge.write("concepts/old", title="Old")
    out = tmp_path / "out"
    build(open_site(knowledge), out)
    assert (out / "concepts/old.html").exists()
    (knowledge.root / "concepts/old.md").unlink()
    before = set(os.listdir(tmp_path))
    build(open_site(knowledge), out)
    assert not (out / "concepts/old.html").exists()
    assert set(os.listdir(tmp_path)) == before


def test_a_folder_with_other_files_is_left_alone(
    tmp_path: Path, knowledge: KnowledgeBase
) -> None:
    """A mistyped name must not cost somebody a folder."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("years of work")
    with pytest.raises(HostError, match="holds other files: name a new folder"):
        build(open_site(knowledge), tmp_path / "mine")
    assert read_all(tmp_path / "mine") == {"thesis.txt": b"years of work"}
    (tmp_path / "file").write_text("x")
    with pytest.raises(HostError, match="is a file: name a folder"):
        build(open_site(knowledge), tmp_path / "file")


def test_a_failed_build_leaves_the_last_one(
    tmp_path: Path, knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody sees half a site."""
    out = tmp_path / "out"
    build(open_site(knowledge), out)
    before = read_all(out)

    def fail(path: Path, *_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(HostError, match=r"cannot build in .*: No space left on device"):
        build(open_site(knowledge), out)
    monkeypatch.undo()
    assert read_all(out) == before
    assert [name for name in os.listdir(tmp_path) if name.startswith(".out")] == []


def test_documentation_alone_has_a_first_page(tmp_path: Path) -> None:
    """A web server asks for index.html."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide.md", "# The guide\n")
    build(open_site(None, tree), tmp_path / "out")
    assert b"The guide" in (tmp_path / "out/index.html").read_bytes()
