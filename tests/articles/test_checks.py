"""Problems between articles, each at its position in the author's file."""

import datetime
from pathlib import Path

import pytest
from support.files import save_over
from support.knowledge import article_text, settled_clock

from asdlc_kb.articles.checks import CODES, check_articles
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.attachments.store import AttachmentStore
from asdlc_kb.cli import rendering_checks, synonym_checks
from asdlc_kb.docs import checks as docs
from asdlc_kb.project import checks as project

TODAY = datetime.date(2026, 5, 17)


class Folder:
    """A content root with public names."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def write(self, name: str, **fields: object) -> None:
        """Save an article; its frontmatter has five lines and the given ones."""
        save_over(self.root / f"{name}.md", article_text(name, **fields))

    def check(self, *, orphans: bool = False) -> list[str]:
        """Return the problems as lines; orphans only if requested."""
        library = ArticleLibrary(self.root, clock=settled_clock)
        files = AttachmentStore((self.root,))
        problems = check_articles(library.load(), files, TODAY)
        assert all(problem.code in CODES for problem in problems)
        return [str(p) for p in problems if orphans or p.code != "KB023"]


@pytest.fixture
def content(tmp_path: Path) -> Folder:
    """A visible article, a draft, a retired one, and one that breaks the schema."""
    folder = Folder(tmp_path)
    folder.write("concepts/open", body="## First part\n\n## First part\n")
    folder.write("concepts/draft", status="Draft", body="## In draft\n")
    folder.write("concepts/retired", status="Deprecated")
    folder.write("practices/broken", lastUpdated=None)
    return folder


BROKEN = (
    "practices/broken.md:2:1: KB011 lastUpdated is missing: "
    "add a line 'lastUpdated: 2025-01-31'"
)
"""The one problem of the folder as it is: a file's own."""


def test_faults_of_files_are_reported_with_the_others(content: Folder) -> None:
    """All problems, those of the schema included."""
    assert content.check() == [BROKEN]


def test_problems_come_in_the_order_of_files_and_lines(content: Folder) -> None:
    """A report can be compared with the one before."""
    content.write("a/z", relatedIds="[no]", body="[x](no.md)\n[x](no.md)\n")
    content.write("z/a", relatedIds="[no]", description="x" * 201)
    places = [line.split(": ")[0].split(" ")[0] for line in content.check()]
    assert places == [
        "a/z.md:7:14",
        "a/z.md:10:1",
        "a/z.md:11:1",
        "practices/broken.md:2:1",
        "z/a.md:3:14",
        "z/a.md:7:14",
    ]


@pytest.mark.parametrize("field", ["lastUpdated", "publishedDate"])
def test_a_date_of_tomorrow_is_in_the_future(content: Folder, field: str) -> None:
    """Future dates are reported; today is none. Drafts are read too."""
    for status in ("Live", "Draft"):
        content.write("concepts/x", **{"status": status, field: "2026-05-17"})
        assert content.check() == [BROKEN]
        content.write("concepts/x", **{"status": status, field: "2026-05-18"})
        line = 5 if field == "lastUpdated" else 7
        column = len(field) + 3
        assert content.check() == [
            f"concepts/x.md:{line}:{column}: KB016 {field} is in the future: "
            "write the day it happened",
            BROKEN,
        ]


@pytest.mark.parametrize("field", ["relatedIds", "supersededBy"])
def test_an_id_must_name_an_article(content: Folder, field: str) -> None:
    """Unknown targets, at the position of the name; similar ones are suggested."""
    names = "[open, concepts/open, opne, concept/open, practices/broken, xyz]"
    content.write("patterns/x", **{field: names})
    at = len(field) + 3
    assert content.check() == [
        f"patterns/x.md:7:{at + 22}: KB020 {field} refers to 'opne', "
        "which is not an article: did you mean 'concepts/open'?",
        f"patterns/x.md:7:{at + 28}: KB020 {field} refers to 'concept/open', "
        "which is not an article: did you mean 'concepts/open'?",
        f"patterns/x.md:7:{at + 60}: KB020 {field} refers to 'xyz', "
        "which is not an article: fix or remove it",
        BROKEN,
    ]


def test_an_id_that_several_articles_share_names_none(content: Folder) -> None:
    """A bare slug is enough only while one visible article has it."""
    content.write("patterns/open")
    content.write("patterns/draft")
    content.write("patterns/x", relatedIds="[open, draft]")
    assert [line for line in content.check() if "KB022" not in line] == [
        "patterns/x.md:7:14: KB020 relatedIds refers to 'open', which is ambiguous: "
        "write concepts/open or patterns/open",
        BROKEN,
    ]


