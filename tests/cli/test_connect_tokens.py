"""`connect` to a server that requires a token: which output names it, which not."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from click.testing import Result
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import serve_process

from asdlc_kb.ops.auth.bearer_tokens import format_line

Rows: TypeAlias = Callable[..., tuple[int, list[dict[str, Any]]]]

Invoke = Callable[..., Result]


def test_a_token_is_referred_to_and_never_written(
    rows: Rows, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each client has its own notation; without one it is left to the user."""
    monkeypatch.setenv("ASDLC_KB_AUTH_TOKENS_FILE", "tokens")
    monkeypatch.setenv("MY_TOKEN", "akb_mine")
    code, (row,) = rows("cursor", "--token-env", "MY_TOKEN")
    assert (code, row["status"]) == (0, "connected")
    text = (home / ".cursor" / "mcp.json").read_text()
    assert "Bearer ${env:MY_TOKEN}" in text
    assert "akb_mine" not in text
    code, (row,) = rows("zed", "--token-env", "MY_TOKEN")
    assert (code, row["status"]) == (1, "by-hand")
    assert "akb_mine" not in json.dumps(row)


def test_what_is_said_of_tokens_where_one_is_referred_to(
    invoke: Invoke, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is missing; but on the way to another machine others could read it."""
    monkeypatch.setenv("ASDLC_KB_AUTH_TOKENS_FILE", "tokens")
    arguments = ("connect", "cursor", "--print", "--token-env", "MY_TOKEN")
    assert invoke(*arguments).stderr == ""
    assert invoke(*arguments, "--url", "https://x.example/mcp").stderr == ""
    openly = invoke(*arguments, "--url", "http://x.example/mcp")
    assert "not encrypted" in openly.stderr


@pytest.mark.parametrize("name", ["", "1A", "A-B", "akb_x y", "$A", "A" * 65])
def test_what_is_no_variable_is_refused_unseen(invoke: Invoke, name: str) -> None:
    """The operator may have typed the token itself."""
    result = invoke("connect", "cursor", "--token-env", name)
    assert result.exit_code == 2
    assert "the name of a variable" in result.stderr
    assert name == "" or name not in result.stderr


def test_a_client_that_starts_the_server_needs_no_token(invoke: Invoke) -> None:
    """It has a connection of its own."""
    result = invoke("connect", "cursor", "--stdio", "--token-env", "A")
    assert result.exit_code == 2
    assert "cannot be used together" in result.stderr


def test_a_check_sends_what_is_in_the_variable(
    knowledge: KnowledgeBase,
    home: Path,
    tmp_path: Path,
    scanner: Scanner,
    invoke: Invoke,
) -> None:
    """To the server that was named."""
    file = tmp_path / "tokens"
    file.write_text(format_line("me", "akb_mine"))
    options = ("--auth-tokens-file", str(file))
    with serve_process(knowledge.root, *options, scanner=scanner) as served:
        url = f"http://127.0.0.1:{served.port}/mcp"
        arguments = ("connect", "--check", "--url", url, "--token-env", "MY_TOKEN")
        assert invoke(*arguments, env={"MY_TOKEN": "akb_mine"}).exit_code == 0
        refused = invoke(*arguments, env={"ASDLC_KB_TOKEN": "akb_mine"})
    assert refused.exit_code == 1
    assert "put one in MY_TOKEN" in refused.stdout
