"""The page of a file, whatever its text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.docs import raw_file

from asdlc_kb.docs.pages.page import (
    MAX_TITLE_CHARS,
    DocPage,
    DocPageText,
    Navigation,
    make_page_title,
    read_page,
)
from asdlc_kb.docs.pages.page_frontmatter import keeps_last_good
from asdlc_kb.docs.pages.page_text import PageRules
from asdlc_kb.files.lazy_value import LazyValue


def page_of(text: str, path: str = "guide/first-steps.md") -> DocPage:
    """Return the page of a text."""
    value = read_page(raw_file(text, path)).value
    assert isinstance(value, DocPage)
    return value


def codes(text: str) -> list[str]:
    """Return the codes of a text's problems."""
    return [problem.code for problem in read_page(raw_file(text)).problems]


def test_a_page_is_what_its_file_says() -> None:
    """Frontmatter is respected: title, description, tags."""
    text = (
        "---\ntitle: The  Title\ndescription: What it is\ntags: [a, b c]\n"
        "lastUpdated: 2026-01-01\n---\n\n# Heading\n\nText.\n"
    )
    raw = raw_file(text, "guide/x.md")
    assert read_page(raw).value == DocPage(
        path="guide/x.md",
        title="The Title",
        description="What it is",
        tags=("a", "b c"),
        stored_text=LazyValue(DocPageText("# Heading\n\nText.\n")),
        body_line=8,
        digest=raw.digest,
        is_titled=True,
        updated="2026-01-01",
    )
    assert page_of(text).category == "guide"
    assert page_of(text, "index.md").category == ""


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# One\n\n## Two\n", "One"),
        (
            "Text.\n\n## Two `code` and **bold** [link](x.md)\n",
            "Two code and bold link",
        ),
        ("# [One](https://a.b) &middot; ![Badge](https://a.b/c.svg)\n", "One"),
        ("# ·\n", "·"),
        ("One\n===\n", "One"),
        ("Text\n\nTwo lines\n---\n", "Two lines"),
        ("```\n# no\n```\n\n# Yes\n", "Yes"),
        ("~~~md\n# no\n~~~\n", "First steps"),
        ("    # no\n", "First steps"),
        ("#no\n", "First steps"),
        ("<!--\n# no\n-->\n\n# Yes {#id}\n", "Yes"),
        ("# \n\n# Yes\n", "Yes"),
        ("Text.\n", "First steps"),
        ("---\ntitle:\n---\n# Yes\n", "Yes"),
        ("---\ntitle: [a]\n---\n# Yes\n", "Yes"),
        ("---\ntitle: yes\n---\n# No\n", "yes"),
        ("---\ntitle: 1.10\n---\n", "1.10"),
        ('+++\ntitle = "T"\n+++\n# No\n', "T"),
        ("x\n" * 100_000 + "# Late\n", "First steps"),
        ("```\n" + "# no\n" * 20 + "```\n# Late\n", "First steps"),
    ],
    ids=lambda text: text[:20],
)
def test_the_title_is_found_where_it_is(text: str, title: str) -> None:
    """Frontmatter, else the first heading outside code, else the file's name."""
    assert page_of(text).title == title


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("getting-started.md", "Getting started"),
        ("01-intro_to_it.mdx", "Intro to it"),
        ("a/API.md", "API"),
        ("guide/index.md", "Guide"),
        ("02. guide/README.md", "Guide"),
        ("README.md", "Home"),
        ("functions/_index.md", "Functions"),
        ("index.md", "Home"),
        ("42.md", "42"),
        ("-.md", "-"),
        ("größe.md", "Größe"),
    ],
)
def test_a_path_is_made_readable(path: str, words: str) -> None:
    """A page without a heading still has a title; an index has its folder's."""
    assert make_page_title(path) == words


def test_the_title_may_be_that_of_a_readme_in_html() -> None:
    """A later heading is not, and the text is as it is written."""
    text = '<h1 align="center">Zap</h1>\n\n## Install\n'
    page = page_of(text, "README.md")
    assert (page.title, page.text) == ("Zap", text)


