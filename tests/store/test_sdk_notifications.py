"""The official Python SDK with servers of a store whose folder is followed."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from clients.test_python_sdk_changes import (
    content as content,
)
from clients.test_python_sdk_changes import (
    test_a_client_that_listens_is_told as test_a_client_that_listens_is_told,
)
from clients.test_python_sdk_changes import (
    test_a_client_with_a_session_is_told as test_a_client_with_a_session_is_told,
)
from store.test_ingest import skip_array
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import start_cli


@pytest.fixture
def sources(
    content: KnowledgeBase, database: str, tmp_path: Path, scanner: Scanner
) -> Iterator[tuple[str, ...]]:
    """The words of a command line for a store into which the folder is written."""
    words = ("--store", database, "--cache-dir", str(tmp_path / "cache"))
    arguments = ("ingest", content.root, "--follow", "--json", *words)
    with start_cli(*arguments, scanner=scanner, cwd=tmp_path) as follower:
        skip_array(follower)
        yield words
