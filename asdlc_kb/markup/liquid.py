"""Removal of Liquid tags, which Jekyll replaces, from a Markdown text.

`{% ... %}` is removed, and `{{ ... }}` if it begins with one of Jekyll's objects or
filters a string; text between `{% raw %}` and `{% endraw %}` is kept. Other double
braces belong to other template languages or to the text, and are kept.
"""

import re
from typing import Final

_OBJECT: Final = r"(?:content|include|jekyll|layout|page|paginator|site|theme)\b"
OUTPUT: Final = re.compile(
    r"\{\{(?<!\$\{\{)(?=-?+\s{0,99}+(?:"
    + _OBJECT
    + r"|[\"'][^{}|]{0,500}+\|))[^{}]{1,2000}+\}\}"
)
"""Matches an output of Liquid that Jekyll replaces."""
TAG: Final = re.compile(rf"\{{%[^{{}}]{{1,2000}}+(?<=%)\}}|{OUTPUT.pattern}")
"""Matches a tag of Liquid that Jekyll replaces."""
_RAW: Final = re.compile(r"\{%-?+\s*+(end)?+raw\s*+-?+%\}\Z")
_CODE: Final = re.compile(r"(?i)(</?+(?:pre|code)\b)")


class Liquid:
    """Processes the blocks of one text in order."""

    def __init__(self) -> None:
        self._is_raw = False

    def cut(self, text: str) -> str:
        """Return a block without code, with its tags removed."""
        return TAG.sub(self._replace, text) if "{%" in text or "{{" in text else text

    def cut_html(self, text: str) -> str:
        """Return a block of HTML, with the tags outside `pre` and `code` removed."""
        parts: list[str] = []
        depth = 0
        for part in _CODE.split(text):
            if _CODE.match(part):
                depth = max(0, depth - 1) if part[1] == "/" else depth + 1
            parts.append(part if depth else self.cut(part))
        return "".join(parts)

    def _replace(self, match: re.Match[str]) -> str:
        raw = _RAW.match(match[0])
        if self._is_raw and not (raw and raw[1]):
            return match[0]
        self._is_raw = bool(raw and not raw[1])
        return ""