@pytest.mark.parametrize(
    ("text", "dialect", "title"),
    [
        ("Text.\n\n## Part\n", "mkdocs", "First steps"),
        ("Text.\n\n## Part\n", "github", "Part"),
        ("## Part\n", "mkdocs", "Part"),
        ("Text.\n\n# Part\n", "mkdocs", "Part"),
    ],
)
def test_a_deeper_heading_is_that_of_a_section(
    text: str, dialect: str, title: str
) -> None:
    """Generators take no title from the middle of a page."""
    raw = raw_file(text, "first-steps.md")
    value = read_page(raw, PageRules(dialect=dialect)).value
    assert isinstance(value, DocPage)
    assert value.title == title


def test_a_note_has_the_name_of_its_file() -> None:
    """Unless it begins with a title."""
    rules = PageRules(dialect="obsidian")
    for text, title in (("Words.\n\n# Part\n", "Daily"), ("# Own\n", "Own")):
        value = read_page(raw_file(text, "daily.md"), rules).value
        assert isinstance(value, DocPage)
        assert value.title == title


def test_a_title_is_cut() -> None:
    """A line of a megabyte is not a title."""
    assert len(page_of("# " + "x" * 1_000_000).title) == MAX_TITLE_CHARS


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("# A\n\nText.\n", "# A\n\nText.\n"),
        ("Text.\n\n## B\n", "Text.\n\n## B\n"),
        ("---\ntitle: T\n---\nText.\n", "# T\n\nText.\n"),
        ("---\ntitle: T\n---\n# A\n", "# A\n"),
        ("Text.\n", "# First steps\n\nText.\n"),
    ],
)
def test_a_page_is_shown_with_its_title(text: str, shown: str) -> None:
    """Its own heading is enough; else the title is put on top as one."""
    assert page_of(text).text == shown


HIDDEN = [
    *("status: Draft", "status: Proposed", "status: Deprecated", "status: Drfat"),
    *("status: 'draft'", "Status: Draft", "STATUS: DRAFT", "status: [Live]"),
    *("status: {a: b}", "status: Live Draft", "status: Li ve"),
    *("draft: true", "draft: yes", "Draft: True", "draft: 1", "draft: [false]"),
    *("draft: soon", 'status: "Dr\\u200baft"', "title: x\nstatus: Draft"),
    *("status: Live\ndraft: true", "status: Live\nStatus: Draft"),
    *("published: false", "Published: no", "published: 'False'", "publish: false"),
]

SHOWN = [
    *("", "title: x", "status: Live", "status: live", "status: EXPERIMENTAL"),
    *("status:", "status: ~", "status: 'Live'", "draft: false", "draft: no"),
    *("draft:", "draft: 0", "status: Live\ndraft: False", "substatus: Draft"),
    *("meta: {x: y}", "published: true", "published: 2026-01-01", "published:"),
    *("publish: true", "publish: 2026-01-01"),
]


@pytest.mark.parametrize("line", HIDDEN)
def test_what_is_not_ready_is_hidden(line: str) -> None:
    """D-016: a status other than Live or Experimental, or a draft: not a page."""
    reading = read_page(raw_file(f"---\n{line}\n---\n# T\n"))
    assert (reading.value, reading.keeps_last_good) == (None, False)


@pytest.mark.parametrize("line", SHOWN)
def test_what_does_not_say_so_is_shown(line: str) -> None:
    """D-016: without a status it is visible: documentation usually has none."""
    text = f"---\n{line}\n---\n# T\n"
    assert page_of(text).body == "# T\n"
    assert codes(text) == []


@pytest.mark.parametrize(
    "line",
    [
        *("status: Draft", "draft: true", "status: x: Live", "published: false"),
        *("!!str status: Draft", "!!str 'Status' : Draft", "published: !!bool false"),
    ],
)
def test_frontmatter_that_cannot_be_parsed_hides_as_far_as_it_says(line: str) -> None:
    """D-016: whatever states a hiding status, on any line, hides the page."""
    for text in (
        f"---\na: [\n{line}\n---\n# T\n",
        f"---\ntitle: x\n{line}\n# no end\n",
        f"---\n{line}\n{line}\n---\n# T\n",
    ):
        reading = read_page(raw_file(text))
        assert reading.value is None
        assert [problem.code for problem in reading.problems] == ["KB010"]


