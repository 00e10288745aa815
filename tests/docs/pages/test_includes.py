"""The files that pages may include, and those that no page can reach."""

import os
from pathlib import Path

import pytest

from asdlc_kb.docs.pages.includes import TreeIncludes
from asdlc_kb.exceptions import UnreadableFile

SECRET = "a secret plover"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with a tree, a folder of code and other files."""
    files = {
        "docs/page.md": "# Page",
        "docs/parts/note.md": "---\ntitle: Note\n---\nA note.\n",
        "docs/parts/draft.md": f"---\ndraft: true\n---\n{SECRET}\n",
        "code/app.py": "x = 1\n",
        "code/docs/app.py": "x = 2\n",
        "docs/docs/app.py": "x = 3\n",
        "code/Makefile": "all:\n",
        "code/.env": SECRET,
        "code/.hidden/a.py": SECRET,
        "code/node_modules/a.js": SECRET,
        "code/data.bin": SECRET,
        "code/key.pem": SECRET,
        "secret.py": SECRET,
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "code/out.py").symlink_to(tmp_path / "secret.py")
    (tmp_path / "code/env.py").symlink_to(".env")
    (tmp_path / "code/loop.py").symlink_to("loop.py")
    os.mkfifo(tmp_path / "code/fifo.py")
    return tmp_path


def read(repository: Path, written: str, source: str = "docs/page.md") -> str:
    """Return what a page of the repository includes."""
    includes = TreeIncludes(repository / "docs", (repository / "code",))
    return includes.read(written, str(repository / source)).text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("parts/note.md", "A note.\n"),
        ("/parts/note.md", "A note.\n"),
        ("@site/parts/note.md", "A note.\n"),
        ("app.py", "x = 1\n"),
        ("@site/docs/app.py", "x = 2\n"),
        ("/docs/app.py", "x = 3\n"),
        ("../code/app.py", "x = 1\n"),
        ("Makefile", "all:\n"),
    ],
)
def test_files_of_the_tree_and_of_named_folders_are_included(
    repository: Path, written: str, text: str
) -> None:
    """Relative to the page, to the tree or to a named folder."""
    assert read(repository, written) == text


def test_an_include_of_an_included_file_is_relative_to_that(repository: Path) -> None:
    """As generators read it."""
    assert read(repository, "note.md", "docs/parts/other.md") == "A note.\n"


@pytest.mark.parametrize(
    "written",
    [
        *("../secret.py", "../../etc/passwd", "/etc/passwd", "out.py", "env.py"),
        *(".env", ".hidden/a.py", "node_modules/a.js", "data.bin", "key.pem"),
        *("loop.py", "fifo.py", "", ".", "..", "a\0b.py", "parts", "parts/draft.md"),
        *("missing.md", "x" * 5_000 + ".md"),
    ],
)
def test_no_other_file_is_included(repository: Path, written: str) -> None:
    """Hidden, installed, outside by a link or by `..`, no text, no regular file."""
    with pytest.raises(UnreadableFile) as raised:
        read(repository, written)
    assert SECRET not in str(raised.value)


def test_a_hidden_file_is_refused_like_a_missing_one(repository: Path) -> None:
    """The error does not reveal a draft."""
    reasons = []
    for written in ("parts/draft.md", "parts/missing.md"):
        with pytest.raises(UnreadableFile) as raised:
            read(repository, written)
        reasons.append(str(raised.value))
    assert reasons[0] == reasons[1]


def test_further_files_can_be_refused(repository: Path) -> None:
    """Such as those that are not under version control."""

    def refuse(path: str) -> UnreadableFile | None:
        is_ignored = path == os.path.realpath(repository / "code/app.py")
        return UnreadableFile("ignored", "add it") if is_ignored else None

    includes = TreeIncludes(repository / "docs", (repository / "code",), refuse)
    with pytest.raises(UnreadableFile, match="ignored"):
        includes.read("app.py", str(repository / "docs/page.md"))


def test_every_place_that_was_looked_at_is_recorded(repository: Path) -> None:
    """A file that appears at an earlier one is included from then on."""
    includes = TreeIncludes(repository / "docs", (repository / "code",))
    includes.read("app.py", str(repository / "docs/page.md"))
    found = {
        Path(d.path): d.signature is not None for d in includes.dependencies.values()
    }
    assert found == {
        repository / "docs/app.py": False,
        repository / "code/app.py": True,
    }


@pytest.mark.parametrize(
    ("written", "text"),
    [
        *(("/a/b/app.py", "x = 1\n"), ("a/b/./docs/../app.py", "x = 1\n")),
        *(("a/f.py", SECRET), ("a/f.py/x", None), ("a/b", None), ("a/bc/app.py", None)),
        *(("a/b/.env", None), ("a/b/.hidden/a.py", None), ("a/b/out.py", None)),
        *(("a/b/../../secret.py", None), ("a/b/node_modules/a.js", None)),
    ],
)
def test_mounted_files_are_included(
    repository: Path, written: str, text: str | None
) -> None:
    """By their path in the tree; what no page can reach elsewhere is refused there."""
    mounts = (("a/b", repository / "code"), ("a/f.py", repository / "secret.py"))
    includes = TreeIncludes(repository / "docs", mounts=mounts)
    source = str(repository / "docs/page.md")
    if text is not None:
        assert includes.read(written, source).text == text
    else:
        with pytest.raises(UnreadableFile):
            includes.read(written, source)
