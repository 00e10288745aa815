"""Roles and links of MyST."""

import pytest

from asdlc_kb.markup.dialects.myst import MYST
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.dialects.translator import translate


def show(text: str) -> str:
    """Return a text of MyST as GitHub's Markdown."""
    return translate(text, MYST, Output.MARKDOWN).strip("\n")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{doc}`/a/b` {doc}`T x </a>` {download}`F <f.zip>`",
         "[b](/a/b) [T x](/a) [F](f.zip)"),
        ("{ref}`my-label` {ref}`T <My_L>`", "[my label](#my-label) [T](#my_l)"),
        ("{term}`A <b>` {abbr}`X (Y)` {kbd}`Ctrl`", "A X (Y) Ctrl"),
        ("{py:func}`~a.b.c` {class}`!A` {func}`f <g>`", "`c` `A` `f`"),
        ("{math}`x^2` {octicon}`x;1em` H{sub}`2`O", "$x^2$  H<sub>2</sub>O"),
        ("`{ref}` and ``{ref}`a` ``", "`{ref}` and ``{ref}`a` ``"),
        ("{unknown}`a`", "`a`"),
        ("[a](project:#b) <project:c.md#d> [](e/f.md) ![](g.png)",
         "[a](#b) [d](c.md#d) [f](e/f.md) ![](g.png)"),
        ("[a](inv:b#c) <inv:b#c> <xref:d/e>", "a `c` `d/e`"),
    ],
)  # fmt: skip
def test_roles_and_links_are_what_they_mean(text: str, shown: str) -> None:
    """An unknown role is code."""
    assert show(text) == shown
