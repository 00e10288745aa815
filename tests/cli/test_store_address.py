"""The store that a command uses: from the settings, with errors without secrets."""

import sys

import pytest

from asdlc_kb.cli.store_address import read_store
from asdlc_kb.exceptions import OperationalError, SettingsError
from asdlc_kb.settings import Settings


def test_the_address_has_a_primary_and_replicas() -> None:
    """They are separated by commas."""
    store = "postgresql://kb@one/kb,postgresql://kb@two/kb"
    address = read_store(Settings(store=store))
    assert address.primary == "postgresql://kb@one/kb"
    assert address.replicas == ("postgresql://kb@two/kb",)


def test_a_command_needs_a_store() -> None:
    """The error says how to name one."""
    with pytest.raises(SettingsError, match="ASDLC_KB_STORE"):
        read_store(Settings())


def test_a_wrong_address_is_an_error_without_its_password() -> None:
    """An unescaped @ in a password is the usual mistake."""
    with pytest.raises(SettingsError) as caught:
        read_store(Settings(store="postgresql://kb:hunter2@x@one/kb"))
    assert "hunter2" not in str(caught.value)


def test_the_extra_is_named_if_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user sees what to install."""
    monkeypatch.setitem(sys.modules, "asdlc_kb.store.database", None)
    with pytest.raises(OperationalError, match=r"pip install 'asdlc-kb\[postgres\]'"):
        read_store(Settings(store="postgresql://kb@one/kb"))
