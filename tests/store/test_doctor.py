"""What `doctor` reports of a store."""

from pathlib import Path

from store.ingesting import Ingester
from support.files import save_over

from asdlc_kb.cli.doctor.store_checks import check_store
from asdlc_kb.settings import Settings


def test_the_sources_that_are_served_are_named(tmp_path: Path, database: str) -> None:
    """A chosen one that the store does not have is a warning."""
    ingester = Ingester(database)
    (empty,) = check_store(Settings(store=database))
    assert (empty.level, empty.message) == ("failure", "it has no source")
    save_over(tmp_path / "docs" / "a.md", "# A\n")
    for name in ("a", "b"):
        ingester.write(tmp_path / "docs", name, "docs")
    (found,) = check_store(Settings(store=database))
    assert (found.level, found.message) == ("ok", "2 sources: a, b")
    settings = Settings(store=database, store_source=("b", "c"))
    found, missing = check_store(settings)
    assert (found.level, found.message) == ("ok", "1 source: b")
    assert (missing.level, missing.message) == ("warning", "no source 'c'")
