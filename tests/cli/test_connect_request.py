"""Tests of the arguments of `connect`: which exclude each other, which are refused."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

Invoke = Callable[..., Result]
URL = "http://127.0.0.1:8420/mcp"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("netscape",), "unknown client 'netscape'; known clients: claude-code, "),
        (("claud",), "unknown client 'claud'. Did you mean: claude, "),
        (("codx",), "unknown client 'codx'. Did you mean: codex"),
        (("--url", "kb", "cursor"), "'kb' is not a valid address such as https://"),
        (("--url", URL, "--stdio"), "--url and --stdio cannot be used together"),
        (("--all", "cursor"), "CLIENT and --all cannot be used together"),
        (("--print", "--check"), "cannot be used together"),
        (("--remove", "--check"), "--remove and --check cannot be used together"),
        (("--name", "A B"), "lower-case letters, digits and hyphens"),
        (
            ("--port", "0", "cursor"),
            "port 0 is not an address: name the server with --url",
        ),
        (("--scope", "galaxy"), "is not one of 'user', 'project'"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(
    invoke: Invoke, home: Path, arguments: tuple[str, ...], message: str
) -> None:
    """Exit code 2, before anything is written."""
    result = invoke("connect", *arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert message in " ".join(result.stderr.split())
    assert not any(path.is_file() for path in home.rglob("*"))
