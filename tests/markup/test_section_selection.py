"""Sections of a page, by heading or anchor."""

import pytest
from support.docs import raw_file

from asdlc_kb.docs.pages.page import DocPage, read_page
from asdlc_kb.exceptions import SectionNotFound
from asdlc_kb.markup.section_selection import MAX_LISTED_SECTIONS, choose_sections

PAGE = """\
# The Title

Intro.

## Rate Limiting

Text.

### Details

```bash
## not a heading
### neither
```

More.

## C# and `code`

Sharp.

## Details

Again.
"""


def page(text: str = PAGE) -> DocPage:
    """Return a page."""
    value = read_page(raw_file(text)).value
    assert isinstance(value, DocPage)
    return value


def choose(page: DocPage, wanted: list[str]) -> str:
    """Return the text of some sections."""
    return choose_sections(page, wanted).text


LIMITS = PAGE[PAGE.index("## Rate") : PAGE.index("\n\n## C#") + 1]
SHARP = "## C# and `code`\n\nSharp.\n"
TITLE = "# The Title\n\n"


@pytest.mark.parametrize(
    ("wanted", "text"),
    [
        (["Rate Limiting"], TITLE + LIMITS),
        (["rate  limiting"], TITLE + LIMITS),
        (["rate-limiting"], TITLE + LIMITS),
        (["#rate_limiting"], TITLE + LIMITS),
        (["ratelimiting"], TITLE + LIMITS),
        (["#rate-limiting"], TITLE + LIMITS),
        (["## Rate Limiting"], TITLE + LIMITS),
        (["Rate Limiting", "rate limiting"], TITLE + LIMITS),
        (["C# and code"], TITLE + SHARP),
        (["c-and-code", "rate limiting"], TITLE + LIMITS + "\n" + SHARP),
        (["details-1"], TITLE + "## Details\n\nAgain.\n"),
        (["The Title"], PAGE),
        (["The Title > Rate Limiting"], TITLE + LIMITS),
        (["The Title > Details (#details-1)"], TITLE + "## Details\n\nAgain.\n"),
    ],
)
def test_a_section_is_found_by_heading_or_anchor(wanted: list[str], text: str) -> None:
    """In any case, with the sections below it; the page's title line comes first."""
    assert choose(page(), wanted) == text


def test_all_sections_of_a_heading_are_meant() -> None:
    """A heading that occurs twice; a section inside another one comes once."""
    text = choose(page(), ["details"])
    assert text.count("Details") == 2
    assert "## not a heading" in text and "Text." not in text
    selected = choose(page(), ["details", "rate limiting"])
    assert selected.count("### Details") == 1


def test_code_is_no_heading_and_is_never_cut() -> None:
    """servemd ends a section at a comment in a fence."""
    text = choose(page(), ["Rate Limiting"])
    assert text.count("```") == 2 and "More." in text
    for name in ("not a heading", "neither", "#", "🚀"):
        with pytest.raises(SectionNotFound):
            choose_sections(page(), [name])


def test_an_unknown_section_is_told_with_those_there_are() -> None:
    """With their anchors, in their order."""
    with pytest.raises(SectionNotFound) as caught:
        choose_sections(page(), ["rate limiting", "nope"])
    assert str(caught.value) == (
        "No section 'nope' in 'guide/first-steps.md'. Sections of this page:\n"
        "- The Title (#the-title)\n- Rate Limiting (#rate-limiting)\n"
        "- Details (#details)\n- C# and code (#c-and-code)\n- Details (#details-1)"
    )


def test_the_list_of_sections_is_bounded() -> None:
    """A page of ten thousand headings is not listed in an error."""
    with pytest.raises(SectionNotFound) as caught:
        choose_sections(page("## x\n" * 10_000), ["nope"])
    assert len(caught.value.known) == MAX_LISTED_SECTIONS + 1
    assert caught.value.known[-1] == "... and 9,900 more"


def test_a_page_without_a_heading_has_its_title() -> None:
    """Title of the frontmatter or the file: it becomes a heading."""
    text = "Intro.\n\n## Part\n\nText.\n"
    shown = choose(page(text), ["part"])
    assert shown == "# Part\n\n## Part\n\nText.\n"
    titled = "---\ntitle: T\n---\nIntro.\n\n## Part\n\nText.\n"
    assert choose(page(titled), ["part"]) == "# T\n\n## Part\n\nText.\n"
    assert choose(page(titled), ["T"]) == page(titled).text


def test_anchors_are_those_of_the_page_whatever_is_chosen() -> None:
    """An outline of some sections names them as search does."""
    excerpt = choose_sections(page(), ["details-1"])
    assert [section.anchor for section in excerpt.sections] == ["details-1"]


EMOJI = """\
Above all.

# 🎉 Guide: the *whole* story!

Lead.

## 🚀 Quick start (5 min)

Go.

## C++

Plus.

## C#

Sharp.
"""


@pytest.mark.parametrize(
    ("name", "heading"),
    [
        ("Quick start (5 min)", "Quick start"),
        ("quick start 5 min", "Quick start"),
        ("🚀quick-start: 5 MIN", "Quick start"),
        ("C#", "C#"),
        ("C++", "C++"),
    ],
)
def test_punctuation_and_emoji_count_only_between_headings(
    name: str, heading: str
) -> None:
    """An exact heading wins; otherwise words alone are compared."""
    text = choose(page(EMOJI), [name])
    (chosen,) = [line for line in text.split("\n") if line.startswith("## ")]
    assert heading in chosen


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        (EMOJI, EMOJI[: EMOJI.index("## ") - 1]),
        (PAGE, "# The Title\n\nIntro.\n"),
        ("---\ntitle: T\n---\nLead.\n\n## A\n\nText.\n", "# T\n\nLead.\n"),
        ("## A\n\nText.\n", "## A\n\nText.\n"),
        ("---\ntitle: T\n---\n## A\n\nText.\n", "# T\n"),
        ("---\ntitle: A\n---\n## A\n\nLead.\n\n## B\n", "## A\n\nLead.\n"),
        ("# One\n\nLead.\n\n# Two\n\nText.\n", "# One\n\nLead.\n"),
        ("No headings.\n", "No headings.\n"),
    ],
)
@pytest.mark.parametrize("name", ["", " ", "top", "#Top"])
def test_an_empty_name_and_the_anchor_of_the_top_are_the_lead(
    text: str, lead: str, name: str
) -> None:
    """The text above the first heading below the title, with the title."""
    chosen = choose(page(text), [name])
    assert lead in (chosen, chosen.partition("\n\n")[2])


def test_near_headings_are_suggested() -> None:
    """The most similar ones of the page; none where nothing is."""
    with pytest.raises(SectionNotFound) as caught:
        choose(page(), ["Rate limits"])
    assert caught.value.near == ("Rate Limiting",)
    with pytest.raises(SectionNotFound) as caught:
        choose(page(), ["Zzz"])
    assert caught.value.near == ()


@pytest.mark.parametrize(
    ("wanted", "heading"),
    [
        *(("fn:a", "Notes"), ("#fnref:a", "Two"), ("fn1", "Notes"), ("fnref1", "Two")),
    ],
)
def test_the_anchor_of_a_footnote_means_the_section_that_has_it(
    wanted: str, heading: str
) -> None:
    """A reference is in another section than its note."""
    text = "# T\n\n## One\n\nx\n\n## Two\n\ny[^a]\n\n## Notes\n\n[^a]: z\n"
    (section,) = choose_sections(page(text), [wanted]).sections
    assert section.heading == heading
    with pytest.raises(SectionNotFound):
        choose(page(text), ["fn:b"])
