"""Tests of the configuration file: which one is read, and what it may set."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from asdlc_kb.cli.config_file import (
    DISCOVERABLE,
    MAX_FILE_BYTES,
    Configuration,
    open_configuration,
    read_file,
    warn_of_unread,
)
from asdlc_kb.exceptions import OperationalError, SettingsError
from asdlc_kb.settings import (
    FILE_NAME,
    Settings,
)
from asdlc_kb.settings_descriptions import DESCRIPTIONS
from asdlc_kb.settings_resolution import resolve_settings

Invoke = Callable[..., Result]

VALUES = {
    **dict.fromkeys(("title", "tagline", "accent", "footer", "announcement"), "'x'"),
    **{"logo": "'own/logo.svg'", "custom_css": "'own.css'"},
}
"""Formats of a setting's value; others are numbers."""


def write(folder: Path, text: str) -> Path:
    """Write the configuration file of a folder."""
    path = folder / FILE_NAME
    path.write_text(text, encoding="utf-8")
    return path


def test_a_file_is_read_as_toml(tmp_path: Path) -> None:
    """D-128: settings are keys of the file."""
    path = tmp_path / FILE_NAME
    text = 'port = 0\nallow_host = ["kb.example.com"]\ninstructions = "ü"\n'
    path.write_text(text, encoding="utf-8")
    settings, _ = resolve_settings({}, {}, read_file(path))
    assert settings == Settings(
        port=0, allow_host=("kb.example.com",), instructions="ü"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"port = \n", "Invalid value (at line 1"),
        (b'host = "a\n', "a text has no end (at line 1"),
        (b"port = 1\nport = 2\n", "Cannot overwrite a value (at line 2"),
        (b'host = "\xff"\n', "it is not UTF-8 at byte 8: save it as UTF-8"),
        (b'logo = "C:\\User\\a"\n', "Invalid hex value (at line 1"),
        (None, "No such file or directory"),
    ],
    ids=["syntax", "no end", "twice", "not UTF-8", "path of Windows", "absent"],
)
def test_a_file_that_cannot_be_read_is_named(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    """Unreadable or invalid TOML is a settings error that names the file."""
    path = tmp_path / "other.toml"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        read_file(path)
    assert str(caught.value).startswith(f"{path}: {message}")
    has_path = content is not None and b"C:" in content
    assert str(caught.value).endswith("write paths in single quotes") is has_path


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = 1 #" + "x" * MAX_FILE_BYTES, "the file is larger than 65,536 bytes"),
        ("a = " + "[" * 20_000, "values are nested too deeply"),
        ("a = " + "1" * 20_000, "Exceeds the limit (4300 digits)"),
    ],
)
def test_a_file_of_other_people_is_read_within_limits(
    tmp_path: Path, text: str, message: str
) -> None:
    """A configuration file of a clone may be made to exhaust memory or the stack."""
    path = write(tmp_path, text)
    with pytest.raises(SettingsError) as caught:
        read_file(path)
    assert str(caught.value).startswith(f"{path}: {message}")


@pytest.mark.parametrize("name", sorted(DESCRIPTIONS))
def test_a_setting_needs_a_named_file_unless_it_is_of_names_and_search(
    folder: Path, name: str
) -> None:
    """D-079: an allow-list; new settings are refused by default."""
    path = write(folder, f"{name} = {VALUES.get(name, 40)}\n")
    named = open_configuration(path, "flag")
    assert (named.path, set(named.values)) == (path, {name})
    if name in DISCOVERABLE:
        found = open_configuration(None, "environment")
        assert found.origin == "working directory"
        assert found.values == named.values
        return
    with pytest.raises(SettingsError) as caught:
        open_configuration(None, "environment")
    assert str(caught.value) == (
        f"asdlc-kb.toml in the working directory cannot set {name} unless you name "
        "the file: --config asdlc-kb.toml. To ignore the file: --config /dev/null"
    )


def test_only_names_and_search_may_be_set_by_a_file_that_was_found() -> None:
    """D-079: the reason is stated for maintainers of the list."""
    assert {
        "title",
        "tagline",
        "logo",
        "accent",
        "custom_css",
        "footer",
        "announcement",
        "max_search_results",
        "snippet_length",
        "changelog",
    } == DISCOVERABLE


@pytest.mark.parametrize("name", ["logo", "custom_css"])
@pytest.mark.parametrize("value", ["../x.css", "/etc/x.svg", "own/../../x", "link/x"])
def test_a_file_that_was_found_names_no_files_elsewhere(
    folder: Path, tmp_path: Path, name: str, value: str
) -> None:
    """A clone must not publish a file of the computer it is on."""
    (folder / "link").symlink_to("/")
    path = write(folder, f"{name} = '{value}'\n")
    with pytest.raises(SettingsError) as caught:
        open_configuration(None, "environment")
    assert str(caught.value) == (
        f"asdlc-kb.toml in the working directory cannot set {name} to {value}, which "
        "is outside of its folder, unless you name the file: --config asdlc-kb.toml"
    )
    assert open_configuration(path, "flag").values == {name: value}


