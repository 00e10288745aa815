"""The key that signs session ids, from the file that the settings name."""

from pathlib import Path
from typing import Final

from asdlc_kb.exceptions import OperationalError, SettingsError
from asdlc_kb.ops.auth.credentials import read_credentials

MIN_KEY_BYTES: Final = 32
"""Minimum size of a key file, without surrounding white space."""

MIN_KEY_VALUES: Final = 8
"""Minimum number of distinct bytes in it. A random key of 32 bytes or 64 hex digits has
more; a file of zeros or of one repeated word has fewer."""

_MAX_KEY_BYTES: Final = 4096


def read_key(path: str | None) -> bytes | None:
    """Return the key in a file; errors never contain any of it."""
    if path is None:
        return None
    try:
        key = read_credentials(Path(path), is_secret=True)[:_MAX_KEY_BYTES].strip()
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise OperationalError(f"session_key_file {path}: {reason}") from None
    problem = None
    if len(key) < MIN_KEY_BYTES:
        problem = f"fewer than {MIN_KEY_BYTES} bytes besides surrounding white space"
    elif len(set(key)) < MIN_KEY_VALUES:
        problem = f"fewer than {MIN_KEY_VALUES} different bytes, so it can be guessed"
    if problem is not None:
        raise SettingsError(
            f"session_key_file {path}: {problem}; make one with "
            f"(umask 077 && openssl rand -base64 32 > {path})"
        )
    return key
