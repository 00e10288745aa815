"""From text to article: each field is checked, each problem has a position."""

import pytest
from support.knowledge import article_text

from asdlc_kb.articles.article import (
    Article,
    ArticleText,
    SourcePosition,
    SourcePositions,
    Unreadable,
)
from asdlc_kb.articles.schema import ArticleFields, read_article
from asdlc_kb.articles.status import ArticleStatus
from asdlc_kb.files.lazy_value import LazyValue
from asdlc_kb.files.reader import RawFile
from asdlc_kb.files.signature import Signature
from asdlc_kb.files.snapshot import ParseResult

PATH = "concepts/x.md"


def reading(text: str, path: str = PATH) -> ParseResult[ArticleFields]:
    """Return the parse result of a file with this text."""
    return read_article(RawFile(path, Signature(0, 0, 0, 0, 0), b"", text))


def article(**fields: object) -> Article:
    """Return the article of this frontmatter, which has no problem."""
    read = reading(article_text("concepts/x", **fields))
    assert isinstance(read.value, Article)
    assert read.problems == ()
    return read.value


def problems(text: str) -> list[str]:
    """Return the problems of a text, as lines without the path."""
    return [str(p).removeprefix(f"{PATH}:") for p in reading(text).problems]


def test_complete_frontmatter_makes_an_article() -> None:
    """D-100: every field of the format, author and date included."""
    read = reading(
        '---\ntitle: "Article Title"\n'
        'description: "Short description (max 200 chars)"\n'
        'tags: ["tag1", "tag2", "tag3"]\nlastUpdated: 2025-01-15\n'
        'status: "Live"  # Draft | Proposed | Live | Deprecated | Experimental\n'
        'maturity: "Standard"  # Optional\nsupersededBy: ["new-article-id"]\n'
        'relatedIds: ["related-id-1", "related-id-2"]\nauthor: DevOps Team\n'
        "publishedDate: 2024-11-04 10:00:00\nlongTitle: unknown keys are fine\n"
        "---\n\n\n## Definition\n\nText.\n",
        "patterns/the-spec.md",
    )
    assert read == ParseResult(
        Article(
            category="patterns",
            slug="the-spec",
            title="Article Title",
            description="Short description (max 200 chars)",
            tags=("tag1", "tag2", "tag3"),
            last_updated="2025-01-15",
            status=ArticleStatus.LIVE,
            text=LazyValue(ArticleText("## Definition\n\nText.\n")),
            maturity="Standard",
            author="DevOps Team",
            published="2024-11-04",
            related=("related-id-1", "related-id-2"),
            superseded_by=("new-article-id",),
            metadata={"longTitle": "unknown keys are fine"},
        )
    )


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("2025-01-15", "2025-01-15"),
        ('"2025-01-15"', "2025-01-15"),
        ("2025-01-15T23:59:59Z", "2025-01-15"),
        ("2025-01-15 08:00:00+02:00", "2025-01-15"),
        ("20250115", "2025-01-15"),
        ("0001-01-01", "0001-01-01"),
    ],
)
def test_dates_become_iso_dates(written: str, date: str) -> None:
    """D-014: ISO 8601 dates, whatever YAML would make of them."""
    assert article(lastUpdated=written).last_updated == date


@pytest.mark.parametrize(
    ("written", "tags"),
    [
        ("[One, Two]", ("One", "Two")),
        ('["One, Two"]', ("One, Two",)),
        ("One, Two", ("One", "Two")),
        ("One", ("One",)),
        ("\n  - One\n  - Two", ("One", "Two")),
        ('["a\\nb", " c "]', ("a b", "c")),
        ("[]", ()),
        ("", ()),
        ("~", ()),
        (None, ()),
        ('["", One]', ("One",)),
    ],
)
def test_lists_of_words_come_in_many_spellings(
    written: object, tags: tuple[str, ...]
) -> None:
    """Flow, block and comma lists occur in real content; absent is empty."""
    assert article(tags=written).tags == tags
    assert article(relatedIds=written).related == tags


def test_titles_are_one_line() -> None:
    """A folded or escaped title keeps its words and loses its line ends."""
    assert article(title='"Two\\n  lines\\t here"').title == "Two lines here"
    assert article(title=">-\n  Two\n  lines").title == "Two lines"
    assert article(author='"A\\nB"').author == "A B"


def test_what_yaml_would_guess_stays_text() -> None:
    """A title of digits is a title."""
    assert article(title="1.10", tags="[007, yes]").title == "1.10"
    assert article(title="1.10", tags="[007, yes]").tags == ("007", "yes")


