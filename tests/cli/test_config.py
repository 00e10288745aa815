"""Tests of the command that shows the settings: config."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from asdlc_kb.settings import Settings, list_values

Invoke = Callable[..., Result]


def test_config_shows_every_setting_and_its_origin(
    invoke: Invoke, folder: Path
) -> None:
    """D-128: the source of each value."""
    (folder / "asdlc-kb.toml").write_text("snippet_length = 80\n")
    env = {"ASDLC_KB_ALLOW_HOST": "a.example, b.example"}
    result = invoke("config", "here", "--port", "0", env=env)
    assert result.exit_code == 0
    changed = {
        "content": ('"here"', "flag"),
        "port": ("0", "flag"),
        "allow_host": ('["a.example", "b.example"]', "environment"),
        "snippet_length": ("80", "asdlc-kb.toml"),
    }
    defaults = list_values(Settings())
    width = max(map(len, defaults))
    expected = [
        f"{'config':<{width}} = {json.dumps('asdlc-kb.toml'):<24} # working directory"
    ]
    for name, default in defaults.items():
        value, origin = changed.get(name, (json.dumps(default), "default"))
        expected.append(f"{name:<{width}} = {value:<24} # {origin}")
    assert result.stdout.splitlines() == expected
    assert f'{"host":<{width}} = "127.0.0.1"              # default' in expected


def test_config_as_json_tells_the_same(invoke: Invoke) -> None:
    """D-129: `--json` on every command that reads."""
    result = invoke("config", "--json", "--dev", env={"ASDLC_KB_PORT": "9"})
    rows = {row.pop("name"): row for row in json.loads(result.stdout)}
    assert result.exit_code == 0
    assert rows["port"] == {"value": 9, "origin": "environment"}
    assert rows["dev"] == {"value": True, "origin": "flag"}
    assert rows["allow_host"] == {"value": [], "origin": "default"}
    assert rows["content"] == {"value": None, "origin": "default"}


def test_config_needs_no_folder_and_makes_none(invoke: Invoke, folder: Path) -> None:
    """It only prints: the named folders need not exist, and nothing is opened."""
    result = invoke("config", "nowhere", "--docs", "absent", "--cache-dir", "kept")
    assert (result.exit_code, result.stderr) == (0, "")
    assert list(folder.iterdir()) == []
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["docs", "=", '["absent"]', "#", "flag"] in rows
    assert ["cache_dir", "=", '"kept"', "#", "flag"] in rows


@pytest.mark.parametrize(
    "address", ["redis://me:SECRET@h/0", "redis://h/0?username=me&password=SECRET"]
)
@pytest.mark.parametrize("flag", ["--debug", "--json"])
def test_config_shows_no_password(invoke: Invoke, address: str, flag: str) -> None:
    """Passwords are masked wherever in an address they are, from every source."""
    for result in (
        invoke("config", flag, env={"ASDLC_KB_BUS_URL": address}),
        invoke("config", flag, "--bus-url", address),
    ):
        assert result.exit_code == 0
        assert "SECRET" not in result.output
        assert "***" in result.output
