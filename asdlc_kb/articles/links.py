"""Resolution of links in an article's body to articles.

Forms: `other.md`, `../patterns/other.md`, `/patterns/other`, `.../other.html`,
`kb://article/other` or `#heading`; whether the article exists is not checked here.
"""

import re
from typing import Final
from urllib.parse import quote, unquote, urlsplit

import msgspec

URI_PREFIX: Final = "kb://article/"
"""Prefix of an article's resource URI; the article's name follows."""

_PAGE: Final = (".md", ".html")
_ENDING = re.compile(r"\.[A-Za-z]\w*$")


class ArticleTarget(msgspec.Struct, frozen=True):
    """The target of a link."""

    id: str
    """`category/slug`, or a path that no article can have; for a URI, any name."""
    anchor: str
    """A heading's anchor; empty for the whole article."""
    is_certain: bool = True
    """Whether it can only be an article; false for `a/b.png`."""
    is_name: bool = False
    """Whether a slug alone is accepted, as in a resource URI."""


def article_uri(name: str) -> str:
    """Return the resource URI for an article's name."""
    return URI_PREFIX + quote(name, safe="/")


def locate(source: str, href: str) -> ArticleTarget | None:
    """Return the target of a link in the article `source`, a `category/slug`.

    None if it is not an article's address: other sites, files of other kinds at other
    depths, a category, the top of the page.
    """
    if href.startswith(URI_PREFIX):
        name, _, fragment = href.removeprefix(URI_PREFIX).partition("#")
        return (
            ArticleTarget(unquote(name), _anchor(fragment), is_name=True)
            if name
            else None
        )
    try:
        parts = urlsplit(href)
    except ValueError:
        return None
    if parts.scheme or parts.netloc:
        return None
    anchor = _anchor(parts.fragment)
    path = unquote(parts.path)
    if not path:
        return ArticleTarget(source, anchor) if anchor else None
    segments = _walk("" if path.startswith("/") else source.split("/")[0], path)
    name = segments[-1] if segments else ""
    ending = next((end for end in _PAGE if name.endswith(end)), "")
    if ending:
        segments[-1] = name.removesuffix(ending)
    elif len(segments) != 2 or ".." in segments:
        return None
    is_certain = bool(ending) or not _ENDING.search(name)
    return ArticleTarget("/".join(segments), anchor, is_certain)


def _anchor(fragment: str) -> str:
    """Return the heading's anchor in a fragment, without a text directive."""
    return unquote(fragment).partition(":~:")[0]


def _walk(category: str, path: str) -> list[str]:
    """Return the segments of a path from the content root; `..` above it is kept."""
    segments = [category] if category else []
    for part in path.split("/"):
        if part == ".." and segments and segments[-1] != "..":
            segments.pop()
        elif part not in ("", "."):
            segments.append(part)
    return segments
