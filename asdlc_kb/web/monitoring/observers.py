"""Base of pages for observers: permitted addresses. To others they do not exist."""

from typing import Final

from asdlc_kb.ops.auth.bearer_tokens import Principal
from asdlc_kb.web.admission.client_address import Networks
from asdlc_kb.web.handler_context import HandlerContext
from asdlc_kb.web.site.pages import PageHandler

_FORWARDED: Final = (
    "X-Forwarded-For",
    "X-Forwarded-Host",
    "X-Forwarded-Proto",
    "X-Real-Ip",
    "Forwarded",
    "Via",
)
"""Headers added by proxies, in Tornado's spelling: their sender is a proxy.

Their absence proves nothing. Where proxies are expected, only the addresses of
a setting are observers (`asdlc_kb.app.access_policy`).
"""


class ObserverHandler(PageHandler):
    """Answers observers; others get the same 404 as for any unknown path."""

    def initialize(self, context: HandlerContext) -> None:
        """Set up the request, and determine whether its sender is an observer."""
        super().initialize(context)
        self.is_observer = self._find_observer()

    @property
    def observers(self) -> Networks:
        """The permitted addresses."""
        raise NotImplementedError

    def needs_token(self) -> bool:
        """Admit observers without a token."""
        return not self.is_observer

    async def get(self) -> None:
        """Send the page to observers."""
        if self.is_observer:
            await self.send_observed()
        else:
            await super().get()

    head = get

    async def send_observed(self) -> None:
        """Send the page."""
        raise NotImplementedError

    def _find_observer(self) -> bool:
        """Whether the client's address is permitted.

        A proxy's request is admitted only if a trusted proxy names its client. A
        trusted proxy is a proxy whether or not it adds a header.
        """
        proxies, peer = self.context.proxies, self.request.remote_ip
        sent = self.request.headers
        by_proxy = proxies.is_trusted(peer) or any(name in sent for name in _FORWARDED)
        if by_proxy and not proxies.names_client(peer, sent.get("X-Forwarded-For")):
            return False
        return self.address in self.observers and not self._is_limited()

    def _is_limited(self) -> bool:
        """Whether a token is sent that is for some of the sources only."""
        authorization = self.request.headers.get("Authorization")
        bearer = self.context.bearer
        if bearer is None or authorization is None:
            return False
        found = bearer.identify(authorization, self.address)
        return isinstance(found, Principal) and found.sources is not None
