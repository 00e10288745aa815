"""Dates of the last commits of pages."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from dulwich import porcelain
from dulwich.objects import Commit
from dulwich.repo import Repo
from support.publishing import open_docs

from asdlc_kb.docs.commit_dates import find_commit_dates, read_commit_dates

AUTHOR = b"Ada <ada@example.com>"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with two pages, one of which was edited later."""
    porcelain.init(tmp_path).close()
    write(tmp_path, "docs/a.md", "# A\n")
    write(tmp_path, "docs/b.md", "# B\n")
    commit(tmp_path, "2024-01-02")
    write(tmp_path, "docs/b.md", "# B\n\nMore.\n")
    commit(tmp_path, "2025-03-04")
    return tmp_path


def write(root: Path, path: str, text: str) -> None:
    """Write a file of a repository."""
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).write_text(text, encoding="utf-8")


def commit(root: Path, date: str) -> None:
    """Commit all files on a day."""
    seconds = datetime.fromisoformat(date).replace(tzinfo=UTC).timestamp()
    with Repo(str(root)) as repo:
        porcelain.add(repo, [str(path) for path in root.glob("docs/*")])
        porcelain.commit(
            repo,
            message=b"Change",
            author=AUTHOR,
            committer=AUTHOR,
            commit_timestamp=int(seconds),
            commit_timezone=0,
        )


def test_a_page_has_the_date_of_its_last_commit(root: Path) -> None:
    """D-201: not that of the checkout; a page without a commit has none."""
    write(root, "docs/new.md", "# New\n")
    collection = open_docs(f"x={root / 'docs'}")._docs
    assert collection is not None
    dates = find_commit_dates(collection)
    assert dates == {"x/a.md": "2024-01-02", "x/b.md": "2025-03-04"}


def test_the_boundary_of_a_shallow_clone_has_no_date(root: Path) -> None:
    """Every file seems to be new in it."""
    files = ("docs/a.md", "docs/b.md")
    with Repo(str(root)) as repo:
        last = repo[repo.head()]
        assert isinstance(last, Commit)
        repo.update_shallow({*last.parents}, None)
    assert read_commit_dates(root, files) == {"docs/b.md": "2025-03-04"}


def test_a_folder_without_commits_has_no_dates(tmp_path: Path) -> None:
    """An empty repository, a damaged one, and none."""
    assert read_commit_dates(tmp_path, ["a.md"]) == {}
    (tmp_path / ".git").mkdir()
    assert read_commit_dates(tmp_path, ["a.md"]) == {}
    (tmp_path / ".git").rmdir()
    porcelain.init(tmp_path).close()
    assert read_commit_dates(tmp_path, ["a.md"]) == {}
