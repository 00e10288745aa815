"""One session of the handshake era: its version, subscription and running requests."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Self

from asdlc_kb.exceptions import KnowledgeBaseError
from asdlc_kb.mcp.protocol.jsonrpc import RequestId, is_id
from asdlc_kb.mcp.sessions.session_ids import SessionClaims
from asdlc_kb.mcp.subscriptions.event_queue import EventQueue
from asdlc_kb.mcp.subscriptions.subscription import Subscription, SubscriptionFilter


class CallCancelled(KnowledgeBaseError):
    """Raised when the client cancelled the running request."""


@dataclass(slots=True, eq=False, weakref_slot=True)
class Session:
    """A client's session; on stdio it has no id: its channel has only one session."""

    version: str | None = None
    """The version that `initialize` negotiated; None before."""
    id: str = ""
    key: bytes = b""
    """The nonce of the id: the session's name among processes."""
    claims: SessionClaims | None = None
    """The content of the id, if it was read in this process."""
    client_name: str = ""
    """The name that the client sent in `initialize`; unknown where another process
    holds the channel."""
    client: str | None = None
    """The key of per-client limits: principal or address; None is not limited."""
    sources: frozenset[str] | None = None
    """The names of the sources that its client may see; None for all."""
    is_channel: bool = False
    """Whether its stream also carries responses (HTTP+SSE, stdio)."""
    is_initialized: bool = False
    """Whether the handshake is complete, so that notifications may be sent."""
    used: float = 0.0
    """Time of the last use, if the session is stored."""
    holder: str | None = None
    """The other process that holds its stream; None if none does."""
    is_caught_up: bool = False
    """Whether events before its first stream in this process are delivered or
    pending."""
    queue: EventQueue | None = None
    """Its open stream in this process."""
    opened: float = 0.0
    """Time at which that stream was opened: seconds since 1970."""
    _subscription: Subscription | None = None
    _running: dict[RequestId, Callable[[], None]] = field(default_factory=dict)
    """Functions that cancel running requests, by request id."""

    @classmethod
    def of(
        cls, version: str | None, key: bytes, sources: frozenset[str] | None
    ) -> Self:
        """Return a session of which nothing was known in this process."""
        return cls(version, key=key, sources=sources, is_initialized=True)

    @property
    def subscription(self) -> Subscription:
        """Its subscription: first to all list changes.

        Held until the handshake is complete (2025-11-25 basic/lifecycle).
        """
        if self._subscription is None:
            every_list = SubscriptionFilter(tools=True, prompts=True, resources=True)
            self._subscription = Subscription(
                every_list, is_held=not self.is_initialized, sources=self.sources
            )
        return self._subscription

    @property
    def has_stream(self) -> bool:
        """Whether a process holds a stream of it."""
        return self.queue is not None or self.holder is not None

    def identify(
        self, session_id: str, claims: SessionClaims, client: str | None
    ) -> None:
        """Set the id, and the client unless it is known."""
        self.id, self.claims = session_id, claims
        self.client_name = claims.client_name or self.client_name
        if self.client is None:
            self.client = client

    def attach_stream(self, queue: EventQueue, now: float) -> None:
        """Set the stream that this process opened, at a time in seconds since 1970."""
        self.queue, self.holder = queue, None
        # Later than an older stream of it, whatever the clock of that one's machine.
        self.opened = max(now, self.opened + 0.001)

    def detach_stream(self, queue: EventQueue) -> bool:
        """Remove a closed stream; False if a newer one here replaced it."""
        if self.queue is not queue:
            return False
        self.queue = None
        return True

    @contextmanager
    def running(self, request_id: RequestId) -> Iterator[None]:
        """Make this task cancellable by the client; raise CallCancelled if it is.

        Of two requests with one id the later can be cancelled.
        """
        task = asyncio.current_task()
        is_cancelled = False

        def cancel() -> None:
            nonlocal is_cancelled
            if task is not None and not is_cancelled:
                is_cancelled = True
                task.cancel()

        self._running[request_id] = cancel
        try:
            yield
        except asyncio.CancelledError:
            # The transport may have cancelled the task as well, for its own reasons.
            if task is None or not is_cancelled or task.uncancel() > 0:
                raise
            raise CallCancelled from None
        else:
            if task is not None and is_cancelled:
                # The work ignored the cancellation, but its result is not needed.
                task.uncancel()
                raise CallCancelled
        finally:
            if self._running.get(request_id) is cancel:
                del self._running[request_id]

    def cancel(self, request_id: object) -> bool:
        """Cancel a running request; False if this process runs none with this id."""
        cancel = self._running.get(request_id) if is_id(request_id) else None
        if cancel is None:
            return False
        cancel()
        return True

    def begin(self) -> bool:
        """Complete the handshake; False if it was complete or has not started."""
        if self.version is None or self.is_initialized:
            return False
        self.is_initialized = True
        self.subscription.release()
        return True
