"""Starts from parsed files on disk: real servers, one after another and together."""

from pathlib import Path

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.namespaces import namespaced
from support.processes import Served, run_cli, serve_process
from support.stateless import call

READ_ONLY = """
mount --bind '{cache}' '{cache}'
mount -o remount,bind,ro '{cache}'
exec "$@"
"""
"""A shell script: a command with a folder that cannot be written."""


def count_parsed(served: Served, processes: int = 1) -> list[int]:
    """Return the number of files that each process parsed at its start."""
    lines = served.running.wait_for_event("files loaded", processes)
    return [line["parsed"] for line in lines]


async def read_body(served: Served, slug: str) -> str:
    """Return the text of an article as an agent receives it."""
    params = {"name": "get_article", "arguments": {"slug": slug}}
    answer = await call(served.port, "tools/call", params, "get_article")
    content: str = answer.json["result"]["content"][0]["text"]
    return content


@pytest.fixture
def options(knowledge: KnowledgeBase, tmp_path: Path) -> tuple[str, str]:
    """Three articles more, and the folder for caches."""
    for name in ("one", "two", "three"):
        knowledge.write(f"patterns/{name}", body=f"The text of {name}.\n")
    return ("--cache-dir", str(tmp_path / "cache"))


async def test_the_second_start_parses_only_what_changed(
    knowledge: KnowledgeBase, options: tuple[str, str], scanner: Scanner
) -> None:
    """The first one stores what it parsed, without being asked."""
    files = len(list(knowledge.root.rglob("*.md")))
    with serve_process(knowledge.root, *options, scanner=scanner) as served:
        assert count_parsed(served) == [files]
        (written,) = served.running.wait_for_event("parsed cache written")
        assert written["bytes"] > 0
        first = await read_body(served, "two")
    knowledge.write("patterns/three", body="Another text.\n")
    with serve_process(knowledge.root, *options, scanner=scanner) as served:
        assert count_parsed(served) == [1]
        assert await read_body(served, "two") == first
        assert "Another text." in await read_body(served, "three")


async def test_workers_share_what_a_command_stored(
    knowledge: KnowledgeBase, options: tuple[str, str], scanner: Scanner
) -> None:
    """Each reads the same file."""
    command = ("index", "build", str(knowledge.root), *options)
    assert run_cli(*command, scanner=scanner).code == 0
    with serve_process(
        knowledge.root, *options, "--workers", "2", scanner=scanner
    ) as served:
        assert count_parsed(served, 2) == [0, 0]
        assert "The text of one." in await read_body(served, "one")


async def test_a_store_that_cannot_be_written_is_used(
    knowledge: KnowledgeBase, options: tuple[str, str], scanner: Scanner
) -> None:
    """D-165: as in an image; a change is parsed at each start."""
    command = ("index", "build", str(knowledge.root), *options)
    assert run_cli(*command, scanner=scanner).code == 0
    knowledge.write("patterns/three", body="Another text.\n")
    script = READ_ONLY.format(cache=options[1])
    prefix = (*namespaced(), "sh", "-ec", script, "sh")
    with serve_process(
        knowledge.root, *options, scanner=scanner, prefix=prefix
    ) as served:
        assert count_parsed(served) == [1]
        (line,) = served.running.wait_for_event("parsed cache not written")
        assert line["error"] == "Read-only file system"
        assert "Another text." in await read_body(served, "three")


async def test_a_deleted_store_is_made_again(
    knowledge: KnowledgeBase, options: tuple[str, str], scanner: Scanner
) -> None:
    """`index invalidate` deletes it, also while a server reads it."""
    command = (str(knowledge.root), *options)
    assert run_cli("index", "build", *command, scanner=scanner).code == 0
    with serve_process(knowledge.root, *options, scanner=scanner) as served:
        assert run_cli("index", "invalidate", *command, scanner=scanner).code == 0
        assert "The text of one." in await read_body(served, "one")
    # The server may have written it again before it ended.
    assert run_cli("index", "invalidate", *command, scanner=scanner).code == 0
    with serve_process(knowledge.root, *options, scanner=scanner) as served:
        assert count_parsed(served) == [len(list(knowledge.root.rglob("*.md")))]
        assert served.running.wait_for_event("parsed cache written")


async def test_nothing_is_stored_without_a_cache_folder(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """`--cache-dir off`."""
    options = ("--cache-dir", "off")
    before = sorted(tmp_path.iterdir())
    with serve_process(knowledge.root, *options, scanner=scanner) as served:
        assert "links" in await read_body(served, "links-to-hidden")
        events = [line["event"] for line in served.running.read_log()]
        assert "files loaded" not in events
    assert sorted(tmp_path.iterdir()) == before
