"""Tornado's private attributes: the only module that names them.

The package needs `_handle_events`, `_read_buffer`, `_read_buffer_size`, `_read_future`
and `_write_buffer` of `IOStream`, and `_ssl_accepting` of `SSLIOStream`. Another
release of Tornado may change them, so `find_changes` checks for them at the start, and
a test pins them.
"""

import inspect
from typing import Any, Final

from tornado.ioloop import IOLoop
from tornado.iostream import BaseIOStream, IOStream, SSLIOStream

_ATTRIBUTES: Final = (
    "_read_buffer",
    "_read_buffer_size",
    "_read_future",
    "_write_buffer",
)
"""Attributes that Tornado's constructor sets."""

_HOOKS: Final = {
    "_handle_events": ["self", "fd", "events"],
    "read_from_fd": ["self", "buf"],
}
"""The methods of Tornado that are overridden here and in `direct_stream`, with their
parameters."""


class TornadoStream(IOStream):
    """A stream with names for the private parts of Tornado's."""

    __slots__ = ()

    @property
    def unread_size(self) -> int:
        """The number of bytes that were read and not yet consumed."""
        return self._read_buffer_size

    @property
    def unsent_size(self) -> int:
        """The number of bytes that were written and not yet sent."""
        return len(self._write_buffer)

    @property
    def is_reading_only(self) -> bool:
        """Whether Tornado waits for bytes, with none unread and none unsent."""
        return (
            self._read_future is not None
            and not self._read_buffer_size
            and not self._write_buffer
        )

    def find_unread(self, text: bytes) -> int:
        """Return the position of a text in the bytes not yet consumed, or -1."""
        return self._read_buffer.find(text)

    def take_unread(self) -> bytes:
        """Return the bytes not yet consumed, and remove them."""
        data = bytes(self._read_buffer)
        self._read_buffer.clear()
        self._read_buffer_size = 0
        return data

    def serve_readable(self) -> bool:
        """Handle a readable socket; False if Tornado is to read from it."""
        return False

    def _handle_events(self, fd: Any, events: int) -> None:
        """Handle the events of the socket; reading may not need Tornado."""
        try:
            is_served = events == IOLoop.READ and self.serve_readable()
        except Exception as error:
            # As Tornado does: the event loop logs it.
            self.close(exc_info=error)
            raise
        if not is_served:
            super()._handle_events(fd, events)


def awaits_handshake(stream: SSLIOStream) -> bool:
    """Whether the TLS handshake of a connection has not ended."""
    return bool(stream._ssl_accepting)


def find_changes() -> tuple[str, ...]:
    """Return the names that the installed Tornado does not have as expected."""
    stored = BaseIOStream.__init__.__code__.co_names
    changed = [name for name in _ATTRIBUTES if name not in stored]
    for name, parameters in _HOOKS.items():
        method = getattr(IOStream, name, None)
        if method is None or [*inspect.signature(method).parameters] != parameters:
            changed.append(name)
    return tuple(changed)
