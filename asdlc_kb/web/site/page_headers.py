"""Response headers of pages, as pure functions of the page and the settings."""

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from asdlc_kb.site import urls
from asdlc_kb.site.content_coding import can_compress
from asdlc_kb.site.representation import HTML, MARKDOWN, SVG, Representation

POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "media-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
"""The Content-Security-Policy of pages: only resources of this server."""

PICTURE_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
"""The Content-Security-Policy of pictures with style sheets within."""

IMMUTABLE: Final = "max-age=31536000, immutable"
REVALIDATED: Final = "no-cache"
"""The Cache-Control of stored but revalidated responses: a 304 costs little."""

Header: TypeAlias = tuple[str, str]


def cache_control(directives: str, *, is_private: bool) -> str:
    """Return a Cache-Control; `private` where tokens are required."""
    if is_private:
        return f"private, {directives}"
    return f"public, {directives}" if directives == IMMUTABLE else directives


def is_negotiable(page: Representation) -> bool:
    """Whether Accept chooses between this page and its Markdown."""
    return page.type == HTML and bool(page.alternate)


def list_headers(
    page: Representation, *, is_private: bool, is_negotiated: bool = False
) -> Iterator[Header]:
    """Yield the headers of any page; those of a page with status 200 have an ETag.

    A page that is `is_negotiated` was chosen by Accept.
    """
    if can_compress(page):
        yield "Vary", "Accept, Accept-Encoding" if is_negotiated else "Accept-Encoding"
    elif is_negotiated:
        yield "Vary", "Accept"
    if page.coding:
        yield "Content-Encoding", page.coding
    yield "Content-Type", page.type
    yield "Content-Security-Policy", PICTURE_POLICY if page.type == SVG else POLICY
    directives = IMMUTABLE if page.is_lasting else REVALIDATED
    yield "Cache-Control", cache_control(directives, is_private=is_private)
    if page.is_open:
        yield "Access-Control-Allow-Origin", "*"
    if page.links:
        yield "Link", ", ".join(page.links)
    if page.rules:
        yield "Speculation-Rules", f'"{page.rules}"'
    if page.status == 200:
        yield "Etag", page.etag


def list_found_headers(
    page: Representation,
    link: Callable[[str], str],
    *,
    is_negotiated: bool,
    is_private: bool,
) -> Iterator[Header]:
    """Yield the headers of the page at a requested address.

    `link` returns a path of the site with the public path prefix.
    """
    if page.type in (HTML, MARKDOWN):
        yield "X-Llms-Txt", link(urls.INDEX)
    if page.type == MARKDOWN:
        yield "Content-Location", link(page.path)
        yield "X-Markdown-Tokens", str(page.tokens)
    yield from list_headers(page, is_private=is_private, is_negotiated=is_negotiated)
