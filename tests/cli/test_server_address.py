"""Tests of the server's address for clients, and of its command line."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import click
import pytest

from asdlc_kb.cli import main
from asdlc_kb.cli.serve import stdio
from asdlc_kb.cli.server_address import PROGRAM, find_address, find_command
from asdlc_kb.exceptions import OperationalError
from asdlc_kb.settings import Settings

Rows: TypeAlias = Callable[..., tuple[int, list[dict[str, Any]]]]

START = (*PROGRAM, "stdio")


@pytest.mark.parametrize(
    ("settings", "address"),
    [
        ({}, "http://127.0.0.1:8123/mcp"),
        ({"host": "0.0.0.0"}, "http://127.0.0.1:8123/mcp"),
        ({"host": "::1"}, "http://[::1]:8123/mcp"),
        ({"base_url": "https://kb.example.com/a/"}, "https://kb.example.com/a/mcp"),
    ],
)
def test_the_address_is_one_for_this_machine(
    settings: dict[str, Any], address: str
) -> None:
    """A wildcard address becomes a local one."""
    assert find_address(Settings(**settings), 8123) == address


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://kb.example.com", "https://kb.example.com/mcp"),
        ("http://127.0.0.1:8420/", "http://127.0.0.1:8420/mcp"),
        ("https://kb.example.com/mcp", "https://kb.example.com/mcp"),
        ("https://example.com/kb/", "https://example.com/kb/"),
    ],
)
def test_an_address_without_a_path_is_that_of_the_website(
    rows: Rows, home: Path, url: str, address: str
) -> None:
    """People know it from their browser; its endpoint is at /mcp."""
    for flags, status in (((), "connected"), (("--remove",), "removed")):
        assert rows("cursor", "--url", url, *flags)[1][0]["status"] == status
        if not flags:
            written = json.loads((home / ".cursor/mcp.json").read_text())
            assert written["mcpServers"]["knowledge-base"]["url"] == address


def test_a_command_works_from_any_folder(folder: Path) -> None:
    """D-137: absolute paths, of the interpreter too, and only changed settings."""
    for name in ("kb", "docs"):
        (folder / name).mkdir()
    settings = Settings(
        content="kb",
        docs=("docs",),
        cache_dir="cache",
        poll=True,
        snippet_length=300,
        tool_errors="protocol",
        port=1,
        debug=True,
    )
    assert find_command(settings, stdio) == (
        *START,
        *(str(folder / "kb"), "--docs", str(folder / "docs"), "--poll"),
        *("--cache-dir", str(folder / "cache"), "--snippet-length", "300"),
        *("--tool-errors", "protocol"),
    )
    assert Path(START[0]).is_absolute()


def test_a_folder_has_one_path_wherever_the_command_is_run(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An entry is recognized by its command. Behind a link, `..` leads elsewhere."""
    for name in ("kb", "here", "away/deep", "away/kb"):
        (folder / name).mkdir(parents=True)
    (folder / "link").symlink_to("away/deep")
    expected = find_command(Settings(content="kb"), stdio)
    monkeypatch.chdir(folder / "here")
    assert find_command(Settings(content="../kb/"), stdio) == expected
    behind = find_command(Settings(content="../link/../kb"), stdio)[-1]
    assert Path(behind).samefile(folder / "away/kb")


def test_a_command_is_understood_by_the_command_line(folder: Path) -> None:
    """Each written option is one of `stdio`, switches included."""
    (folder / "kb").mkdir()
    (folder / "docs").mkdir()
    settings = Settings(
        content="kb", docs=("docs",), cache_dir="off", dev=True, instructions="a b"
    )
    name, *words = find_command(settings, stdio)[len(PROGRAM) :]
    command = main.get_command(click.Context(main), name)
    assert command is not None
    params = command.make_context(name, list(words)).params
    assert (params["content"], params["docs"]) == (
        str(folder / "kb"),
        (str(folder / "docs"),),
    )
    assert (params["cache_dir"], params["dev"]) == ("off", True)
    assert params["instructions"] == "a b"


def test_a_project_may_be_all_there_is(folder: Path) -> None:
    """Each project is named with its absolute path; the home's commands too."""
    for name in ("one", "two"):
        (folder / name).mkdir()
    settings = Settings(project=("one", "two"), uses_home=True)
    assert find_command(settings, stdio) == (
        *START,
        *("--project", str(folder / "one"), "--project", str(folder / "two")),
        "--include-home",
    )


def test_a_switch_that_is_off_is_spelled() -> None:
    """Some are on by default."""
    option = click.Option(["--sse/--no-sse"], default=True)
    command = click.Command("x", params=[option])
    words = find_command(Settings(content=str(Path.cwd()), sse=False), command)
    assert words[-1] == "--no-sse"


def test_folders_must_be_there(folder: Path) -> None:
    """A client would not report that its server found nothing."""
    with pytest.raises(OperationalError, match=f"no such folder: {folder}/kb"):
        find_command(Settings(content="kb"), stdio)
    (folder / "content").mkdir()
    assert find_command(Settings(), stdio) == (*START, str(folder / "content"))
    with pytest.raises(OperationalError, match=f"no such folder: {folder}/docs"):
        find_command(Settings(docs=("docs",)), stdio)


def test_a_name_that_cannot_be_written_down_is_refused(folder: Path) -> None:
    """Clients' files are UTF-8; names on disk need not be."""
    name = os.fsdecode(b"caf\xe9")
    with pytest.raises(OperationalError, match="only names in UTF-8: rename it"):
        find_command(Settings(content=name), stdio)


def test_without_anything_to_serve_there_is_no_command(folder: Path) -> None:
    """Exit code 3, as for `stdio` itself."""
    with pytest.raises(OperationalError, match="no content: name a folder"):
        find_command(Settings(), stdio)
