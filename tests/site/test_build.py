"""The whole site as files."""

import itertools
import os
import re
from pathlib import Path

import pytest
from support.canary import Scanner
from support.docs import DocsTree
from support.files import save_in_place
from support.knowledge import KnowledgeBase
from support.pictures import SECRET_PNG, make_png
from support.publication import fill_both
from support.publishing import BASE, find_page, open_site, read_full

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.site.build import MARKER, build_site, name_file
from asdlc_kb.site.representation import HTML, JSON


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
    """Every address is a file, for any names; nothing hidden is in any."""
    site = open_site(*fill_both(tmp_path), BASE)
    count = build_site(site, tmp_path / "out")
    built = read_all(tmp_path / "out")
    names = built.pop(MARKER).decode().splitlines()
    assert names == sorted(built)
    assert count == len(built)
    snapshot = site.snapshot
    for path in snapshot.addresses():
        page = find_page(site, path, snapshot)
        assert built.pop(name_file(path, page.type)) == page.body, path
    assert built.pop("llms-full.txt") == b"".join(read_full(site))
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
    """Deleted content is deleted from the files; nothing is left next to the folder."""
    knowledge.write("concepts/old", title="Old")
    out = tmp_path / "out"
    build_site(open_site(knowledge), out)
    assert (out / "concepts/old.html").exists()
    (knowledge.root / "concepts/old.md").unlink()
    before = set(os.listdir(tmp_path))
    build_site(open_site(knowledge), out)
    assert not (out / "concepts/old.html").exists()
    assert set(os.listdir(tmp_path)) == before


def test_a_folder_with_other_files_is_left_alone(
    tmp_path: Path, knowledge: KnowledgeBase
) -> None:
    """A mistyped name must not cost a folder of files."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/thesis.txt").write_text("years of work")
    with pytest.raises(OperationalError, match=r"contains other files: thesis\.txt: "):
        build_site(open_site(knowledge), tmp_path / "mine")
    assert read_all(tmp_path / "mine") == {"thesis.txt": b"years of work"}
    (tmp_path / "file").write_text("x")
    with pytest.raises(OperationalError, match="is a file: name a folder"):
        build_site(open_site(knowledge), tmp_path / "file")


def test_a_failed_build_leaves_the_last_one(
    tmp_path: Path, knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a site is never visible."""
    out = tmp_path / "out"
    build_site(open_site(knowledge), out)
    before = read_all(out)

    def fail(path: Path, *_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "open", fail)
    with pytest.raises(
        OperationalError, match=r"cannot build in .*: No space left on device"
    ):
        build_site(open_site(knowledge), out)
    monkeypatch.undo()
    assert read_all(out) == before
    assert [name for name in os.listdir(tmp_path) if name.startswith(".out")] == []


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("CNAME", "CNAME"),
        (".git/HEAD", ".git"),
        ("concepts/mine.txt", "concepts/mine.txt"),
        ("concepts/own/x", "concepts/own"),
    ],
)
def test_what_was_added_to_a_build_is_not_taken_away(
    tmp_path: Path, knowledge: KnowledgeBase, name: str, message: str
) -> None:
    """A domain's name, a repository: reported by name, and kept."""
    knowledge.write("concepts/a")
    out = tmp_path / "out"
    build_site(open_site(knowledge), out)
    save_in_place(out / name, "mine")
    before = read_all(out)
    with pytest.raises(
        OperationalError, match=f"contains other files: {re.escape(message)}: "
    ):
        build_site(open_site(knowledge), out)
    assert read_all(out) == before


def test_a_link_or_an_empty_folder_in_a_build_is_not_taken_away(
    tmp_path: Path, knowledge: KnowledgeBase
) -> None:
    """Other files are kept; targets of links are not read."""
    knowledge.write("concepts/a")
    out = tmp_path / "out"
    build_site(open_site(knowledge), out)
    (out / "drafts").mkdir()
    with pytest.raises(OperationalError, match="contains other files: drafts: "):
        build_site(open_site(knowledge), out)
    (out / "drafts").rmdir()
    (out / "concepts").rename(tmp_path / "concepts")
    (out / "concepts").symlink_to(tmp_path / "concepts")
    with pytest.raises(OperationalError, match="contains other files: concepts: "):
        build_site(open_site(knowledge), out)


def test_a_build_that_lost_a_file_is_replaced(
    tmp_path: Path, knowledge: KnowledgeBase
) -> None:
    """Nothing in it belongs to others; an empty folder may be used."""
    out = tmp_path / "out"
    out.mkdir()
    build_site(open_site(knowledge), out)
    before = read_all(out)
    (out / "index.html").unlink()
    build_site(open_site(knowledge), out)
    assert read_all(out) == before


