"""Maintenance of the indexes: build, validate, info, invalidate."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result
from support.knowledge import VISIBLE_COUNT, KnowledgeBase

from asdlc_kb.search.index.directory import VECTORS
from asdlc_kb.search.index.manifest import MANIFEST
from asdlc_kb.search.service.fulltext import FullText
from asdlc_kb.search.values import DocumentSource

Invoke = Callable[..., Result]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A small documentation tree."""
    root = tmp_path / "docs"
    root.mkdir()
    for name in ("one", "two", "three"):
        (root / f"{name}.md").write_text(f"# {name}\n\nA pelican.\n")
    return root


@pytest.fixture
def ask(
    invoke: Invoke, knowledge: KnowledgeBase, tree: Path, tmp_path: Path
) -> Callable[..., tuple[int, list[dict[str, Any]]]]:
    """Run `index ... --json` over articles and pages; return code and rows."""

    def run(command: str) -> tuple[int, list[dict[str, Any]]]:
        sources = (str(knowledge.root), "--docs", str(tree))
        cache = ("--cache-dir", str(tmp_path / "cache"))
        result = invoke("index", command, *sources, *cache, "--json")
        return result.exit_code, json.loads(result.stdout)

    return run


Ask = Callable[..., tuple[int, list[dict[str, Any]]]]


def test_an_index_goes_through_its_life(ask: Ask, tree: Path) -> None:
    """Build, validate, info, invalidate, with their exit codes (D-127)."""
    code, rows = ask("validate")
    assert code == 1
    assert [(row["exists"], row["valid"]) for row in rows] == [(False, False)] * 2
    code, rows = ask("build")
    assert code == 0
    assert [row["source"] for row in rows] == ["articles", "docs"]
    assert [row["pages"] for row in rows] == [VISIBLE_COUNT, 3]
    assert all(row["changed"] and row["bytes"] > 0 for row in rows)
    code, rows = ask("validate")
    assert (code, [row["valid"] for row in rows]) == (0, [True, True])
    (tree / "four.md").write_text("# four\n")
    (tree / "one.md").write_text("# one, another time\n")
    (tree / "two.md").unlink()
    code, rows = ask("validate")
    assert (code, [row["valid"] for row in rows]) == (1, [True, False])
    docs = rows[1]
    assert (docs["added"], docs["changedPages"], docs["removed"]) == (1, 1, 1)
    assert ask("info")[0] == 0
    code, rows = ask("build")
    assert (code, [row["changed"] for row in rows]) == (0, [False, True])
    code, rows = ask("invalidate")
    assert (code, [row["deleted"] for row in rows]) == (0, [True, True])
    assert ask("validate")[0] == 1
    code, rows = ask("invalidate")
    assert (code, [row["deleted"] for row in rows]) == (0, [False, False])


def test_the_parsed_files_of_each_folder_are_shown(
    ask: Ask, invoke: Invoke, tree: Path, tmp_path: Path
) -> None:
    """`info` shows where they are, and whether the next start uses them (D-178)."""

    def list_stores() -> list[dict[str, Any]]:
        return [row for row in ask("info")[1] if "file" in row]

    articles, docs = list_stores()
    assert (articles["source"], articles["exists"], articles["bytes"]) == (
        *("articles", False),
        0,
    )
    assert (docs["root"], docs["files"], docs["filesToParse"]) == (str(tree), 0, 3)
    ask("build")
    articles, docs = list_stores()
    assert (docs["exists"], docs["fault"], docs["files"]) == (True, None, 3)
    assert docs["filesToParse"] == articles["filesToParse"] == 0
    store = Path(docs["file"])
    assert docs["bytes"] == store.stat().st_size
    (tree / "one.md").write_text("# one, another time\n")
    assert list_stores()[1]["filesToParse"] == 1
    store.write_bytes(store.read_bytes()[:-1])
    assert list_stores()[1]["fault"] == "it is damaged"


def test_damage_is_found_and_mended(ask: Ask) -> None:
    """Validate reports it, build makes the index again."""
    _, rows = ask("build")
    (Path(rows[1]["folder"]) / MANIFEST).write_bytes(b"{}")
    code, rows = ask("validate")
    assert (code, rows[1]["fault"]) == (1, "its manifest is malformed")
    assert ask("build")[0] == 0
    assert ask("validate")[0] == 0


