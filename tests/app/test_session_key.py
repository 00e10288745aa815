"""The key that signs session ids, as its file holds it."""

from pathlib import Path

import pytest

from asdlc_kb.app.membership import open_membership
from asdlc_kb.app.session_key import MIN_KEY_BYTES, MIN_KEY_VALUES, read_key
from asdlc_kb.exceptions import OperationalError, SettingsError
from asdlc_kb.ops.metrics.counters import Metrics
from asdlc_kb.settings import Settings

KEY = b"the key that processes of this test have"
SECRET = "hush-hush"


def write_key(folder: Path, key: bytes = KEY) -> str:
    """Write a key; return its path."""
    path = folder / "session.key"
    path.write_bytes(key)
    return str(path)


def test_a_key_is_what_its_file_holds(tmp_path: Path) -> None:
    """Editors end a file with a newline."""
    assert read_key(None) is None
    assert read_key(write_key(tmp_path, KEY + b"\n")) == KEY
    shortest = (bytes(range(48, 48 + MIN_KEY_VALUES)) * 4)[:MIN_KEY_BYTES]
    assert read_key(write_key(tmp_path, shortest)) == shortest


@pytest.mark.parametrize(
    "key",
    [
        b"",
        SECRET.encode(),
        b"0123456789abcdef0123456789abcde" + b"\n" * 20,
        b"0" * 64,
        b"\1\0" * 32,
        b"hush-" * 20,
    ],
)
def test_a_short_key_is_refused_with_advice(tmp_path: Path, key: bytes) -> None:
    """The message contains no secret and states what to do."""
    path = write_key(tmp_path, key)
    with pytest.raises(SettingsError) as caught:
        read_key(path)
    assert SECRET not in str(caught.value)
    assert path in str(caught.value)
    assert "openssl rand" in str(caught.value)


def test_a_key_file_that_cannot_be_read_is_said_so(tmp_path: Path) -> None:
    """Exit code 3."""
    with pytest.raises(OperationalError, match="No such file"):
        open_membership(Settings(session_key_file=str(tmp_path / "none")), Metrics())
    with pytest.raises(OperationalError, match="Is a directory"):
        open_membership(Settings(session_key_file=str(tmp_path)), Metrics())