@pytest.mark.parametrize("line", ["!!str status: Draft", "&x draft: true"])
def test_a_line_that_hides_is_no_prose_between_rules(line: str) -> None:
    """A line alone in its frontmatter that begins as no key does."""
    assert read_page(raw_file(f"---\n{line}\n---\nSECRET\n")).value is None


@pytest.mark.parametrize("above", ["\n", "\ufeff", " \t\n\n", "\ufeff\n \n"])
def test_frontmatter_may_stand_below_blank_lines(above: str) -> None:
    """And below a byte order mark: the hiding status counts."""
    for fences, line in (("---", "draft: true"), ("+++", "draft = true")):
        text = f"{above}{fences}\n{line}\n{fences}\n# T\n"
        assert read_page(raw_file(text)).value is None
    assert read_page(raw_file(f'{above}{{"draft": true}}\n# T\n')).value is None
    page = page_of(f"{above}---\ntitle: X\n---\n# T\n")
    assert (page.title, page.body) == ("X", "# T\n")
    assert page.body_line == above.count("\n") + 4
    (problem, *_) = read_page(raw_file(f"{above}---\na: [\n---\n# T\n")).problems
    assert problem.code == "KB010"
    assert problem.line > above.count("\n") + 1


def test_json_says_the_same() -> None:
    """Hugo's third form of frontmatter."""
    page = page_of(
        '{\n"title": "X", "description": "D",\n"tags": ["a", "b"], "draft": false\n}\n'
        "\n# T\n"
    )
    assert (page.title, page.description, page.tags) == ("X", "D", ("a", "b"))
    assert (page.body, page.body_line) == ("# T\n", 6)


@pytest.mark.parametrize(
    "text",
    [
        '{"status": "Draft", "title": "X"}',
        '{"draft": true}',
        '{"published": false}',
        '{"status": ["Live"]}',
        '{"status": "Draft", "status": "Live"}',
        '{"title": "X",\n"status": "Draft",\n}',
        '{\n"draft": true,',
        "{status: Draft}",
    ],
)
def test_json_hides_what_it_says_parsed_or_not(text: str) -> None:
    """D-016: fails closed, as YAML does."""
    assert read_page(raw_file(f"{text}\n# T\n")).value is None


@pytest.mark.parametrize("text", ['{"title": "X",}\n# T\n', "{a: b}\n# T\n"])
def test_json_that_cannot_be_parsed_is_reported(text: str) -> None:
    """And served as it is."""
    assert page_of(text).body == text
    assert codes(text) == ["KB010"]


@pytest.mark.parametrize("line", ["title: x", "status: Live", "draft: false"])
def test_frontmatter_that_cannot_be_parsed_is_left_out_and_reported(line: str) -> None:
    """The page is served without it."""
    text = f"---\n{line}\na: [\n---\n\n# T\n"
    page = page_of(text)
    assert (page.title, page.body, page.body_line) == ("T", "# T\n", 6)
    assert codes(text) == ["KB010"]


UNFINISHED = [
    *("", "\ufeff", "\n \n", "-", "---", "---\n", "---\n\n", "+++", "{", "{\n"),
    *("---\ntitle: Secret\n", "---\ntitle: Secret\n# T\n", "---\nstatus: Live\n"),
    *("+++\ntitle = 'Secret'\n", "\n---\ntitle: Secret", "---\ndraft: false\n"),
    *('{"title": "Secret"', '{"title": "Se', '{"a": {"b": "}"}', '{"a": "\\"}'),
    '{"title": "Secret",\n# T\n',
]


@pytest.mark.parametrize("text", UNFINISHED)
def test_a_page_that_may_be_half_written_is_not_read(text: str) -> None:
    """D-067: empty, or frontmatter without an end: the last version stays, reported."""
    reading = read_page(raw_file(text))
    assert reading.value is None
    assert reading.keeps_last_good
    assert [problem.code for problem in reading.problems] == ["KB010"]
    assert "'Secret" not in str(reading.problems)


