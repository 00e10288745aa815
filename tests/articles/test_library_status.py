"""Status fails closed: at the first scan, and when a visible article changes."""

import pytest
from support.knowledge import HIDDEN_COUNT, KnowledgeBase, article_text
from support.library import answer, faults, fetch, loaded, rescan

NOT_FOUND = "Article 'x' not found"
UNREADABLE = "Failed to parse article metadata"
ID = "concepts/x"
PATH = f"{ID}.md"

SPELLINGS = {
    "lower case": "status: live",
    "upper case": "status: LIVE",
    "blank inside quotes": 'status: "Live "',
    "line end in it": 'status: "Live\\n"',
    "block scalar": "status: |\n  Live",
    "full width": "status: \uff2c\uff49\uff56\uff45",
    "homoglyph": "status: L\u0456ve",
    "accent": "status: Live\u0301",
    "zero width": "status: Live\u200b",
    "two words": "status: Live Experimental",
    "comma": "status: Live, Draft",
    "list": "status: [Live]",
    "mapping": "status: {Live: true}",
    "boolean": "status: true",
    "null": "status: null",
    "empty": "status:",
    "missing": "",
    "other key": "Status: Live",
    "nested key": "meta:\n  status: Live",
    "twice": "status: Live\nstatus: Draft",
    "twice the same": "status: Live\nstatus: Live",
    "tag": "status: !!str Live",
    "alias": "x: &l Live\nstatus: *l",
    "merge key": "<<: {status: Live}",
    "commented out": "# status: Live",
    "published": "status: Published",
    "misspelt": "status: Expermental",
    "draft": "status: Draft",
    "proposed": "status: Proposed",
    "deprecated": "status: Deprecated",
}
"""Misspelt, decorated and ill-typed statuses."""


def with_line(line: str) -> str:
    """Return an article with a given status line."""
    return article_text(ID, status=None).replace("---\n", f"---\n{line}\n", 1)


@pytest.mark.parametrize("line", SPELLINGS.values(), ids=SPELLINGS.keys())
def test_every_other_spelling_of_a_status_is_hidden(
    knowledge: KnowledgeBase, line: str
) -> None:
    """D-001: anything but exact Live or Experimental is as if missing."""
    assert len(SPELLINGS) >= 18
    knowledge.save(knowledge.root / PATH, with_line(line))
    knowledge.write("concepts/y", relatedIds="[x, concepts/x]")
    catalog = loaded(knowledge).catalog
    assert answer(catalog, "x") == NOT_FOUND
    assert answer(catalog, ID) == f"Article '{ID}' not found"
    assert catalog.search("what x is", None, 50).total == 0
    assert catalog.completion.complete("x") == []
    assert catalog.related(catalog.find("y")) == ()
    assert catalog.hidden_count == HIDDEN_COUNT + 1


@pytest.mark.parametrize(
    "line",
    [
        *("status: Live", "status: Experimental", "status: 'Live'", 'status: "Live"'),
        *("status:   Live  # exact", "status: >-\n  Live", '"status": Live'),
        *("status:\n  Live", "? status\n: Live"),
    ],
)
def test_every_yaml_spelling_of_the_exact_word_is_visible(
    knowledge: KnowledgeBase, line: str
) -> None:
    """Texts equal in YAML are the same text."""
    knowledge.save(knowledge.root / PATH, with_line(line))
    assert answer(loaded(knowledge).catalog, "x") == "X"


HIDES_AT_ONCE = {
    "demoted": article_text(ID, status="Draft"),
    "no status": article_text(ID, status=None),
    "empty status": article_text(ID, status=""),
    "unknown status": article_text(ID, status="Drfat"),
    "ill-typed status": article_text(ID, status="[Live]"),
    "no frontmatter": "Just a body.\n",
    "unparsable, Draft": article_text(ID, status="Draft", title="[open"),
    "unparsable, no word": article_text(ID, status="", title="[open"),
    "unparsable, quoted": article_text(ID, status='"Draft"', title="a: b: c"),
    "unparsable, two": article_text(ID, status="Live\nstatus: Draft"),
    "unclosed, Draft": "---\ntitle: X\nstatus: Draft\n",
    "unclosed, in the body": "---\nstatus: Live\n--\nbody\nstatus: Draft\n",
    "anchored": article_text(ID, status="&s Draft"),
    "demoted, broken schema": article_text(ID, status="Deprecated", title=None),
    "masked": article_text(ID, status="Li\u200bve"),
}


@pytest.mark.parametrize("text", HIDES_AT_ONCE.values(), ids=HIDES_AT_ONCE.keys())
def test_a_live_article_that_may_be_demoted_hides_at_once(
    knowledge: KnowledgeBase, text: str
) -> None:
    """D-068: missing, unknown, or unparsable with another status: not the last good."""
    path = knowledge.write(ID, title="Good")
    library = loaded(knowledge)
    assert answer(library.catalog, "x") == "Good"
    knowledge.save(path, text)
    assert answer(rescan(library), "x") == NOT_FOUND
    knowledge.save(path, article_text(ID, title="[open", status="Live"))
    assert answer(rescan(library), "x") == NOT_FOUND
    knowledge.write(ID, title="Better")
    assert answer(rescan(library), "x") == "Better"


@pytest.mark.parametrize("text", HIDES_AT_ONCE.values(), ids=HIDES_AT_ONCE.keys())
def test_a_read_by_name_is_never_behind_a_demotion(
    knowledge: KnowledgeBase, text: str
) -> None:
    """D-066: one `stat` in get_article is enough, without a scan."""
    path = knowledge.write(ID, title="Good")
    library = loaded(knowledge)
    knowledge.save(path, text)
    assert answer(fetch(library, "x"), "x") == NOT_FOUND