def test_no_file_is_no_setting(folder: Path) -> None:
    """Nor is a folder of that name."""
    assert open_configuration(None, "flag") == Configuration()
    assert Configuration().describe() == "no configuration file was read"
    (folder / FILE_NAME).mkdir()
    assert open_configuration(None, "flag") == Configuration()


def test_the_environment_may_name_the_file(invoke: Invoke, folder: Path) -> None:
    """D-128: ASDLC_KB_CONFIG is as good as --config, which takes precedence."""
    (folder / "other.toml").write_text("port = 3\n")
    env = {"ASDLC_KB_CONFIG": "other.toml"}
    first, *rows = json.loads(invoke("config", "--json", env=env).stdout)
    assert first == {"name": "config", "value": "other.toml", "origin": "environment"}
    assert {row["name"]: row["value"] for row in rows}["port"] == 3
    shown = invoke("config", "--json", "--config", "/dev/null", env=env).stdout
    first, *rows = json.loads(shown)
    assert first == {"name": "config", "value": "/dev/null", "origin": "flag"}
    assert {row["origin"] for row in rows} == {"default"}


@pytest.mark.parametrize(
    ("text", "mode", "is_refused"),
    [
        ("auth_tokens_file = 't'", 0o666, True),
        ("auth_jwks_file = 't'", 0o620, True),
        ("bus_url = 'redis://h'", 0o602, True),
        ("bus_url = 'redis://h'", 0o644, False),
        ("bus_url = 'redis://:secret@h'", 0o640, False),
        ("trusted_proxy = ['127.0.0.1']", 0o644, False),
        ("title = 'x'", 0o666, False),
    ],
)
def test_a_credentials_file_is_refused_if_others_may_write_it(
    tmp_path: Path, text: str, mode: int, is_refused: bool
) -> None:
    """D-080: its writer could name tokens: as serious as writing the token file."""
    path = write(tmp_path, text)
    path.chmod(mode)
    file = open_configuration(path, "flag")
    if not is_refused:
        assert file.check_exposure() is None
        file.require_private()
        return
    with pytest.raises(OperationalError) as caught:
        file.require_private()
    assert str(caught.value) == (
        f"{path}: other users can write it (mode {mode:04o}): chmod go-w {path}"
    )


def test_a_password_that_every_user_can_read_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Without the password."""
    path = write(tmp_path, "bus_url = 'redis://:secret@h'")
    path.chmod(0o644)
    open_configuration(path, "flag").require_private()
    (record,) = caplog.records
    assert record.getMessage() == "all users can read a secret (mode 0644)"
    assert vars(record)["advice"] == f"chmod o-r {path}"
    assert "secret@" not in caplog.text


def test_a_file_that_is_not_read_is_named_in_the_log(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """For the operator that put it there; without one nothing is printed."""
    warn_of_unread()
    assert not caplog.records
    path = write(folder, "title = 'x'")
    warn_of_unread()
    (record,) = caplog.records
    assert vars(record)["file"] == os.fspath(path)


@pytest.mark.parametrize(
    ("mode", "level", "message"),
    [
        (0o600, "ok", "no other user can change it"),
        (0o644, "warning", "all users can read a secret (mode 0644)"),
        (0o660, "failure", "other users can write it (mode 0660)"),
    ],
)
def test_doctor_looks_at_files_with_credentials(
    invoke: Invoke, folder: Path, mode: int, level: str, message: str
) -> None:
    """With what to do, by option or configuration."""
    key = folder / "session.key"
    key.write_text("k" * 32)
    key.chmod(mode)
    (folder / "kb.toml").write_text("session_key_file = 'session.key'\n")
    (folder / "content").mkdir()
    for options in (("--session-key-file", "session.key"), ("--config", "kb.toml")):
        rows = json.loads(invoke("doctor", "--json", *options).stdout)
        (row,) = [row for row in rows if row["subject"] == "session_key_file"]
        assert (row["level"], row["message"]) == (level, f"session.key: {message}")
        assert bool(row["hint"]) is (level != "ok")


def test_doctor_says_what_cannot_be_read(invoke: Invoke, folder: Path) -> None:
    """A configured file that does not exist."""
    rows = json.loads(invoke("doctor", "--json", "--auth-tokens-file", "none").stdout)
    (row,) = [row for row in rows if row["subject"] == "auth_tokens_file"]
    assert row["level"] == "failure"
    assert row["message"] == "cannot read none: No such file or directory"
