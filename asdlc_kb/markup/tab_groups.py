"""Names of `<details>`: of those with one name, browsers open only one.

Each `<div class="tabs">` is a group, whatever names its author gave; elsewhere the
names of authors are kept.
"""

import re
from typing import Final

_NAMED: Final = "group-"
_TABS: Final = "tabs-"
_SEPARATORS: Final = re.compile(r"[\W_]+")
_MAX_CHARACTERS: Final = 60
_TAG: Final = re.compile(r'<(/?)(\w++)((?:[^">]|"[^"]*+")*+)>')
_IS_TABS: Final = re.compile(r' class="(?:[^"]* )?tabs[ "]')
_NAME: Final = re.compile(r' name="[^"]*"')


def make_group_name(name: str) -> str | None:
    """Return the name of a group outside tabs; None for one without words."""
    words = _SEPARATORS.sub("-", name.lower()).strip("-")
    return f"{_NAMED}{words[:_MAX_CHARACTERS]}" if words else None


def name_tabs(html: str) -> str:
    """Return sanitized HTML with one name for the tabs of each group."""
    if not _IS_TABS.search(html):
        return html
    groups = 0
    around: list[str] = []

    def rename(tag: re.Match[str]) -> str:
        nonlocal groups
        end, element, attributes = tag.groups()
        if element not in ("details", "div"):
            return tag[0]
        if end:
            around.pop()
            return tag[0]
        group = around[-1] if around else ""
        is_tabs = element == "div" and _IS_TABS.search(attributes)
        groups += bool(is_tabs)
        around.append(f"{_TABS}{groups}" if is_tabs else "")
        if element == "div" or not group:
            return tag[0]
        return f'<details name="{group}"{_NAME.sub("", attributes)}>'

    return _TAG.sub(rename, html)