def test_the_name_comes_from_the_path() -> None:
    """The slug is the file's name without its extension."""
    value = reading(article_text("x"), "my.category/a.b.md").value
    assert isinstance(value, Article)
    assert (value.category, value.slug) == ("my.category", "a.b")


EMPTY = "has no value: write one, in quotes if it begins with '#'"


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"title": None}, "1: KB011 title is missing: add a line 'title: ...'"),
        ({"title": ""}, f"1: KB011 title {EMPTY}"),
        ({"title": "~"}, f"8: KB011 title {EMPTY}"),
        ({"title": "#1 tip"}, f"1: KB011 title {EMPTY}"),
        ({"title": '" "'}, "8: KB012 title must be a string: put it in quotes"),
        ({"title": "[a]"}, "8: KB012 title must be a string: put it in quotes"),
        (
            {"description": None},
            "1: KB011 description is missing: add a line 'description: ...'",
        ),
        (
            {"description": "{a: b}"},
            "14: KB012 description must be a string: put it in quotes",
        ),
        (
            {"lastUpdated": None},
            "1: KB011 lastUpdated is missing: add a line 'lastUpdated: 2025-01-31'",
        ),
        ({"lastUpdated": "null"}, f"14: KB011 lastUpdated {EMPTY}"),
        (
            {"lastUpdated": "yesterday"},
            "14: KB012 lastUpdated must be a date: write it like 2025-01-31",
        ),
        (
            {"lastUpdated": "2025-02-30"},
            "14: KB012 lastUpdated must be a date: write it like 2025-01-31",
        ),
        (
            {"lastUpdated": "[2025-01-31]"},
            "14: KB012 lastUpdated must be a date: write it like 2025-01-31",
        ),
        (
            {"publishedDate": "soon"},
            "16: KB012 publishedDate must be a date: write it like 2025-01-31",
        ),
        ({"tags": "{a: b}"}, "7: KB012 tags must be a list of strings: [a, b]"),
        ({"tags": "[[a]]"}, "7: KB012 tags must be a list of strings: [a, b]"),
        (
            {"relatedIds": "[a, {b: c}]"},
            "13: KB012 relatedIds must be a list of strings: [a, b]",
        ),
        ({"author": "[a]"}, "9: KB012 author must be a string: put it in quotes"),
        ({"maturity": "[a]"}, "11: KB012 maturity must be a string: put it in quotes"),
    ],
)
def test_a_broken_field_names_place_code_and_cure(
    fields: dict[str, object], problem: str
) -> None:
    """A visible article that breaks the schema is unreadable, with the position."""
    for status in ("Live", "Experimental"):
        text = article_text("concepts/x", status=status, **fields)
        name = next(iter(fields))
        lines = [n for n, s in enumerate(text.split("\n"), 1) if s.startswith(name)]
        read = reading(text)
        assert read.value == Unreadable("concepts", "x")
        assert read.keeps_last_good
        assert problems(text) == [f"{lines[0] if lines else 2}:{problem}"]


def test_every_fault_of_a_file_is_reported_at_once() -> None:
    """The author repairs a file once, not once for each fault."""
    text = "---\nstatus: Live\ntags: {a: b}\nlastUpdated: x\n---\n"
    assert [line.split()[1:3] for line in problems(text)] == [
        ["KB011", "title"],
        ["KB011", "description"],
        ["KB012", "tags"],
        ["KB012", "lastUpdated"],
    ]


def test_a_misspelt_field_is_named_at_its_place() -> None:
    """A line to add would be the second of its kind."""
    text = (
        "---\nStatus: Live\nTitle: T\ndescription: D\nlast_updated: 2026-01-02\n"
        "relatedIDs: [x]\nowner: me\n---\n"
    )
    assert sorted(problems(text)) == [
        "2:9: KB013 no status, so it is hidden: "
        "write 'status' as the name of this field",
        "3:8: KB011 title is missing: write 'title' as the name of this field",
        "5:15: KB011 lastUpdated is missing: "
        "write 'lastUpdated' as the name of this field",
        "6:13: KB025 unknown field: did you mean 'relatedIds'?",
    ]


