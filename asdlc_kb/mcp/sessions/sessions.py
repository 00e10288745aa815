"""Sessions of a server. Any process can answer their requests.

An id describes its session (`session_ids`), so nothing is stored of a session until
it opens a stream or subscribes (`session_store`). Processes publish the state that
the others need (`session_messages`): exact in one process, and across processes once
delivered.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from time import monotonic
from typing import Final

from asdlc_kb.mcp.protocol.jsonrpc import is_id
from asdlc_kb.mcp.sessions import session_messages as messages
from asdlc_kb.mcp.sessions.session import Session
from asdlc_kb.mcp.sessions.session_ids import SessionIds, wall_clock
from asdlc_kb.mcp.sessions.session_lifetimes import MAX_AGE_SECONDS, SessionLifetimes
from asdlc_kb.mcp.sessions.session_store import (
    IDLE_SECONDS,
    MAX_SESSIONS,
    MAX_SESSIONS_PER_CLIENT,
    SessionsExhausted,
    SessionStore,
    limit_key,
)
from asdlc_kb.mcp.subscriptions.event_queue import EventQueue
from asdlc_kb.mcp.subscriptions.events import (
    Event,
    ResourcesChanged,
    from_text,
    to_text,
)
from asdlc_kb.mcp.subscriptions.subscription_bus import SubscriptionBus

MAX_SUBSCRIPTIONS: Final = 1_000
"""Resource subscriptions of one session."""

MAX_SUBSCRIPTIONS_PER_CLIENT: Final = 10_000
"""Subscriptions of all sessions of one client."""

_MAX_RECENT: Final = 1_000


class Sessions:
    """Finds sessions by their ids, and shares their streams and subscriptions."""

    def __init__(
        self,
        ids: SessionIds | None = None,
        *,
        publish: messages.Publish = messages.publish_nothing,
        max_sessions: int = MAX_SESSIONS,
        max_per_client: int = MAX_SESSIONS_PER_CLIENT,
        clock: Callable[[], float] = monotonic,
        wall_clock: Callable[[], float] = wall_clock,
    ) -> None:
        self.bus = SubscriptionBus()
        """Delivers events to all subscriptions, those of sessions among them."""
        self.publish = publish
        """Publishes a message to the other processes of the server."""
        self.ids = ids or SessionIds(clock=wall_clock)
        """Issues the ids of new sessions, of which nothing is stored."""
        self._store = SessionStore(
            self.bus, clock, max_sessions=max_sessions, max_per_client=max_per_client
        )
        self._wall_clock = wall_clock
        self._recent: deque[Session] = deque(maxlen=_MAX_RECENT)
        """Sessions of recent requests, so that the next one need not build them."""
        self._synchronized_at = wall_clock()
        """Time since which this process receives messages of the others."""
        self._lifetimes = SessionLifetimes(clock, wall_clock)

    def __len__(self) -> int:
        return len(self._store)

    def __iter__(self) -> Iterator[Session]:
        return iter(self._store)

    def find(
        self,
        session_id: str,
        principal: str | None = None,
        address: str | None = None,
        sources: frozenset[str] | None = None,
    ) -> Session | None:
        """Return the session of an id that was issued to this principal, or None.

        A channel is found only while a process holds it.
        """
        claims = self.ids.read(session_id, principal)
        if claims is None:
            return None
        known = self._store.get if claims.is_channel else self._store.known.get
        session = known(claims.nonce)
        if session is None and not claims.is_channel:
            session = Session.of(claims.version, claims.nonce, sources)
            self._store.known[claims.nonce] = session
            self._recent.append(session)
        if session is None or session.is_channel is not claims.is_channel:
            return None
        if not self._lifetimes.use(claims, has_stream=session.has_stream):
            return None
        session.identify(session_id, claims, limit_key(principal, address))
        self._store.touch(session)
        return session

    def open_channel(
        self,
        principal: str | None = None,
        address: str | None = None,
        sources: frozenset[str] | None = None,
    ) -> Session:
        """Open an HTTP+SSE channel; raise SessionsExhausted when a limit is reached."""
        claims = self.ids.make_claims()
        session_id = self.ids.write(claims, principal)
        session = Session(
            key=claims.nonce,
            id=session_id,
            claims=claims,
            client=limit_key(principal, address),
            sources=sources,
            is_channel=True,
        )
        self._store.add(session)
        return session

    def open_queue(self, session: Session, missed: Iterable[Event] = ()) -> EventQueue:
        """Return the event queue of a new stream; an older stream of the session ends.

        `missed` are list changes since the issue of the id, which its first stream in
        a process delivers. Raises SessionsExhausted.
        """
        if session.id:
            self.store(session)
            self._catch_up(session, missed)
        else:
            self.bus.subscribe(session.subscription)
        queue = EventQueue(
            session.subscription, release=lambda: self._release(session, queue)
        )
        session.attach_stream(queue, self._wall_clock())
        if session.id:
            self.publish(messages.describe_stream(session))
        return queue

    def store(self, session: Session) -> None:
        """Store a session, which receives events now; raise SessionsExhausted."""
        claims = session.claims
        is_channel = claims is None or claims.is_channel
        age = self._lifetimes.get_age(claims) if claims and not is_channel else None
        self._store.add(session, age)

    def is_stored(self, session: Session) -> bool:
        """Whether a session with a stream continues: its client did not end it."""
        return session in self._store

    def end(self, session: Session) -> None:
        """End a session in all processes, at its client's request."""
        assert session.claims is not None
        in_use_until = self._wall_clock() + IDLE_SECONDS
        expires = max(session.claims.issued + MAX_AGE_SECONDS, in_use_until)
        ended = messages.SessionEnded(key=session.key, expires=expires)
        self._end(ended)
        self.publish(ended)

    def begin(self, session: Session) -> None:
        """Complete the handshake of a channel."""
        if session.begin():
            self._publish_channel(session)

    def negotiate(self, session: Session, version: str, client_name: str = "") -> None:
        """Set the version and the client's name of a channel."""
        session.version, session.client_name = version, client_name
        self._publish_channel(session)

    def send(self, channel: Session, text: bytes) -> None:
        """Send a message on a channel, whichever process holds it."""
        if channel.queue is not None:
            channel.queue.post(text)
            return
        message = messages.ChannelMessage(
            key=channel.key, holder=channel.holder, text=text
        )
        self.publish(message)

    def cancel(self, session: Session, request_id: object) -> None:
        """Cancel a request of a session, whichever process runs it."""
        if not is_id(request_id) or session.cancel(request_id):
            return
        if session.id:
            cancelled = messages.CallCancellation(
                key=session.key, request_id=request_id
            )
            self.publish(cancelled)

    def count_subscriptions(self, session: Session) -> int:
        """Return the number of subscriptions in all sessions of the same client."""
        sessions = {**self._store.of_client(session.client), session.key: session}
        return sum(len(other.subscription.filter.uris) for other in sessions.values())

    def subscribe(self, session: Session, uri: str, canonical: str) -> None:
        """Subscribe a session to a resource; raise SessionsExhausted."""
        if session.id:
            self.store(session)
            self.publish(messages.describe_subscription(session, uri, canonical))
        session.subscription.filter.add_uri(uri, canonical)

    def unsubscribe(self, session: Session, canonical: str) -> None:
        """Unsubscribe a session from a resource, whether it was subscribed or not."""
        session.subscription.unsubscribe(canonical)
        if session.id:
            unsubscribed = messages.ResourceUnsubscribed(
                key=session.key, canonical=canonical
            )
            self.publish(unsubscribed)

    def join(self) -> None:
        """Exchange the state with all other processes, now that they can be reached."""
        self._synchronized_at = self._wall_clock()
        self.announce(is_joining=True)

    def leave(self) -> None:
        """Notify all other processes that this one holds no stream any more."""
        self.publish(messages.ProcessState())

    def receive(self, sender: str, message: messages.AnySessionMessage) -> bool:
        """Apply a message of another process; False if it was for a closed channel."""
        match message:
            case messages.ProcessState():
                self._synchronize(sender, message)
            case messages.StreamOpened():
                self._record_stream(sender, message)
            case messages.ResourceSubscribed():
                self._record_subscription(message)
            case messages.SessionEnded():
                self._end(message)
            case messages.ChannelMessage():
                return self._deliver(message)
            case _ if (session := self._store.known.get(message.key)) is not None:
                self._update(sender, session, message)
        return True

    def forget_process(self, name: str) -> None:
        """Forget the streams and channels of a process that ended."""
        for session in self._store:
            if session.holder == name:
                self._lose_stream(session)

    def _catch_up(self, session: Session, missed: Iterable[Event]) -> None:
        """Add events that the session may have missed, before its first stream here.

        If its subscriptions may have been published before this process joined the
        others, the client reads its resources again.
        """
        claims = session.claims
        if claims is None or claims.is_channel or session.is_caught_up:
            return
        session.is_caught_up = True
        session.subscription.restore(missed)
        if claims.issued < int(self._synchronized_at):
            session.subscription.restore([ResourcesChanged()])

    def _release(self, session: Session, queue: EventQueue) -> None:
        """Publish that a stream closed, unless a newer one here replaced it."""
        if not session.detach_stream(queue):
            return
        if not session.id:
            self.bus.unsubscribe(session.subscription)
        elif session in self._store:
            pending = session.subscription.pending
            self._lose_stream(session)
            closed = messages.StreamClosed(
                key=session.key, pending=tuple(map(to_text, pending))
            )
            self.publish(closed)

    def _lose_stream(self, session: Session) -> None:
        """Record that no stream is held by a process; a channel ends with it."""
        if session.queue is None:
            session.holder = None
        if session.is_channel:
            self._store.remove(session)
        else:
            self._store.touch(session)

    def _end(self, ended: messages.SessionEnded) -> None:
        """Reject an id from now on, and end the session's stream."""
        self._lifetimes.end(ended.key, ended.expires)
        session = self._store.get(ended.key)
        if session is not None:
            self._store.remove(session)
            session.subscription.end()

    def _publish_channel(self, session: Session) -> None:
        if session.id and session.is_channel:
            updated = messages.ChannelUpdated(
                key=session.key,
                version=session.version,
                is_initialized=session.is_initialized,
            )
            self.publish(updated)

    def announce(self, *, is_joining: bool = False) -> None:
        """Publish the streams that this process holds, and the ended ids."""
        # A stream that a newer one elsewhere replaced may not be closed yet.
        held = (s for s in self._store if s.queue and not s.holder)
        ended = (
            messages.SessionEnded(key=key, expires=expires)
            for key, expires in self._lifetimes.ended
        )
        state = messages.ProcessState(
            is_joining=is_joining,
            streams=tuple(map(messages.describe_stream, held)),
            ended=tuple(ended),
        )
        self.publish(state)

    def _synchronize(self, sender: str, state: messages.ProcessState) -> None:
        """Replace the known state of a process; send ours to one that joins."""
        listed = {opened.key for opened in state.streams}
        for session in self._store:
            if session.holder == sender and session.key not in listed:
                self._lose_stream(session)
        for opened in state.streams:
            self._record_stream(sender, opened)
        for ended in state.ended:
            self._end(ended)
        if state.is_joining:
            self.announce()

    def _record_stream(self, sender: str, opened: messages.StreamOpened) -> None:
        """Record which process holds a stream or channel; end an older stream here."""
        session = self._find_or_make(opened)
        is_older = session and session.queue and opened.opened < session.opened
        if session is not None and not is_older:
            session.is_channel = opened.is_channel
            session.is_initialized = opened.is_initialized
            session.holder, session.opened = sender, opened.opened
            self._store.touch(session)
            session.subscription.end()

    def _record_subscription(self, subscribed: messages.ResourceSubscribed) -> None:
        session = self._find_or_make(subscribed)
        if session is not None:
            event_filter = session.subscription.filter
            if len(event_filter.uris) < MAX_SUBSCRIPTIONS:
                event_filter.add_uri(subscribed.uri, subscribed.canonical)

    def _find_or_make(
        self, message: messages.StreamOpened | messages.ResourceSubscribed
    ) -> Session | None:
        """Return a stored session; None if it ended or a limit is reached."""
        if self._lifetimes.has_ended(message.key):
            return None
        session = self._store.known.get(message.key)
        if session is None:
            session = Session.of(message.version, message.key, message.sources)
        session.client = session.client or message.client
        try:
            self._store.add(session)
        except SessionsExhausted:
            return None
        return session

    def _deliver(self, message: messages.ChannelMessage) -> bool:
        channel = self._store.get(message.key)
        if channel is None or channel.queue is None:
            return False
        channel.queue.post(message.text)
        return True

    def _update(
        self, sender: str, session: Session, message: messages.SessionUpdate
    ) -> None:
        """Apply a message to a session that is known here."""
        match message:
            case messages.CallCancellation(request_id=request_id):
                session.cancel(request_id)
            case messages.ChannelUpdated(version=version):
                session.version = version
                if message.is_initialized:
                    session.begin()
            case messages.ResourceUnsubscribed(canonical=canonical):
                session.subscription.unsubscribe(canonical)
            case messages.StreamClosed(pending=pending):
                if session.holder == sender:
                    # All but these were delivered there.
                    session.subscription.clear()
                    self._lose_stream(session)
                session.subscription.restore(map(from_text, pending))
