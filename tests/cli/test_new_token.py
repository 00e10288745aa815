"""The command that makes a token."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from asdlc_kb.app import open_bearer
from asdlc_kb.settings import Settings

Invoke = Callable[..., Result]


def test_a_token_is_shown_once_and_its_line_can_be_appended(
    invoke: Invoke, tmp_path: Path
) -> None:
    """D-120: the appended line accepts the token and does not reveal it."""
    file = tmp_path / "tokens"
    tokens = []
    for name in ("ci", "ada@example.com"):
        result = invoke("token", name)
        assert result.exit_code == 0
        with file.open("a") as lines:
            lines.write(result.stdout)
        tokens.append(result.stderr.split()[-1])
    assert len(file.read_text().splitlines()) == 2
    assert not any(token in file.read_text() for token in tokens)
    bearer = open_bearer(Settings(auth_tokens_file=str(file)))
    assert bearer is not None
    found = [bearer.tokens.identify(token).name for token in tokens]
    assert found == ["token:ci", "token:ada@example.com"]


@pytest.mark.parametrize("name", ["", "two words", "-x", "a#b", "x" * 65, "ä"])
def test_a_name_that_is_none_makes_no_token(invoke: Invoke, name: str) -> None:
    """It would not be a valid line of the file."""
    result = invoke("token", "--", name)
    assert result.exit_code == 2
    assert "akb_" not in result.output


def test_a_token_may_be_for_some_of_the_sources(invoke: Invoke, tmp_path: Path) -> None:
    """D-266: the line names them, and the server reads it."""
    result = invoke("token", "ci", "--sources", "articles, my shop")
    assert result.exit_code == 0
    file = tmp_path / "tokens"
    file.write_text(result.stdout)
    bearer = open_bearer(Settings(auth_tokens_file=str(file)))
    assert bearer is not None
    principal = bearer.tokens.identify(result.stderr.split()[-1])
    assert principal.sources == frozenset({"articles", "my shop"})


@pytest.mark.parametrize("sources", ["", ",", "a,,b", "a\nb"])
def test_malformed_sources_make_no_token(invoke: Invoke, sources: str) -> None:
    """D-266: an empty list would otherwise be a token for all sources."""
    result = invoke("token", "ci", "--sources", sources)
    assert result.exit_code == 2
    assert "akb_" not in result.output
