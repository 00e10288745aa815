"""What is configured, and where its indexes are kept."""

from pathlib import Path

import pytest
from support.knowledge import VISIBLE_COUNT, KnowledgeBase
from support.peers import (
    VERSIONS,
)

from asdlc_kb.app import (
    find_content,
    open_sources,
)
from asdlc_kb.exceptions import HostError
from asdlc_kb.settings import Settings

STATELESS = VERSIONS[-1]


def test_a_named_folder_is_taken_whether_it_is_there_or_not(tmp_path: Path) -> None:
    """File faults: a named folder that is missing may appear later."""
    settings = Settings(content=str(tmp_path / "later"))
    assert find_content(settings) == tmp_path / "later"


def test_a_relative_folder_does_not_depend_on_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The root is absolute from the start."""
    monkeypatch.chdir(tmp_path)
    assert find_content(Settings(content="kb")) == tmp_path / "kb"


def test_content_here_is_the_default(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design, what is served: `content/`; without it the machine refuses."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(HostError, match="no content: name a folder"):
        find_content(Settings())
    (tmp_path / "content").write_text("a file is no folder")
    with pytest.raises(HostError, match="no content: name a folder"):
        find_content(Settings())
    (tmp_path / "content").unlink()
    (tmp_path / "content").mkdir()
    assert find_content(Settings()) == tmp_path / "content"


def test_the_library_is_of_the_configured_folder(knowledge: KnowledgeBase) -> None:
    """One-shot commands and servers open the same library."""
    sources = open_sources(Settings(content=str(knowledge.root)))
    assert sources.articles is not None
    assert sources.articles.root == knowledge.root
    assert len(sources.articles.load().articles) == VISIBLE_COUNT