@pytest.mark.parametrize(
    ("begin", "message"),
    [
        ('+++\nstatus = "Live"\n+++\n', "the frontmatter is not YAML: "),
        ('{"status": "Live"}\n', "the frontmatter is not YAML: "),
        ("----\nstatus: Live\n----\n", "the first line is not exactly '---': "),
        ("\u2014\nstatus: Live\n\u2014\n", "the first line is not exactly '---': "),
        (" ---\nstatus: Live\n---\n", "text or blanks above the line '---': "),
        ("\n---\nstatus: Live\n---\n", "text or blanks above the line '---': "),
        ("<!-- x -->\n---\na: b\n---\n", "text or blanks above the line '---': "),
        ("Text\n\n---\n\nText\n", "no frontmatter: begin the file with a line '---'"),
        ("- a\n- b\n", "no frontmatter: begin the file with a line '---'"),
    ],
)
def test_a_file_that_does_not_begin_with_frontmatter_says_why(
    begin: str, message: str
) -> None:
    """Another line '---' above it would break it twice."""
    (problem,) = problems(begin)
    assert problem.startswith(f"1:1: KB010 {message}")


def test_a_hidden_article_that_breaks_the_schema_stays_hidden() -> None:
    """A Draft may be unfinished; it is reported, and it is never 'unreadable'."""
    read = reading("---\nstatus: Draft\n---\n")
    assert isinstance(read.value, Article)
    assert read.value.status is ArticleStatus.DRAFT
    assert not read.keeps_last_good
    assert {problem.code for problem in read.problems} == {"KB011"}


def test_long_descriptions_are_served_and_reported() -> None:
    """D-104: lists show at most 200 characters."""
    assert article(description="x" * 200).description == "x" * 200
    text = article_text("concepts/x", description="x" * 201)
    read = reading(text)
    assert isinstance(read.value, Article)
    assert read.value.description == "x" * 201
    assert problems(text) == [
        "3:14: KB014 description has 201 characters, lists cut it at 200: shorten it"
    ]


@pytest.mark.parametrize(
    "maturity", ["Proposed", "Standard", "Deprecated", "Experimental"]
)
def test_the_documented_maturities_are_known(maturity: str) -> None:
    """The four maturities say nothing about visibility."""
    assert article(maturity=maturity).maturity == maturity


def test_an_unknown_maturity_is_left_out_and_reported() -> None:
    """An optional field that is wrong does not hide the article."""
    text = article_text("concepts/x", maturity="Ripe")
    read = reading(text)
    assert isinstance(read.value, Article)
    assert read.value.maturity is None
    assert problems(text) == [
        "7:11: KB012 unknown maturity: write one of Proposed, Standard, Deprecated, "
        "Experimental"
    ]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "",
            "1:1: KB010 the file is empty, so it counts as unfinished: "
            "write or remove it",
        ),
        ("--", "1:1: KB010 frontmatter is not closed: add a line '---' below it"),
        ("# Title", "1:1: KB010 no frontmatter: begin the file with a line '---'"),
        (
            "---\ntitle: x\n",
            "1:1: KB010 frontmatter is not closed: add a line '---' below it",
        ),
        (
            "---\ntitle: x\ntitle: y\n---\n",
            "3:1: KB010 frontmatter has the same key twice: remove one",
        ),
        (
            "---\n" + "#" * 17 * 1024 + "\n---\n",
            "1:1: KB010 frontmatter is larger than 16,384 bytes: move text to the body",
        ),
    ],
)
def test_a_file_without_readable_frontmatter_has_no_value(
    text: str, problem: str
) -> None:
    """D-005: a file that states no status is not found."""
    assert reading(text).value is None
    assert problems(text) == [problem]


def test_an_empty_body_is_an_empty_text() -> None:
    """An article may be all metadata."""
    assert article(body="").body == ""


def test_an_article_knows_where_its_values_and_its_body_stand() -> None:
    """Problems found later are reported at their own position."""
    text = (
        "---\ntitle: T\ndescription: D\nstatus: Live\nlastUpdated: 2025-01-15\n"
        'publishedDate:\n  2024-11-04\nrelatedIds:\n  - a\n  - ""\n  - c/b\n'
        "supersededBy: x, y\n---\n\n\nText\n"
    )
    read = reading(text)
    assert isinstance(read.value, Article)
    assert read.value.related == ("a", "c/b")
    assert read.value.positions == SourcePositions(
        16,
        {
            "lastUpdated": (SourcePosition(5, 14),),
            "publishedDate": (SourcePosition(7, 3),),
            "relatedIds": (SourcePosition(9, 5), SourcePosition(11, 5)),
            "supersededBy": (SourcePosition(12, 15), SourcePosition(12, 15)),
        },
    )


def test_an_article_whose_lines_moved_is_the_same_article() -> None:
    """A comment in the frontmatter changes nothing that is visible."""
    text = article_text("concepts/x", relatedIds="[a]")
    moved = text.replace("title:", "# A comment\ntitle:", 1)
    assert reading(text).value == reading(moved).value
