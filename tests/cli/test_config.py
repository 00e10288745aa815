"""Tests of the command that shows the settings: config."""

import json
import re
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

from asdlc_kb.settings import DESCRIPTIONS

Invoke = Callable[..., Result]


def test_config_shows_every_setting_and_its_origin(
    invoke: Invoke, folder: Path
) -> None:
    """Design, the command line: where each value came from."""
    (folder / "asdlc-kb.toml").write_text("max_body = 2048\n")
    env = {"ASDLC_KB_ALLOW_HOST": "a.example, b.example"}
    result = invoke("config", "here", "--port", "0", env=env)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(DESCRIPTIONS)
    assert len({line.index(" = ") for line in lines}) == 1
    rows = [re.sub(" +", " ", line) for line in lines]
    assert {
        'content = "here" # flag',
        "project = [] # default",
        "port = 0 # flag",
        "base_url = null # default",
        'allow_host = ["a.example", "b.example"] # environment',
        "sse = true # default",
        "max_body = 2048 # asdlc-kb.toml",
        "missing_grace = 60.0 # default",
        'log_level = "info" # default',
    } <= set(rows)


def test_config_as_json_tells_the_same(invoke: Invoke) -> None:
    """Design, the command line: `--json` on every command that reads."""
    result = invoke("config", "--json", "--dev", env={"ASDLC_KB_PORT": "9"})
    rows = {row.pop("name"): row for row in json.loads(result.stdout)}
    assert result.exit_code == 0
    assert rows["port"] == {"value": 9, "origin": "environment"}
    assert rows["dev"] == {"value": True, "origin": "flag"}
    assert rows["allow_host"] == {"value": [], "origin": "default"}
    assert rows["content"] == {"value": None, "origin": "default"}


def test_config_needs_no_folder_and_makes_none(invoke: Invoke, folder: Path) -> None:
    """It only tells: what it names need not be there, and nothing is opened."""
    result = invoke("config", "nowhere", "--docs", "absent", "--cache-dir", "kept")
    assert (result.exit_code, result.stderr) == (0, "")
    assert list(folder.iterdir()) == []
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["docs", "=", '"absent"', "#", "flag"] in rows
    assert ["cache_dir", "=", '"kept"', "#", "flag"] in rows