def test_what_is_written_says_it_in_words(
    invoke: Invoke, tree: Path, tmp_path: Path
) -> None:
    """One line for each index, and where it is."""
    arguments = ("--docs", str(tree), "--cache-dir", str(tmp_path / "cache"))

    def first_line(command: str) -> str:
        return invoke("index", command, *arguments).stdout.splitlines()[0]

    def store_line() -> str:
        return invoke("index", "info", *arguments).stdout.splitlines()[2]

    assert first_line("info") == "docs: no index yet, 3 pages to index"
    assert store_line() == "docs: no parsed files yet, 3 files to parse"
    assert first_line("invalidate") == "docs: no index"
    assert first_line("build") == "docs: 3 pages, 0.0 MiB, up to date"
    (tree / "one.md").write_text("# one, another time\n")
    (tree / "four.md").write_text("# four\n")
    assert first_line("info") == "docs: 3 pages, 0.0 MiB, 1 new, 1 changed"
    assert store_line() == "docs: 3 parsed files, 0.0 MiB, 2 files to parse"
    (store,) = (tmp_path / "cache" / "parsed").iterdir()
    store.write_bytes(b"")
    assert store_line() == "docs: parsed files will be stored again: it is damaged"
    (folder,) = (tmp_path / "cache").glob("docs-*")
    (folder / MANIFEST).write_bytes(b"")
    fault = "its manifest is malformed"
    assert first_line("validate") == f"docs: will be rebuilt: {fault}"
    assert first_line("invalidate") == "docs: deleted"


@pytest.mark.parametrize("command", ["build", "validate", "info", "invalidate"])
def test_an_index_in_memory_cannot_be_looked_after(
    invoke: Invoke, tree: Path, command: str
) -> None:
    """Exit code 3, and what to do."""
    result = invoke("index", command, "--docs", str(tree), "--cache-dir", "off")
    assert result.exit_code == 3
    assert result.stderr == (
        "asdlc-kb: indexes are kept in memory: set cache_dir to a folder\n"
    )


@pytest.mark.parametrize("command", ["build", "invalidate"])
def test_an_index_in_use_is_left_alone(
    invoke: Invoke, tree: Path, tmp_path: Path, command: str
) -> None:
    """A server maintains its own index."""
    arguments = ("--docs", str(tree), "--cache-dir", str(tmp_path / "cache"))
    assert invoke("index", "build", *arguments).exit_code == 0
    (folder,) = (tmp_path / "cache").glob("docs-*")
    used = FullText(folder)
    used.sync(_Nothing())
    result = invoke("index", command, *arguments)
    used.close()
    assert result.exit_code == 3
    assert "a running server keeps its index up to date" in result.stderr


class _Nothing(DocumentSource):
    """A source without documents."""

    def digests(self) -> dict[str, bytes]:
        """Return none."""
        return {}

    def document(self, key: str) -> Any:
        """Never asked."""
        raise KeyError(key)


def test_a_build_reports_its_progress(
    invoke: Invoke, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every page; a bar is shown on a terminal only."""
    steps: list[tuple[int, int]] = []

    @contextmanager
    def record(label: str) -> Iterator[Callable[[int, int], None]]:
        assert label == "Indexing docs"
        yield lambda done, total: steps.append((done, total))

    monkeypatch.setattr("asdlc_kb.cli.index.show_progress", record)
    assert invoke("index", "build", "--docs", str(tree)).exit_code == 0
    assert steps[-1] == (3, 3)


def test_vectors_are_built_and_counted_if_meaning_counts(
    invoke: Invoke, tree: Path, tmp_path: Path
) -> None:
    """They go with the index."""
    cache = tmp_path / "cache"
    options = ("--docs", str(tree), "--cache-dir", str(cache), "--semantic")

    def run(command: str, *more: str) -> Any:
        result = invoke("index", command, *options, *more)
        assert result.exit_code == 0
        return json.loads(result.stdout) if more else result.stdout

    assert "embeddedPages" not in run("build", "--json")[0]
    row = run("info", "--json")[0]
    assert (row["embeddedPages"], row["embeddedSections"]) == (3, 3)
    assert ", 3 of them with vectors, up to date" in run("info")
    assert list(cache.rglob(VECTORS))
    run("invalidate")
    assert not list(cache.rglob(VECTORS))