def test_a_visible_article_names_no_hidden_one(content: Folder) -> None:
    """Hidden targets; Draft, Deprecated and an unknown status alike."""
    content.write("concepts/typo", status="Lvie")
    content.write("concepts/x", relatedIds="[draft, concepts/retired, typo]")
    problems = [line for line in content.check() if "KB021" in line]
    assert problems == [
        "concepts/x.md:7:14: KB021 relatedIds refers to 'concepts/draft', "
        "which is hidden: remove it",
        "concepts/x.md:7:21: KB021 relatedIds refers to 'concepts/retired', "
        "which is hidden: remove it",
        "concepts/x.md:7:39: KB021 relatedIds refers to 'concepts/typo', "
        "which is hidden: remove it",
    ]


def test_a_hidden_article_may_relate_to_its_like(content: Folder) -> None:
    """D-133: drafts appear together, but a successor must already be visible."""
    names = {"relatedIds": "[draft]", "supersededBy": "[draft]"}
    content.write("concepts/old", status="Deprecated", **names, body="[x](draft.md)")
    assert content.check() == [
        "concepts/old.md:8:16: KB021 supersededBy refers to 'concepts/draft', "
        "which is hidden: remove it",
        BROKEN,
    ]


def test_a_slug_in_two_categories_is_reported_at_each(content: Folder) -> None:
    """Duplicate slugs; drafts too, since they would be once published."""
    content.write("patterns/open")
    content.write("practices/open", status="Draft")
    twins = ["concepts/open", "patterns/open", "practices/open"]
    assert content.check() == [
        f"{twin}.md:1:1: KB022 same slug as "
        f"{' and '.join(repr(t) for t in twins if t != twin)}: rename one"
        for twin in twins[:2]
    ] + [
        BROKEN,
        "practices/open.md:1:1: KB022 same slug as 'concepts/open' and "
        "'patterns/open': rename one",
    ]


def test_a_retired_article_may_keep_its_slug(content: Folder) -> None:
    """An article that moved leaves its old file behind."""
    content.write("patterns/retired")
    assert content.check() == [BROKEN]


@pytest.mark.parametrize(
    "href",
    [
        "open.md",
        "../concepts/open.md#first-part",
        "/concepts/open#first-part-1",
        "/concepts/open.html",
        "#own-part",
        "#top",
        "x.md#set-by-hand",
        "../practices/broken.md#whatever",
        "kb://article/open",
        "kb://article/concepts/open#first-part",
        "kb://doc/whatever",
        "https://example.com/no.md",
    ],
)
def test_a_link_that_leads_somewhere_is_fine(content: Folder, href: str) -> None:
    """Every notation of a link; a broken file is reported itself."""
    body = f"## Own part\n\n<i id='set-by-hand'>[x]({href})</i>\n"
    content.write("concepts/x", body=body)
    assert content.check() == [BROKEN]


@pytest.mark.parametrize(
    ("href", "problem"),
    [
        ("no.md", "KB030 no article 'concepts/no': fix or remove it"),
        (
            "/pattern/open",
            "KB030 no article 'pattern/open': did you mean 'concepts/open'?",
        ),
        ("../../up.md", "KB030 no article '../up': fix or remove it"),
        (
            "../concepts/opened.md",
            "KB030 no article 'concepts/opened': did you mean 'concepts/open'?",
        ),
        (
            "draft.md",
            "KB031 links to 'concepts/draft', which is hidden: remove the link",
        ),
        (
            "/concepts/draft#in-draft",
            "KB031 links to 'concepts/draft', which is hidden: remove the link",
        ),
        (
            "kb://article/opne",
            "KB030 no article 'opne': did you mean 'concepts/open'?",
        ),
        (
            "kb://article/draft",
            "KB031 links to 'concepts/draft', which is hidden: remove the link",
        ),
        (
            "kb://article/concepts/retired",
            "KB031 links to 'concepts/retired', which is hidden: remove the link",
        ),
        (
            "kb://article/open#zzz",
            "KB032 no heading in 'concepts/open' has the anchor '#zzz': name a heading",
        ),
        (
            "open.md#first-part-2",
            "KB032 no heading in 'concepts/open' has the anchor '#first-part-2': "
            "did you mean '#first-part-1'?",
        ),
        (
            "#Own-part",
            "KB032 no heading here has the anchor '#Own-part': "
            "did you mean '#own-part'?",
        ),
        (
            "#zzz",
            "KB032 no heading here has the anchor '#zzz': name a heading",
        ),
    ],
)
def test_a_link_that_leads_nowhere_is_reported_at_its_place(
    content: Folder, href: str, problem: str
) -> None:
    """Broken links and anchors, by the lines of the file."""
    body = f"\n\n## Own part\n\nGo [there]({href}), not `[there](no.md)`.\n"
    content.write("concepts/x", body=body)
    assert content.check() == [f"concepts/x.md:13:4: {problem}", BROKEN]


