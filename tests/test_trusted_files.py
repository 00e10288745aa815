"""Which files of a cache are trusted (D-165)."""

import os
from pathlib import Path

import pytest

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.trusted_files import is_own, refuse_untrusted


def state_of(mode: int, owner: int) -> os.stat_result:
    """Return the status of a file."""
    return os.stat_result((mode, 1, 1, 1, owner, 0, 0, 0, 0, 0))


def test_an_own_file_that_only_its_owner_writes_is_trusted(tmp_path: Path) -> None:
    """Others may read it, as in an image."""
    path = tmp_path / "store"
    path.touch(0o644)
    refuse_untrusted(path.lstat())


def test_a_file_of_root_is_trusted() -> None:
    """Root can show any text anyway."""
    assert is_own(state_of(0o100644, 0))
    refuse_untrusted(state_of(0o100644, 0))


def test_a_file_of_another_user_is_refused() -> None:
    """It could hold any text."""
    assert not is_own(state_of(0o100600, os.geteuid() + 1))
    with pytest.raises(OperationalError, match="belongs to another user"):
        refuse_untrusted(state_of(0o100600, os.geteuid() + 1))


@pytest.mark.parametrize("mode", [0o100620, 0o100602, 0o120777, 0o040777])
def test_what_others_can_write_or_redirect_is_refused(mode: int) -> None:
    """Writable by group or others, or a link."""
    with pytest.raises(OperationalError, match="other users can write to it"):
        refuse_untrusted(state_of(mode, os.geteuid()))
