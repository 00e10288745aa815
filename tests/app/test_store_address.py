"""The configured store: from the settings, with errors without secrets."""

import sys

import pytest

from asdlc_kb.app.store_address import read_store
from asdlc_kb.exceptions import OperationalError, SettingsError
from asdlc_kb.settings import Settings
from asdlc_kb.settings_resolution import resolve_settings


def test_the_address_has_a_primary_and_replicas() -> None:
    """They are separated by commas."""
    store = "postgresql://kb@one/kb,postgresql://kb@two/kb"
    address = read_store(Settings(store=store))
    assert address.primary == "postgresql://kb@one/kb"
    assert address.replicas == ("postgresql://kb@two/kb",)


def test_an_address_may_have_several_hosts() -> None:
    """The settings accept it, and none of its hosts is taken for a replica."""
    url = "postgresql://kb@one:5433,two/kb?target_session_attrs=read-write"
    given = {"store": f"{url},postgresql://kb@three/kb"}
    settings, _ = resolve_settings(given, {}, {})
    address = read_store(settings)
    assert address.primary == url
    assert address.replicas == ("postgresql://kb@three/kb",)


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
    with pytest.raises(
        OperationalError, match="the store needs the extra `postgres`: "
    ):
        read_store(Settings(store="postgresql://kb@one/kb"))
