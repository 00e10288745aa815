"""Menus as lines of text, for tests."""

from collections.abc import Iterable

from asdlc_kb.docs.navigation.sidebar import SidebarItem


def menu_lines(items: Iterable[SidebarItem], depth: int = 0) -> list[str]:
    """Return items as lines: title and path or address, indented below the parent."""
    lines: list[str] = []
    for item in items:
        where = item.path or item.href
        lines.append(f"{'  ' * depth}{item.title} {where}".rstrip())
        lines += menu_lines(item.below, depth + 1)
    return lines
