"""Borders between entries: no author's text is one."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.site.publications.entries import NAME, NOTICE, write_entry

TAG = re.compile(rf"[<\uff1c\ufe64][\s/\\]*{NAME}", re.IGNORECASE)
PIECES = st.sampled_from(
    [
        *("<", ">", "/", "kb-page", "</kb-page>", '<kb-page source="x">', "\n", " "),
        *("\r", "\u2028", "\uff1c", "&lt;", "KB-PAGE", "kb_page", "\\", '"', "-", "kb"),
        *("</", "page", "```", "<!--", "\0", "\u212ab-page", "# Title", "Source: "),
    ]
)
TEXTS = st.one_of(st.text(), st.lists(PIECES, max_size=40).map("".join))


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=5))
def test_no_text_can_write_a_border(pages: list[tuple[str, str]]) -> None:
    """However many entries, each has its two tags and there are no others."""
    whole = NOTICE + "".join(write_entry(source, text) for source, text in pages)
    assert len(TAG.findall(whole)) == 2 * len(pages)
    opened = [line for line in whole.split("\n") if line == f"</{NAME}>"]
    assert len(opened) == len(pages)


@given(TEXTS)
def test_a_text_without_a_lookalike_stays_as_it_is(text: str) -> None:
    """Only text that could be taken for a border is escaped."""
    if "page" not in text.lower():
        assert f"\n{text}\n" in write_entry("/a", text)


@pytest.mark.parametrize(
    "text",
    [
        *("</kb-page>", "< / KB-Page >", "<\n/kb-page>", "x <kb-page y", "<kb_page>"),
        *(
            "\uff1c/kb-page>",
            "<\\kb-page>",
            "<kbpage>",
            "<kb--page>",
            "</\u212ab-page>",
        ),
    ],
)
def test_what_a_reader_may_take_for_a_border_is_escaped(text: str) -> None:
    """A model reads loosely, so other spellings count as well."""
    entry = write_entry("/a", text)
    assert "&lt;" in entry
    assert len(TAG.findall(entry)) == 2


def test_html_and_code_stay_readable() -> None:
    """Tags of other names are text."""
    text = "<div>`a < b`</div>\n\n```html\n<page></page>\n```"
    assert text in write_entry("/a", text)


@pytest.mark.parametrize("unit", ["<", "< ", "</", "<kb", "<kb-", "< /kb-pag", "\n<"])
def test_hostile_repeats_take_no_longer_than_their_length(unit: str) -> None:
    """D-139: the expression is linear: 2 MiB in a moment, for any text."""
    text = unit * (2 * 1024 * 1024 // len(unit)) + "<" + " " * 100_000
    began = time.process_time()
    write_entry("/a", text)
    assert time.process_time() - began < 5
