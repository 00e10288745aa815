"""Lines of lists of links."""

import pytest
from support.publishing import BASE

from asdlc_kb.markup.outline import read_outline
from asdlc_kb.site.layout.frame import SiteIdentity
from asdlc_kb.site.publications.link_list import (
    MAX_NOTE_CHARS,
    count,
    one_line,
    write_link,
)


def test_a_link_has_its_public_address() -> None:
    """If that is known; without a note there is no colon."""
    known, unknown = SiteIdentity("T", base_url=BASE), SiteIdentity("T")
    assert write_link(known, "A", "/a.md", "b\n c") == f"- [A]({BASE}/a.md): b c"
    assert write_link(unknown, "A", "/a.md", " ") == "- [A](/a.md)"


@pytest.mark.parametrize("title", ["x](https://evil.example)", "a\\", "[a]", "a\n# b"])
def test_no_title_ends_its_link(title: str) -> None:
    """There is one link, to the page."""
    line = write_link(SiteIdentity("T"), title, "/a.md", "")
    assert [link.href for link in read_outline(line).links] == ["/a.md"]
    assert "\n" not in line


def test_a_note_is_cut() -> None:
    """A list stays a list."""
    line = write_link(SiteIdentity("T"), "A", "/a.md", "word " * 200)
    assert len(line.partition(": ")[2]) == MAX_NOTE_CHARS


def test_numbers_have_their_nouns() -> None:
    """In one line."""
    assert [count(1, "page"), count(1_234, "page")] == ["1 page", "1,234 pages"]
    assert one_line(" a\n b ") == "a b"