KEEPS_LAST_GOOD = {
    "unparsable": (article_text(ID, title="[open"), "KB010"),
    "unparsable, Experimental": (
        article_text(ID, title="[open", status="Experimental"),
        "KB010",
    ),
    "unclosed": ("---\ntitle: X\nstatus: Live\n", "KB010"),
    "unclosed, no status yet": ("---\ntitle: X\n", "KB010"),
    "empty": ("", "KB010"),
    "blank": ("\n\n", "KB010"),
    "the beginning of a fence": ("--", "KB010"),
    "duplicate title": (article_text(ID, title="X\ntitle: Y"), "KB010"),
    "too large": (article_text(ID, title="x" * 17 * 1024), "KB010"),
    "too deep": (article_text(ID, tags="[" * 9 + "]" * 9), "KB010"),
    "a body that talks of status": (
        article_text(ID, title="[open", body="Write `status: Draft` first.\n"),
        "KB010",
    ),
    "no title": (article_text(ID, title=None), "KB011"),
    "no date": (article_text(ID, lastUpdated=None), "KB011"),
    "bad date": (article_text(ID, lastUpdated="soon"), "KB012"),
    "bad tags": (article_text(ID, tags="{a: b}"), "KB012"),
    "not UTF-8": (article_text(ID).encode() + b"\xff", "KB001"),
    "UTF-16": (article_text(ID).encode("utf-16"), "KB001"),
    "NUL": (article_text(ID) + "\0", "KB001"),
    "lone CR": (article_text(ID).replace("\n", "\r"), "KB001"),
    "too long": (article_text(ID) + "x" * 2 * 1024 * 1024, "KB001"),
}


@pytest.mark.parametrize(
    ("text", "code"), KEEPS_LAST_GOOD.values(), ids=KEEPS_LAST_GOOD.keys()
)
def test_a_live_article_that_breaks_keeps_its_last_good_version(
    knowledge: KnowledgeBase, text: str | bytes, code: str
) -> None:
    """D-068: malformed but not demoted: served as before, and reported."""
    path = knowledge.write(ID, title="Good")
    library = loaded(knowledge)
    knowledge.save(path, text)
    catalog = rescan(library)
    assert answer(catalog, "x") == answer(fetch(library, "x"), "x") == "Good"
    assert [article.slug for article in catalog.search("good", None, 9).articles] == [
        "x"
    ]
    assert faults(catalog, PATH) == [code]
    knowledge.write(ID, title="Better")
    catalog = rescan(library)
    assert (answer(catalog, "x"), faults(catalog, PATH)) == ("Better", [])


@pytest.mark.parametrize(
    ("text", "code"), KEEPS_LAST_GOOD.values(), ids=KEEPS_LAST_GOOD.keys()
)
def test_without_a_last_good_version_a_broken_article_is_not_served(
    knowledge: KnowledgeBase, text: str | bytes, code: str
) -> None:
    """D-005: a broken schema is a parse failure; an unreadable status is not found."""
    knowledge.save(knowledge.root / PATH, text)
    catalog = loaded(knowledge).catalog
    breaks_schema = code in ("KB011", "KB012")
    assert answer(catalog, "x") == (UNREADABLE if breaks_schema else NOT_FOUND)
    assert faults(catalog, PATH) == [code]


def test_the_last_good_version_lives_until_the_restart(
    knowledge: KnowledgeBase,
) -> None:
    """D-068: a new process serves what is on disk."""
    path = knowledge.write(ID, title="Good")
    library = loaded(knowledge)
    knowledge.save(path, article_text(ID, title="[open"))
    assert answer(rescan(library), "x") == "Good"
    assert answer(loaded(knowledge).catalog, "x") == NOT_FOUND


def test_an_unreadable_article_that_is_deleted_is_not_found(
    knowledge: KnowledgeBase,
) -> None:
    """A deleted file is gone, a broken one too."""
    path = knowledge.write(ID, title=None)
    library = loaded(knowledge)
    assert answer(library.catalog, "x") == UNREADABLE
    path.unlink()
    assert answer(fetch(library, "x"), "x") == NOT_FOUND


UNDECODABLE = {
    "a byte of Latin-1": b"caf\xe9\n",
    "a NUL": b"a\0b\n",
    "a lone CR": b"a\rb\n",
    "too many bytes": b"x" * (2 * 1024 * 1024),
}


@pytest.mark.parametrize("spoil", UNDECODABLE.values(), ids=UNDECODABLE.keys())
@pytest.mark.parametrize("status", ["Live", "Draft"])
def test_a_file_that_is_no_text_hides_unless_it_still_says_live(
    knowledge: KnowledgeBase, spoil: bytes, status: str
) -> None:
    """D-068: the status hides the article even if the rest is not readable."""
    knowledge.write(ID, title="Good")
    library = loaded(knowledge)
    spoiled = article_text(ID, status=status).encode() + spoil
    knowledge.save(knowledge.root / PATH, spoiled)
    outcome = answer(fetch(library, "x"), "x")
    assert outcome == ("Good" if status == "Live" else NOT_FOUND)
    assert faults(library.catalog, PATH) != []


def test_utf_16_hides_by_what_it_says(knowledge: KnowledgeBase) -> None:
    """D-068: the status is found between NUL characters too."""
    knowledge.write(ID)
    library = loaded(knowledge)
    data = article_text(ID, status="Draft").encode("utf-16")
    knowledge.save(knowledge.root / PATH, data)
    assert answer(fetch(library, "x"), "x") == NOT_FOUND
