"""Pages of the website that are cached and in sync with their files.

Each is admitted as in `PageHandler`, by the same functions, and counted and logged as
there. All other pages, redirects, attachments and rejections are left to it.
"""

import re
import time
from typing import TYPE_CHECKING, Final, NamedTuple

from asdlc_kb.site import urls
from asdlc_kb.site.representation import Representation
from asdlc_kb.web.connections.direct_stream import Parts
from asdlc_kb.web.fast_path.plain_get import PlainGet
from asdlc_kb.web.fast_path.request_head import RequestHead
from asdlc_kb.web.fast_path.response_head import ResponseHead
from asdlc_kb.web.handler_context import HandlerContext
from asdlc_kb.web.site.content_negotiation import choose_coding, prefers_markdown
from asdlc_kb.web.site.page_headers import is_negotiable, list_found_headers
from asdlc_kb.web.site.pages import PAGES, is_asset

if TYPE_CHECKING:
    from asdlc_kb.site.page_cache import PageCache

_OTHERS: Final = re.compile("|".join(pattern for pattern, *_ in PAGES))
"""Paths that have another handler."""

_TAG: Final = re.compile(r'(?:W/)?("[^"]*")')
"""An If-None-Match with one entity tag; tags are compared weakly (RFC 9110, 13.1.2)."""

_OF_CONTENT: Final = ("Content-Encoding", "Content-Type")
"""Headers that describe the content of a response, which a 304 response lacks."""


class _HeadKey(NamedTuple):
    """All that decides of a response's headers besides the page."""

    is_negotiated: bool
    is_private: bool
    is_modified: bool


def accept_page(context: HandlerContext, head: RequestHead) -> "_PageResponder | None":
    """Return what answers requests for a page by its canonical address."""
    path, sent = head.target, head.fields.get("If-None-Match")
    tag = None if sent is None else _TAG.fullmatch(sent)
    if (
        head.method not in ("GET", "HEAD")
        or context.site is None
        or urls.normalize(path) != path
        or _OTHERS.fullmatch(path)
        or (tag is None) != (sent is None)
    ):
        return None
    get = PlainGet(context, head, "page")
    return _PageResponder(get, tag[1] if tag else "")


class _PageResponder:
    """Answers requests for one page with one header block."""

    __slots__ = ("_coding", "_get", "_prefers_markdown", "_tag")

    def __init__(self, get: PlainGet, tag: str) -> None:
        self._get = get
        self._tag = tag
        """The entity tag of the client's copy; empty without one."""
        accept = get.head.fields.get("Accept", "")
        self._prefers_markdown = prefers_markdown(accept)
        self._coding = choose_coding(get.head.fields.get("Accept-Encoding", ""))

    def respond(self, body: bytes, peer: str) -> Parts | None:
        """Return the page, or that it is not modified; None if Tornado is to answer."""
        began, get = time.perf_counter(), self._get
        context, path = get.context, get.head.target
        site = None if context.site is None else context.site.made
        sender = get.identify(peer)
        if site is None or sender is None:
            return None
        page = site.find_ready(path, self._coding)
        is_negotiated = page is not None and is_negotiable(page)
        if page is not None and is_negotiated and self._prefers_markdown:
            page = site.find_ready(page.alternate, self._coding)
        if page is None or page.status != 200:
            return None
        if not (is_asset(site, path) or context.limits.try_page(sender.address)):
            return None
        is_modified = page.etag != self._tag
        key = _HeadKey(is_negotiated, context.bearer is not None, is_modified)
        head = page.heads.get(key)
        if head is None:
            head = page.heads[key] = _write_head(page, site, key)
        request_id = get.choose_id(peer)
        written = head.write(request_id, len(page.body))
        status = 200 if is_modified else 304
        get.record(sender, status, request_id, began, page.document)
        return (written, page.body) if is_modified and get.has_body else (written,)


def _write_head(page: Representation, site: "PageCache", key: _HeadKey) -> ResponseHead:
    """Return the header block of responses with a page."""
    found = list_found_headers(
        page,
        site.link,
        is_negotiated=key.is_negotiated,
        is_private=key.is_private,
    )
    if key.is_modified:
        return ResponseHead(dict(found))
    # RFC 9110, 15.4.5: no description of content that is not sent.
    kept = {name: value for name, value in found if name not in _OF_CONTENT}
    return ResponseHead(kept, "304 Not Modified")
