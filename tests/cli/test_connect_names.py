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
    for title in ("Team Handbook", "Cooking"):
        root = tmp_path / title
        root.mkdir()
        (root / "index.md").write_text(f"# {title}\n")
        assert rows("cursor", "--docs", str(root))[1][0]["status"] == "connected"
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
