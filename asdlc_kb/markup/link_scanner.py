"""Fast scanner for the links of a Markdown text, for graphs and backlinks.

Anything like a link outside code counts. `markup.outline` finds links by the grammar,
with positions, in a hundred times the time.
"""

import re
from collections.abc import Iterator
from typing import Final

_CODE: Final = re.compile(
    r"^ {0,3}(?P<fence>`{3,}+|~{3,}+)[^\n]*+\n"
    r".*?(?:^ {0,3}(?P=fence)[`~]*+[ \t]*+$|\Z)"
    r"|(?P<ticks>(?<!`)`++)(?:(?!\n[ \t]*+\n).){1,200}?(?<!`)(?P=ticks)(?!`)",
    re.MULTILINE | re.DOTALL,
)
_LINK: Final = re.compile(
    r"\]\([ \t]*<?(?P<inline>[^\s<>()]+)"
    r"|^ {0,3}\[[^\]\n]+\]:[ \t]*<?(?P<defined>[^\s<>]+)"
    r"|<(?P<auto>kb:[^\s<>]+)>"
    r"|\bhref\s*=\s*[\"'](?P<html>[^\"'\n]+)[\"']",
    re.MULTILINE,
)


def find_links(text: str) -> Iterator[str]:
    """Yield the link destinations of a text, as written."""
    if (
        "](" not in text
        and "]:" not in text
        and "href" not in text
        and "kb:" not in text
    ):
        return
    for match in _LINK.finditer(_CODE.sub("", text)):
        yield match[match.lastgroup or 0]
