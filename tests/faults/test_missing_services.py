"""Services of the kernel that other systems lack: a row of the table of platforms."""

import http.client
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase, article_text
from support.processes import BOUND, Served, serve_process
from support.services_off import PROGRAM

from asdlc_kb.markup.html_renderer import MAX_CHEAP_CHARACTERS

NAMES = ["inotify", "leases", "inotify,leases"]
COSTLY = "Some *text*.\n\n" * (MAX_CHEAP_CHARACTERS // 10)
"""Markdown that is rendered in the second process only."""


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    """A tree with one page."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "guide.md").write_text("# Guide\n\nText.\n", encoding="utf-8")
    return folder


def serve_without(
    names: str, knowledge: KnowledgeBase, docs: Path, scanner: Scanner
) -> Iterator[Served]:
    """Serve in a process that lacks these services."""
    prefix = (sys.executable, str(PROGRAM), names)
    options = ("--docs", str(docs), "--log-level", "info")
    with serve_process(
        knowledge.root, *options, scanner=scanner, prefix=prefix
    ) as served:
        yield served


@pytest.fixture
def served(
    request: pytest.FixtureRequest,
    knowledge: KnowledgeBase,
    docs: Path,
    scanner: Scanner,
) -> Iterator[Served]:
    """A server that lacks the services of the parameter."""
    yield from serve_without(request.param, knowledge, docs, scanner)


def fetch(served: Served, path: str) -> tuple[int, str]:
    """Return the status and the text at an address."""
    connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=BOUND)
    connection.request("GET", path)
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, text


def wait_until(is_true: Callable[[], bool]) -> float:
    """Wait for a condition; return the seconds that it took."""
    started = time.monotonic()
    while not is_true():
        assert time.monotonic() - started < BOUND
        time.sleep(0.02)
    return time.monotonic() - started


@pytest.mark.parametrize("served", NAMES, indirect=True)
def test_every_kind_of_change_is_served(
    served: Served, knowledge: KnowledgeBase, docs: Path
) -> None:
    """New, replaced, written in place, moved to a new folder, hidden, deleted."""
    assert fetch(served, "/concepts/one")[0] == 404
    path = knowledge.write("concepts/one", title="First")
    wait_until(lambda: "First" in fetch(served, "/concepts/one")[1])
    knowledge.write("concepts/one", title="Second")
    wait_until(lambda: "Second" in fetch(served, "/concepts/one")[1])
    path.write_text(article_text("concepts/one", title="Third"), encoding="utf-8")
    wait_until(lambda: "Third" in fetch(served, "/concepts/one")[1])
    knowledge.write("recipes/two", title="Elsewhere")
    wait_until(lambda: "Elsewhere" in fetch(served, "/llms.txt")[1])
    knowledge.write("concepts/one", title="Third", status="Draft")
    wait_until(lambda: fetch(served, "/concepts/one")[0] == 404)
    (knowledge.root / "recipes" / "two.md").unlink()
    wait_until(lambda: "Elsewhere" not in fetch(served, "/llms.txt")[1])
    (docs / "guide.md").write_text("# Guide\n\nA pelican.\n", encoding="utf-8")
    wait_until(lambda: "/docs/guide" in fetch(served, "/search?q=pelican")[1])


@pytest.mark.parametrize("served", NAMES, indirect=True)
def test_a_folder_that_is_replaced_is_still_followed(
    served: Served, knowledge: KnowledgeBase
) -> None:
    """By the periodic scan, where events of the former folder ended."""
    knowledge.write("recipes/one", title="Before")
    wait_until(lambda: "Before" in fetch(served, "/recipes/one")[1])
    (knowledge.root / "recipes").rename(knowledge.root.parent / "away")
    wait_until(lambda: fetch(served, "/recipes/one")[0] == 404)
    (knowledge.root.parent / "away").rename(knowledge.root / "recipes")
    knowledge.write("recipes/one", title="After")
    wait_until(lambda: "After" in fetch(served, "/recipes/one")[1])


@pytest.mark.parametrize("served", ["processes"], indirect=True)
def test_without_a_second_process_a_text_is_shown_as_it_is_written(
    served: Served, knowledge: KnowledgeBase
) -> None:
    """A long one; short ones are rendered in the first process."""
    knowledge.write("concepts/plain", title="Plain", body="One *word*.\n")
    knowledge.write("concepts/costly", title="Costly", body=COSTLY)
    wait_until(lambda: fetch(served, "/concepts/costly")[0] == 200)
    wait_until(lambda: "<em>word</em>" in fetch(served, "/concepts/plain")[1])
    _, text = fetch(served, "/concepts/costly")
    assert "Some *text*." in text
    served.running.wait_for_event("rendering process failed")
    assert served.stop().code == 0