@pytest.mark.parametrize(
    "text",
    ["---\ndraft: true\n", "+++\ndraft = true\n", '{"draft": true,', "---\nstatus: Dr"],
)
def test_a_page_that_is_half_written_and_hidden_so_far_hides_at_once(text: str) -> None:
    """D-016: a hiding status fails closed, finished or not."""
    reading = read_page(raw_file(text))
    assert reading.value is None
    assert not reading.keeps_last_good


@pytest.mark.parametrize(
    ("frontmatter", "is_shown"),
    [
        ('title = "T"', True),
        ("draft = false", True),
        ('status = "live"', True),
        ("draft = true", False),
        ('status = "Draft"', False),
        ('status = "Draft"\nx = [', False),
        ("draft = true\nx = [", False),
        ("title = [", True),
    ],
)
def test_toml_says_the_same(frontmatter: str, is_shown: bool) -> None:
    """Hugo's form of frontmatter hides as YAML does."""
    reading = read_page(raw_file(f"+++\n{frontmatter}\n+++\n# T\n"))
    assert (reading.value is not None) is is_shown
    if is_shown:
        assert page_of(f"+++\n{frontmatter}\n+++\n# T\n").body == "# T\n"


@pytest.mark.parametrize(
    "text",
    [
        "---\n\nStatus: 404 is what it says.\n",
        "---\nJust prose between two rules.\n---\n\nText.\n",
    ],
)
def test_a_rule_on_top_is_no_frontmatter(text: str) -> None:
    """Prose between rules is served whole, and is no fault."""
    assert page_of(text).body == text
    assert codes(text) == []


def test_invisible_characters_are_left_out_and_counted() -> None:
    """D-082: as for articles, hidden text is not passed on to models."""
    text = "---\ntitle: T\u200b\n---\n# A\u202eB\n\ntext\U000e0041\n"
    page = page_of(text)
    assert (page.title, page.body, page.removed) == ("T", "# AB\n\ntext\n", 3)
    (problem,) = read_page(raw_file(text)).problems
    assert (problem.line, problem.column, problem.code) == (2, 9, "KB015")


@pytest.mark.parametrize("name", ["sidebar.md", "topbar.md"])
def test_navigation_is_no_page(name: str) -> None:
    """The root's sidebar and topbar; elsewhere these are names like others."""
    reading = read_page(raw_file("---\na: b\n---\n* [T](x.md)\n", name))
    assert reading.value == Navigation(name, "* [T](x.md)\n")
    assert page_of("# T\n", f"guide/{name}").title == "T"
    hidden = read_page(raw_file("---\ndraft: true\n---\n* [T](x.md)\n", name))
    assert hidden.value is None


@pytest.mark.parametrize(
    ("head", "keeps"),
    [
        ("# T\n", True),
        ("---\nstatus: Live\n---\n", True),
        ("---\nstatus: Draft\n---\n", False),
        ("---\ndraft: true\n---\n", False),
        ("\xff\xfe\nstatus: Draft", False),
        ("---\ntitle: x\n---\nstatus: Draft\n", True),
    ],
)
def test_a_file_that_is_not_text_keeps_its_last_good_version_unless_it_hides(
    head: str, keeps: bool
) -> None:
    """D-068: a broken save does not remove a page; a demotion in it does."""
    assert keeps_last_good(head) is keeps


@given(st.text())
def test_no_text_fails(text: str) -> None:
    """Any file is a page, or hidden."""
    for raw in (raw_file(text), raw_file(f"---\n{text}\n---\n{text}")):
        reading = read_page(raw)
        if isinstance(reading.value, DocPage):
            assert reading.value.title
            assert raw.text.count("\n") >= reading.value.body_line - 1


def test_a_deeper_heading_is_the_title_below_comments_and_anchors() -> None:
    """As chapters of the Rust book have it, which keep the anchors of old headings."""
    above = "<!-- Old\nheadings. -->\n\n<a id='x'></a> <a id=\"y\"></a>\n\n"
    raw = raw_file(f"{above}## The `match`\n\na", "ch06-02-match.md")
    value = read_page(raw, PageRules(dialect="mdbook")).value
    assert isinstance(value, DocPage)
    assert value.title == "The match"
