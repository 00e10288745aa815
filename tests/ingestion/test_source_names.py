"""The names of the sources that are stored."""

from pathlib import Path

import pytest
from support.generators import write_files
from support.stored_trees import load

from asdlc_kb.exceptions import SettingsError
from asdlc_kb.ingestion.source_names import list_sources, make_record
from asdlc_kb.settings import Settings


@pytest.mark.parametrize(
    ("docs", "content", "message"),
    [
        (("Articles=a",), None, "'articles': choose another name"),
        (("articles=a",), "b", "'articles': choose another name"),
        (("docs=a", "b"), None, "'docs': name that tree too"),
    ],
)
def test_a_name_of_another_source_is_refused(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    docs: tuple[str, ...],
    content: str | None,
    message: str,
) -> None:
    """Articles and the tree without a name are sources with fixed names."""
    write_files(tmp_path / "a", {"a.md": "# A\n"})
    write_files(tmp_path / "b", {"b.md": "# B\n"})
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingsError, match=message):
        list_sources(load(Settings(docs=docs, content=content)))
    sources = load(Settings(docs=("docs=a",)))
    assert list_sources(sources) == {"docs": "docs"}


def test_a_source_without_files_is_described_as_with_them() -> None:
    """A server serves it as the tree that it will be."""
    assert make_record("articles", "red").kind == "articles"
    assert make_record("docs", "").options == {}
    assert make_record("api", "red").options == {"tree": "api"}
    for name in ("Articles", "llms.txt", "two words", "", "a=b"):
        with pytest.raises(SettingsError, match="no source can have the name"):
            make_record(name, "")
