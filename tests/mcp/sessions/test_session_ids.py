"""Session ids: signed, and read only as they were issued."""

import re
import sys
from base64 import urlsafe_b64decode, urlsafe_b64encode

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.several import Clock

from asdlc_kb.mcp.protocol.inbound import MAX_CLIENT_NAME_CHARS
from asdlc_kb.mcp.protocol.versions import HANDSHAKE
from asdlc_kb.mcp.sessions.session_ids import MAX_ID_CHARS, SessionIds

KEY = b"a key of this test"
LISTS = (b"tool", b"prom", b"reso")


def test_ids_are_unguessable_and_visible_ascii() -> None:
    """The specification, 2025-11-25 transports: 0x21 to 0x7E only, secure."""
    ids = {SessionIds(KEY).issue("2025-11-25") for _ in range(200)}
    assert len(ids) == 200
    assert all(re.fullmatch(r"[\x21-\x7e]{32,}", session_id) for session_id in ids)


@pytest.mark.parametrize("version", [*HANDSHAKE, None])
def test_an_id_is_read_by_every_process_with_the_key(version: str | None) -> None:
    """It describes its session."""
    first, second = SessionIds(KEY, lambda: 12.5), SessionIds(KEY)
    issued = first.issue(version, "alice", client_name="a client", lists=LISTS)
    claims = second.read(issued, "alice")
    assert claims is not None
    assert (claims.version, claims.issued) == (version, 12)
    assert (claims.client_name, claims.lists) == ("a client", LISTS)
    assert claims.is_channel == (version is None)
    assert len(claims.nonce) == 16


@pytest.mark.parametrize("name", ["\U0001f600" * 1_000, "\ud800" * 50, ""])
def test_an_id_stays_short_whatever_the_client_is_called(name: str) -> None:
    """It travels in a header with every request."""
    issued = SessionIds(KEY).issue("2025-11-25", client_name=name, lists=LISTS)
    claims = SessionIds(KEY).read(issued, None)
    assert len(issued) <= MAX_ID_CHARS
    assert claims is not None
    assert len(claims.client_name) <= MAX_CLIENT_NAME_CHARS


def test_an_id_of_another_key_or_principal_is_unknown() -> None:
    """D-045; without a key each process has one of its own."""
    issued = SessionIds(KEY).issue("2025-11-25", "alice")
    assert SessionIds(b"another").read(issued, "alice") is None
    for principal in (None, "", "bob", "alice\0", "Alice"):
        assert SessionIds(KEY).read(issued, principal) is None
    ours = SessionIds().issue("2025-11-25")
    assert SessionIds().read(ours, None) is None


def test_a_principal_cannot_be_moved_into_the_claims() -> None:
    """The MAC says where one ends and the other begins."""
    ids = SessionIds(KEY)
    issued = ids.issue("2025-11-25", "a\0b")
    signed = urlsafe_b64decode(issued + "=" * (-len(issued) % 4))
    for moved, principal in ((b"b" + signed, "a\0"), (b"\0b" + signed, "a")):
        forged = urlsafe_b64encode(moved).rstrip(b"=").decode()
        assert ids.read(forged, principal) is None


@given(st.data())
def test_an_altered_id_is_unknown(data: st.DataObject) -> None:
    """Forged, truncated, extended, and other encodings of the same bytes."""
    ids = SessionIds(KEY)
    issued = ids.issue("2025-11-25")
    index = data.draw(st.integers(0, len(issued) - 1))
    character = data.draw(st.characters(max_codepoint=0x7F, exclude_characters="\0"))
    altered = issued[:index] + character + issued[index + 1 :]
    assert altered == issued or ids.read(altered, None) is None
    assert ids.read(issued[:index], None) is None
    assert ids.read(issued[:index] + character + issued[index:], None) is None


@pytest.mark.parametrize("suffix", ["=", "==", "\n", "!", " ", "A" * 600])
def test_another_spelling_of_an_id_is_unknown(suffix: str) -> None:
    """One session has one id: what ended stays ended."""
    ids = SessionIds(KEY)
    assert ids.read(ids.issue("2025-11-25") + suffix, None) is None


def test_claims_of_another_release_are_unknown() -> None:
    """Replicas share a key while they are updated one by one."""
    ids = SessionIds(KEY)
    for payload in (b"", b"\x90", b"\xc1", b"\x95\xa1x\x01\xa0\x90\xc4\x00"):
        signed = payload + ids._sign(payload, None)
        text = urlsafe_b64encode(signed).rstrip(b"=").decode()
        assert ids.read(text, None) is None


def test_ids_that_are_too_long_are_not_cached() -> None:
    """4,096 headers of 30 kB would be 120 MB."""
    ids = SessionIds(KEY)
    long = "A" * 30_000
    before = sys.getrefcount(long)
    assert ids.read(long, None) is None
    assert sys.getrefcount(long) == before


def test_a_channel_is_new_for_some_seconds() -> None:
    """Until then other processes may not know it yet."""
    clock = Clock()
    ids = SessionIds(KEY, clock)
    channel, session = ids.issue(None, "alice"), ids.issue("2025-11-25", "alice")
    assert ids.is_new_channel(channel, "alice")
    assert not ids.is_new_channel(channel, "bob")
    assert not ids.is_new_channel(session, "alice")
    clock.now += 5
    assert not ids.is_new_channel(channel, "alice")
