"""Sources as writers and readers list them."""

from store.snapshots import WrittenSource

from asdlc_kb.store.database import BoundedConnection
from asdlc_kb.store.source_rows import read_sources


def test_sources_are_listed_by_name(connection: BoundedConnection) -> None:
    """With all that a reader may know of them."""
    options = {"dialect": "mkdocs", "label": "Ü"}
    number = WrittenSource(connection, "b", "docs", "team", options).write({"x": b"12"})
    WrittenSource(connection, "a", "articles").write({}, {"hidden": b"12"})
    first, second = read_sources(connection)
    assert (first.name, first.kind, first.options) == ("a", "articles", {})
    assert (first.owner, first.file_count, first.byte_count) == ("", 0, 0)
    assert (second.name, second.kind, second.options) == ("b", "docs", options)
    assert (second.owner, second.snapshot) == ("team", number)
    assert (second.file_count, second.byte_count) == (1, 2)
    assert second.updated_at > 0
