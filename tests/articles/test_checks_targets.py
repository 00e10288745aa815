"""What references of articles lead to: files, former addresses, successors."""

import datetime
from pathlib import Path

import pytest
from support.files import save_over
from support.knowledge import article_text, settled_clock
from support.pictures import make_png

from asdlc_kb.articles.checks import check_articles
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.attachments.file_types import MAX_PICTURE_BYTES
from asdlc_kb.attachments.store import AttachmentStore

TODAY = datetime.date(2026, 5, 17)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A content root with a picture, a download and an article that moved."""
    (tmp_path / "img").mkdir()
    (tmp_path / "img" / "ok.png").write_bytes(make_png(4, 4))
    (tmp_path / "files").mkdir()
    (tmp_path / "files" / "a.pdf").write_bytes(b"%PDF-1.4")
    write(tmp_path, "patterns/loop", aliases="[/concepts/old]", body="## Part\n")
    return tmp_path


def write(root: Path, name: str, **fields: object) -> None:
    """Save an article; its body begins in line 9 if one field is added."""
    save_over(root / f"{name}.md", article_text(name, **fields))


def check(root: Path, body: str, **fields: object) -> list[str]:
    """Return the problems of an article with a body, without path and line."""
    write(root, "concepts/x", body=f"{body}\n", **fields)
    catalog = ArticleLibrary(root, clock=settled_clock).load()
    problems = check_articles(catalog, AttachmentStore((root,)), TODAY)
    return [
        f"{problem.code} {problem.message}"
        for problem in problems
        if problem.path == "concepts/x.md" and problem.code != "KB023"
    ]


@pytest.mark.parametrize(
    "body",
    [
        "![](../img/ok.png)",
        "![](/img/ok.png)",
        "[pdf](../files/a.pdf#page=2)",
        "<img src='../img/ok.png'>",
        "![](https://example.com/no.png)",
        "[code](../files/a.py)",
        "`![](../img/no.png)`",
        "[old](old.md)",
        "[old](/concepts/old#part)",
        "[old](kb://article/concepts/old)",
    ],
)
def test_what_is_there_is_no_problem(root: Path, body: str) -> None:
    """Files as the website serves them, and former addresses, which it redirects."""
    assert check(root, body) == []


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("![](../img/no.png)", "no picture 'img/no.png'"),
        ("![](img/ok.png)", "no picture 'concepts/img/ok.png'"),
        ("![](/img/OK.png)", "no picture 'img/OK.png'"),
        ("<img src='../img/no.png'>", "no picture 'img/no.png'"),
        ("<video src='../img/no.mp4'></video>", "no picture 'img/no.mp4'"),
        ("[pdf](../files/b.pdf)", "no file 'files/b.pdf'"),
        ("[txt](no.txt)", "no file 'concepts/no.txt'"),
    ],
)
def test_a_missing_file_is_reported(root: Path, body: str, message: str) -> None:
    """A picture shows as its text then, and a link leads nowhere."""
    assert check(root, body) == [f"KB033 {message}: add it, or correct the path"]


def test_a_file_that_is_too_large_is_reported(root: Path) -> None:
    """It is there, so that another path would be no help."""
    with (root / "img" / "large.png").open("wb") as file:
        file.truncate(MAX_PICTURE_BYTES + 1)
    (problem,) = check(root, "![](../img/large.png)")
    assert problem.startswith("KB033 the picture 'img/large.png' is too large, or ")


def test_a_link_without_an_address_is_reported(root: Path) -> None:
    """Authors leave it to be filled in."""
    assert check(root, "[a]()") == [
        "KB030 a link has no address: add one, or remove it"
    ]


def test_the_anchor_of_a_former_address_is_checked(root: Path) -> None:
    """In the article that has it now."""
    (problem,) = check(root, "[old](old.md#no)")
    assert problem.startswith("KB032 no heading in 'patterns/loop' has the anchor")


def test_a_superseded_article_has_the_advice_to_name_its_successor(
    root: Path,
) -> None:
    """If that is visible, and is not the article itself."""
    write(root, "recipes/gone", status="Deprecated", supersededBy="[loop, wip, x]")
    write(root, "recipes/wip", status="Draft")
    assert check(root, "[gone](../recipes/gone.md)", relatedIds="[gone]") == [
        "KB021 relatedIds refers to 'recipes/gone', which is hidden: "
        "write 'patterns/loop'",
        "KB031 links to 'recipes/gone', which is hidden: link to 'patterns/loop'",
    ]


@pytest.mark.parametrize("name", ["concepts/old", "loop.md", "LOOP", "/patterns/Loop"])
def test_an_id_in_another_form_suggests_the_right_one(root: Path, name: str) -> None:
    """As a file, in another case, or as it was before."""
    assert check(root, "Text.", relatedIds=f"[{name}]") == [
        f"KB020 relatedIds refers to '{name}', which is not an article: "
        "did you mean 'patterns/loop'?"
    ]
