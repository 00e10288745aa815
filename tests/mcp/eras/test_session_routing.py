"""The content of a session id, and its protection."""

import re
import string
from base64 import urlsafe_b64encode

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from asdlc_kb.mcp.eras.session_routing import (
    MAX_ID_CHARS,
    SessionIds,
    SessionLocation,
    belongs_to_session,
)
from asdlc_kb.mcp.protocol.inbound import (
    Batch,
    Call,
    Ignored,
    InboundNotification,
    McpHeaders,
)
from asdlc_kb.mcp.protocol.versions import HANDSHAKE, STATELESS

KEY = b"sixteen bytes or"
IDS = SessionIds("here-_12", KEY)
TEXTS = st.text(string.ascii_letters + string.digits + "-_.", max_size=100)


@pytest.mark.parametrize("version", [*HANDSHAKE, None])
def test_an_id_says_where_its_session_lives(version: str | None) -> None:
    """D-049: the process that gets it can tell which one has the session."""
    session_id = IDS.make(version)
    assert SessionIds("there", KEY).read(session_id) == SessionLocation(
        "here-_12", version
    )
    origin = IDS.read(session_id)
    assert origin is not None
    assert origin.is_channel is (version is None)


def test_ids_are_unguessable_and_fit_into_headers_and_addresses() -> None:
    """The specification, 2025-11-25 transports: visible ASCII, secure."""
    ids = {IDS.make("2025-11-25") for _ in range(200)}
    assert len(ids) == 200
    for session_id in ids:
        assert len(session_id) <= 80
        assert re.fullmatch(r"[A-Za-z0-9._-]+", session_id)
        assert len(session_id.split(".")[2]) * 6 >= 128
        assert len(session_id.split(".")[3]) * 6 >= 128


def test_who_has_another_key_reads_nothing() -> None:
    """D-049: only the servers can make an id."""
    session_id = IDS.make("2025-11-25")
    assert SessionIds("here-_12", b"another key of more").read(session_id) is None


@given(st.integers(0, 200), st.integers(0, 127))
def test_an_id_that_was_changed_is_unknown(place: int, code: int) -> None:
    """D-049: forged ids, one character at a time."""
    session_id = IDS.make("2025-06-18")
    place %= len(session_id)
    changed = session_id[:place] + chr(code) + session_id[place + 1 :]
    assume(changed != session_id)
    assert IDS.read(changed) is None


@given(st.integers(0, 200))
def test_an_id_that_was_cut_is_unknown(length: int) -> None:
    """D-049: forged ids."""
    session_id = IDS.make("2025-06-18")
    assert IDS.read(session_id[: length % len(session_id)]) is None


@given(st.permutations(range(4)), st.lists(st.booleans(), min_size=4, max_size=4))
def test_parts_of_several_ids_make_no_other(
    order: list[int], from_first: list[bool]
) -> None:
    """D-049: swapped processes and versions."""
    first = IDS.make("2025-06-18").split(".")
    second = SessionIds("there", KEY).make(None).split(".")
    mixed = [
        (first if own else second)[i] for i, own in zip(order, from_first, strict=True)
    ]
    assume(mixed not in (first, second))
    assert IDS.read(".".join(mixed)) is None


@given(st.text() | TEXTS)
def test_what_is_no_id_is_unknown(text: str) -> None:
    """Any header value."""
    assert IDS.read(text) is None


@pytest.mark.parametrize("said", ["a.b", "a.2099-01-01.c", "a.sse.b.c", "", "a..c"])
def test_a_signed_text_of_another_form_is_unknown(said: str) -> None:
    """A version that only newer processes know cannot be served."""
    assert IDS.read(f"{said}.{IDS._sign(said)}") is None


def test_a_long_text_is_not_looked_at() -> None:
    """D-054: limits before work."""
    said = "a" * MAX_ID_CHARS + ".sse.b"
    assert IDS.read(f"{said}.{IDS._sign(said)}") is None


def test_the_mac_is_128_bits_of_hmac_sha256() -> None:
    """Processes of other versions must agree; the vector is independent."""
    import hashlib
    import hmac

    said = "home.sse.random"
    mac = hmac.new(KEY, b"session\0" + said.encode(), hashlib.sha256).digest()[:16]
    text = urlsafe_b64encode(mac).decode().rstrip("=")
    assert IDS.read(f"{said}.{text}") == SessionLocation("home", None)


def call(method: str, version: str) -> Call:
    """Return a request over HTTP."""
    return Call(1, method, {}, version, McpHeaders())


def test_only_messages_of_a_session_are_its_homes() -> None:
    """A handshake or a stateless call is served where it arrives."""
    old, new = HANDSHAKE[-1], STATELESS[-1]
    assert belongs_to_session(call("tools/list", old))
    assert belongs_to_session(
        InboundNotification("notifications/initialized", {}, McpHeaders())
    )
    assert belongs_to_session(Batch(()))
    assert not belongs_to_session(call("initialize", old))
    assert not belongs_to_session(call("tools/list", new))
    assert not belongs_to_session(InboundNotification("notifications/cancelled", {}))
    assert not belongs_to_session(Ignored())
