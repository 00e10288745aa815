"""`connect` names the entry in clients after the content that is served."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

Rows: TypeAlias = Callable[..., tuple[int, list[dict[str, Any]]]]


def test_an_entry_is_named_after_the_content(
    rows: Rows, home: Path, tmp_path: Path
) -> None:
    """As in the banner of `serve`, so that two knowledge bases do not collide."""
    path = home / ".cursor" / "mcp.json"
    for title, port in (("Team Handbook", "8420"), ("Cooking", "8421")):
        root = tmp_path / title
        root.mkdir()
        (root / "index.md").write_text(f"# {title}\n")
        code, (row,) = rows("cursor", "--docs", str(root), "--port", port)
        assert (code, row["status"]) == (0, "connected")
    assert list(json.loads(path.read_text())["mcpServers"]) == [
        *("team-handbook", "cooking")
    ]
    # Another server's content is not the one in this folder.
    docs = ("--docs", str(tmp_path / "Cooking"))
    rows("cursor", "--url", "https://kb.example.com/mcp", *docs)
    assert "knowledge-base" in json.loads(path.read_text())["mcpServers"]


def test_the_title_of_a_file_in_the_folder_names_the_entry(
    rows: Rows, home: Path, folder: Path
) -> None:
    """It may set titles only; the address comes from no such file."""
    (folder / "asdlc-kb.toml").write_text('title = "Kitchen Book"\n')
    (folder / "content").mkdir()
    rows("cursor")
    written = json.loads((home / ".cursor" / "mcp.json").read_text())
    assert list(written["mcpServers"]) == ["kitchen-book"]


def test_a_second_entry_for_one_address_needs_a_name(
    rows: Rows, home: Path, folder: Path
) -> None:
    """The banner's command, and one without the sources, meet at one server."""
    (folder / "handbook").mkdir()
    (folder / "handbook" / "index.md").write_text("# Handbook\n")
    rows("cursor", "--docs", "handbook")
    path = home / ".cursor" / "mcp.json"
    former = path.read_text()
    code, (row,) = rows("cursor")
    assert (code, row["status"]) == (1, "refused")
    assert f"{path} already has it as `handbook`" in row["message"]
    assert path.read_text() == former
    code, (row,) = rows("cursor", "--remove")
    assert (code, row["status"]) == (0, "absent")
    assert "of asdlc-kb it has `handbook`" in row["message"]
    assert rows("cursor", "--name", "second")[0] == 0
    assert list(json.loads(path.read_text())["mcpServers"]) == ["handbook", "second"]
