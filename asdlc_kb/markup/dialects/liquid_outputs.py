"""Outputs of Liquid in a page of Jekyll, as `{{ site.version }}`.

One that is known has its value. Of the others, a short one is shown as code, but not in
a block of HTML; what has one in its address is shown by its words: the address is known
to the site only.
"""

import re
from collections.abc import Mapping
from typing import Final

from asdlc_kb.markup.dialects.dialect import InlineRule
from asdlc_kb.markup.dialects.source import Output
from asdlc_kb.markup.liquid import OUTPUT

MAX_SHOWN_CHARS: Final = 80
"""Characters of an output that is shown; a longer one is left out."""

_NAMED: Final = re.compile(
    r"\{%-?+\s*+(?P<end>end)?+raw\s*+-?+%\}"
    r"|\{\{-?+\s*+(?P<name>(?:page|site)(?:\.[\w-]+)+?)\s*+-?+\}\}"
)
"""An output without filters, or a tag around text that Liquid does not read."""

_OUTPUT: Final = r"\{\{[^{}]{1,500}+\}\}"
_ADDRESS: Final = (
    rf"\(\s*+<?+(?=[^\s()<>{{}}]*+\{{\{{)(?:[^\s()<>{{}}]|{_OUTPUT})++>?+"
    r"(?:\s++(?:\"[^\"\n]*+\"|'[^'\n]*+'))?+\s*+\)"
)
_PICTURE: Final = re.compile(rf"!\[([^\[\]\n]{{0,500}}+)\]{_ADDRESS}")
_LINK: Final = re.compile(
    r"(?<!!)\[((?:!\[[^\[\]\n]*+\]\([^()\n]*+\)|[^\[\]\n])++)\]" + _ADDRESS
)
_TAG: Final = re.compile(
    rf"</?+[A-Za-z](?:[^<>{{]|\{{(?!\{{))*+{_OUTPUT}(?:[^<>{{]|\{{(?!\{{)|{_OUTPUT})*+>"
)
_REFERENCE: Final = re.compile(
    r"(?i)\s++(?:href|src)\s*+=\s*+(?:\"[^\"{]*+\{\{[^\"]*+\"|'[^'{]*+\{\{[^']*+')"
)
_IN_TAG: Final = re.compile(_OUTPUT)

DEFINITION: Final = re.compile(
    r"(?m)^[ ]{0,6}+\[([^\[\]\n]{1,200}+)\]:[ ]*+<?+[^\s`<>]*+`\{\{[^\n]*+\n?"
)
"""The address of a link with an output that is shown as code."""


def fill_outputs(text: str, values: Mapping[str, str]) -> str:
    """Return a text with the values of the outputs that are known by their names."""
    is_raw = False

    def fill(match: re.Match[str]) -> str:
        nonlocal is_raw
        if match["name"] is None:
            is_raw = match["end"] is None
        return match[0] if is_raw else values.get(match["name"], match[0])

    return _NAMED.sub(fill, text) if "{{" in text else text


def _write_words(match: re.Match[str], output: Output) -> str:
    return match[1]


def _clean_tag(match: re.Match[str], output: Output) -> str:
    """Return a tag without outputs, and without addresses that have one."""
    return _IN_TAG.sub("", _REFERENCE.sub("", match[0]))


def _show_output(match: re.Match[str], output: Output) -> str:
    shown = match[0]
    is_short = len(shown) <= MAX_SHOWN_CHARS and "`" not in shown and "\0" not in shown
    is_markdown = not match.string.lstrip().startswith("<")
    return f"`{' '.join(shown.split())}`" if is_short and is_markdown else ""


LIQUID_OUTPUTS: Final = (
    InlineRule(_PICTURE, _write_words, in_addresses=True, sign="{{"),
    InlineRule(_LINK, _write_words, in_addresses=True, sign="{{"),
    InlineRule(_TAG, _clean_tag, in_addresses=True, sign="{{"),
    InlineRule(OUTPUT, _show_output, is_final=True, in_addresses=True, sign="{{"),
)
"""For a paragraph in which the site's own prefix is replaced."""
