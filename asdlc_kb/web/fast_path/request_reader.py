"""Finds what answers a request on the fast path, by its header block.

A header block is parsed and checked once, and then found by its bytes. Any setting that
the check depends on belongs to the context: another context needs another reader.
"""

import logging
from collections.abc import Callable
from functools import partial
from typing import Final, TypeAlias

from asdlc_kb.ops.auth.bearer_tokens import SourceNames
from asdlc_kb.web.connections.direct_stream import CheckedHead, Parts, Responder
from asdlc_kb.web.connections.private_tornado import find_changes
from asdlc_kb.web.fast_path.bounded_cache import BoundedCache
from asdlc_kb.web.fast_path.mcp_endpoint import McpEndpoint
from asdlc_kb.web.fast_path.page_endpoint import accept_page
from asdlc_kb.web.fast_path.probe_endpoint import accept_probe
from asdlc_kb.web.fast_path.request_head import (
    BLOCK_END,
    MAX_HEAD_BYTES,
    RequestHead,
    parse_head,
)
from asdlc_kb.web.handler_context import HandlerContext

logger = logging.getLogger(__name__)

MAX_BYTES: Final = 4 * 1024 * 1024
"""Bytes of the cached header blocks and of what was read from them, estimated."""

_OVERHEAD: Final = 2_048
_EXPANSION: Final = 3
"""Bytes of a parsed block, and for each byte of its text."""


_Endpoints: TypeAlias = tuple[Callable[[RequestHead], Responder | None], ...]
"""Return what answers requests with a head, each for one kind; None if not its kind."""


class _Decliner:
    """The responder of header blocks that are not accepted."""

    def respond(self, body: bytes, peer: str) -> Parts | None:
        """Leave the request to Tornado."""
        return None


_DECLINED: Final = CheckedHead(0, 0, _Decliner())


class RequestReader:
    """Reads header blocks, for all connections of a server."""

    def __init__(self, context: HandlerContext) -> None:
        self._context = context
        self._endpoints = _open_endpoints(context)
        self._limited: dict[SourceNames, tuple[HandlerContext, _Endpoints]] = {}
        """Those of tokens for some sources, by the names of these."""
        self._heads: BoundedCache[bytes, CheckedHead] = BoundedCache(MAX_BYTES)
        if context.views is not None:
            context.views.listen(self._forget)

    def _forget(self) -> None:
        """Drop what was checked: a context of a token is closed."""
        self._heads = BoundedCache(MAX_BYTES)
        self._limited.clear()

    def read_head(self, data: bytes) -> CheckedHead | None:
        """Return the header block at the start of `data`.

        None if it is incomplete, or if Tornado is to answer: whatever is not plain, and
        every request while the server drains, for then connections end, or while its
        content is outdated.
        """
        end, state = data.find(BLOCK_END, 0, MAX_HEAD_BYTES), self._context.state
        if end < 0 or state.is_draining or state.is_outdated:
            return None
        block = data[:end]
        return self._heads.find(block) or self._read(block)

    def _read(self, block: bytes) -> CheckedHead:
        """Parse and check a header block; cache the outcome if it may come again."""
        head = parse_head(block)
        endpoints = None if head is None else self._find_endpoints(head)
        if head is None or endpoints is None:
            checked = _DECLINED
        else:
            checked = self._check(head, len(block), endpoints)
        if head is None or (head.may_repeat and endpoints is not None):
            size = _OVERHEAD + _EXPANSION * len(block)
            self._heads.store(block, checked, size)
        return checked

    def _find_endpoints(self, head: RequestHead) -> "_Endpoints | None":
        """Return what serves the sources of a head's token; None if not known yet.

        Tornado verifies the token and opens the context; the head may come again.
        """
        bearer, authorization = self._context.bearer, head.fields.get("Authorization")
        if bearer is None or authorization is None:
            return self._endpoints
        if not bearer.tokens.may_limit_sources:
            return self._endpoints
        principal = bearer.lookup_cached(authorization)
        if principal is None:
            return None
        if principal.sources is None or self._context.views is None:
            return self._endpoints
        context = self._context.views.find(self._context, principal.sources)
        if context is None or context.limited_to is None:
            return None if context is None else self._endpoints
        known = self._limited.get(context.limited_to)
        if known is None or known[0] is not context:
            known = self._limited[context.limited_to] = (
                context,
                _open_endpoints(context),
            )
        return known[1]

    def _check(
        self, head: RequestHead, size: int, endpoints: "_Endpoints"
    ) -> CheckedHead:
        host = head.fields.get("Host", "")
        if self._context.host_origin.admit(host, None) is not None:
            return _DECLINED
        for accept in endpoints:
            responder = accept(head)
            if responder is not None:
                return CheckedHead(size + len(BLOCK_END), head.length, responder)
        return _DECLINED


def _open_endpoints(context: HandlerContext) -> _Endpoints:
    return (
        McpEndpoint(context).accept,
        partial(accept_probe, context),
        partial(accept_page, context),
    )


def open_fast_path(context: HandlerContext) -> RequestReader | None:
    """Return the fast path; None, with a warning, if Tornado is not as expected."""
    changed = find_changes()
    if not changed:
        return RequestReader(context)
    logger.warning(
        "fast path off: this release of Tornado differs; requests are answered without "
        "it",
        extra={"changed": ", ".join(changed)},
    )
    return None