def test_a_resource_uri_may_be_too_short(content: Folder) -> None:
    """A bare slug is enough only while one visible article has it."""
    content.write("patterns/open")
    content.write("concepts/x", body="<kb://article/open> <kb://article/retired>\n")
    assert [line for line in content.check() if "/x.md" in line] == [
        "concepts/x.md:9:1: KB030 'open' is ambiguous: "
        "write concepts/open or patterns/open",
        "concepts/x.md:9:21: KB031 links to 'concepts/retired', which is hidden: "
        "remove the link",
    ]


def test_a_draft_has_its_broken_links_reported(content: Folder) -> None:
    """D-133: the author repairs it before it appears."""
    content.write("concepts/d2", status="Draft", body="[x](no.md) [y](draft.md#no)\n")
    assert [line.split(" ")[:2] for line in content.check()[:-1]] == [
        ["concepts/d2.md:9:1:", "KB030"],
        ["concepts/d2.md:9:12:", "KB032"],
    ]


@pytest.mark.parametrize("status", ["Lvie", "[Live]", None])
def test_a_file_without_a_status_is_checked_as_a_draft(
    content: Folder, status: str | None
) -> None:
    """D-133: the author sees every fault at once, readers none of the article."""
    content.write(
        "concepts/x",
        **{"status": status, "lastUpdated": "2999-01-01", "publishedDate": "soon"},
        description="x" * 201,
        title=None,
        relatedIds="[no]",
        body="[x](no.md) [y](draft.md) [z](#no)\n",
    )
    content.write("concepts/y", body="[x](x.md)\n")
    problems = [line.split(" ")[:2] for line in content.check()]
    assert sorted(code for place, code in problems if "/x.md" in place) == [
        *("KB011", "KB012", "KB013", "KB014", "KB016", "KB020", "KB030", "KB032")
    ]
    assert [code for place, code in problems if "/y.md" in place] == ["KB031"]


@pytest.mark.parametrize(
    "fields",
    [
        {"body": "[x](open.md)\n"},
        {"body": "[x](/concepts/open)\n"},
        {"body": "[x](kb://article/open)\n"},
        {"relatedIds": "[open]"},
        {"supersededBy": "[concepts/open]"},
    ],
)
def test_an_orphan_is_what_no_visible_article_leads_to(
    content: Folder, fields: dict[str, object]
) -> None:
    """A link or a relation is enough; a draft's or its own does not count."""
    orphan = "KB023 no visible article links or relates to this one: add a link"
    content.write("concepts/x", relatedIds="[x]", body="[x](#x) [x](x.md)\n\n## X\n")
    content.write("concepts/draft", status="Draft", **fields)
    assert content.check(orphans=True) == [
        f"concepts/open.md:1:1: {orphan}",
        f"concepts/x.md:1:1: {orphan}",
        BROKEN,
    ]
    content.write("concepts/x", **fields)
    content.write("concepts/open", relatedIds="[x]")
    assert content.check(orphans=True) == [BROKEN]


def test_a_lone_article_is_no_orphan(content: Folder) -> None:
    """There is no other article to link to it."""
    assert content.check(orphans=True) == [BROKEN]


def test_every_code_is_in_the_docs_with_its_meaning() -> None:
    """The table of docs/troubleshooting.md has the code's text, and what to do."""
    page = Path(__file__).parents[2] / "docs" / "troubleshooting.md"
    lines = page.read_text(encoding="utf-8").splitlines()
    rows = [line.split(" | ") for line in lines if line.startswith("| KB")]
    codes = {
        **CODES,
        **docs.CODES,
        **project.CODES,
        **rendering_checks.CODES,
        **synonym_checks.CODES,
    }
    assert [(code.strip("| "), meaning) for code, meaning, _ in rows] == list(
        codes.items()
    )
    assert all(mend.strip(" |") for *_, mend in rows)


def test_an_alias_must_not_be_the_title_of_another_article(content: Folder) -> None:
    """In any case; a search for it would find both. Its own title is no other."""
    content.write("concepts/x", title="Other", aliases='[x, "unique name"]')
    content.write("concepts/y", title="Unique Name", aliases="Unique name")
    assert content.check() == [
        "concepts/x.md:7:10: KB024 the alias 'unique name' is the title of "
        "'concepts/y': remove it",
        BROKEN,
    ]


def test_a_former_address_must_not_be_that_of_another_article(
    content: Folder,
) -> None:
    """It would never be used; a draft takes its address over once it is published."""
    content.write("concepts/x", aliases="[/concepts/open, /concepts/x, /concepts/was]")
    content.write("concepts/y", aliases="concepts/draft/")
    assert content.check() == [
        "concepts/x.md:7:10: KB024 the alias '/concepts/open' is the address of "
        "'concepts/open': remove it",
        "concepts/y.md:7:10: KB024 the alias 'concepts/draft/' is the address of "
        "'concepts/draft': remove it",
        BROKEN,
    ]