@pytest.mark.parametrize("below", [".", "concepts"])
def test_a_working_directory_is_not_replaced(
    tmp_path: Path,
    knowledge: KnowledgeBase,
    monkeypatch: pytest.MonkeyPatch,
    below: str,
) -> None:
    """A shell would be left in a deleted folder."""
    knowledge.write("concepts/a")
    out = tmp_path / "out"
    build_site(open_site(knowledge), out)
    monkeypatch.chdir(out / below)
    for name in (out, Path(os.path.relpath(out))):
        with pytest.raises(
            OperationalError,
            match=r"out is the working directory .*: change to another",
        ):
            build_site(open_site(knowledge), name)
    monkeypatch.chdir(tmp_path)
    build_site(open_site(knowledge), Path("out"))


def test_a_link_to_a_folder_stays_a_link(
    tmp_path: Path, knowledge: KnowledgeBase
) -> None:
    """Its target is built, and built again, whether it existed or not."""
    (tmp_path / "link").symlink_to("releases/now")
    for _ in range(2):
        build_site(open_site(knowledge), tmp_path / "link")
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "releases/now/index.html").is_file()
        assert os.listdir(tmp_path / "releases") == ["now"]


def fail_to_replace(monkeypatch: pytest.MonkeyPatch, *failing: int) -> None:
    """Make some of the next moves fail, counted from 1."""
    real, moves = os.replace, itertools.count(1)

    def replace(old: Path, new: Path) -> None:
        if next(moves) in failing:
            raise OSError(5, "Input/output error")
        real(old, new)

    monkeypatch.setattr(os, "replace", replace)


@pytest.mark.parametrize("failing", [1, 2])
def test_a_build_that_cannot_be_put_in_place_leaves_the_last_one(
    tmp_path: Path,
    knowledge: KnowledgeBase,
    monkeypatch: pytest.MonkeyPatch,
    failing: int,
) -> None:
    """Either move may fail; nothing is left next to the folder."""
    out = tmp_path / "out"
    build_site(open_site(knowledge), out)
    before, siblings = read_all(out), set(os.listdir(tmp_path))
    fail_to_replace(monkeypatch, failing)
    with pytest.raises(
        OperationalError, match=r"cannot build in .*: Input/output error"
    ):
        build_site(open_site(knowledge), out)
    assert read_all(out) == before
    assert set(os.listdir(tmp_path)) == siblings


def test_a_build_that_cannot_be_put_back_is_kept_and_named(
    tmp_path: Path, knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An existing site keeps its files."""
    out = tmp_path / "out"
    build_site(open_site(knowledge), out)
    before = read_all(out)
    fail_to_replace(monkeypatch, 2, 3)
    with pytest.raises(OperationalError, match=r"its previous files are in ") as raised:
        build_site(open_site(knowledge), out)
    (kept,) = tmp_path.glob(".out.*")
    assert str(kept) in str(raised.value)
    assert read_all(kept) == before


def test_documentation_alone_has_a_first_page(tmp_path: Path) -> None:
    """A web server looks for index.html."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("guide.md", "# The guide\n")
    build_site(open_site(None, tree), tmp_path / "out")
    assert b"The guide" in (tmp_path / "out/index.html").read_bytes()


def test_pictures_and_downloads_are_copied(tmp_path: Path, scanner: Scanner) -> None:
    """Those that visible pages refer to."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("a.md", "# A\n\n![a](img/a%20b.png) [m](m.pdf) ![no](no.png)\n")
    tree.write("d.md", "---\ndraft: true\n---\n![h](hidden.png)\n")
    (tree.root / "img").mkdir()
    (tree.root / "img" / "a b.png").write_bytes(make_png())
    (tree.root / "m.pdf").write_bytes(b"%PDF")
    (tree.root / "hidden.png").write_bytes(SECRET_PNG)
    count = build_site(open_site(None, tree, BASE), tmp_path / "out")
    built = read_all(tmp_path / "out")
    assert count == len(built) - 1
    assert built["docs/img/a b.png"] == make_png()
    assert built["docs/m.pdf"] == b"%PDF"
    assert not {"docs/hidden.png", "docs/no.png"} & set(built)
    for path, body in built.items():
        scanner.scan(path.encode() + body, "build")
    # A further build replaces them.
    build_site(open_site(None, tree, BASE), tmp_path / "out")
    assert read_all(tmp_path / "out") == built
