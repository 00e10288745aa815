"""Callouts in quotations, of any type."""

import pytest

from asdlc_kb.markup.dialects.dialect import Dialect
from asdlc_kb.markup.dialects.quoted_callouts import QUOTED_CALLOUT
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate

QUOTED = Dialect("quoted", (QUOTED_CALLOUT,))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("> [!faq]- Why?\n> So", "> [!NOTE]- Why?\n> So"),
        ("> [!success]\n> So", "> [!TIP] Success\n> So"),
        ("> [!bug|wide]+ T\nafter", "> [!WARNING]+ T\n\nafter"),
        ("> [!note]\n> a\n>\n> > [!danger]\n> > b",
         "> [!NOTE]\n> a\n>\n> > [!CAUTION] Danger\n> > b"),
        ("- a\n\n  > [!tip]\n  > b", "- a\n\n  > [!TIP]\n  > b"),
        ("> text [!no]\n> more", "> text [!no]\n> more"),
    ],
)  # fmt: skip
def test_a_callout_has_one_of_githubs_kinds(text: str, shown: str) -> None:
    """Title, fold and nesting stay."""
    assert translate(text, QUOTED, Output.MARKDOWN) == shown
