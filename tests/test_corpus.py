"""All sources as one: their counts and problems."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from support.files import ordinary_user, save_in_place
from support.knowledge import KnowledgeBase
from support.library import loaded, rescan

from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.corpus import Corpus, SourceKind
from asdlc_kb.docs.generators import read_configuration
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.files.problem import Problem
from asdlc_kb.files.snapshot import Snapshot
from asdlc_kb.search.evaluation import Case
from asdlc_kb.store import values


def test_a_corpus_counts_what_can_be_seen_of_each_source(
    knowledge: KnowledgeBase,
) -> None:
    """Hidden articles are no part of the count."""
    library = loaded(knowledge)
    corpus = Corpus((library,))
    assert list(corpus) == [library]
    assert corpus.count() == {"articles": len(library.catalog.articles)}
    assert library.catalog.hidden_count > 0


def test_the_kinds_of_sources_are_the_same_on_every_layer() -> None:
    """The store and the cases of evaluations name them without importing the corpus."""
    kinds = set(get_args(SourceKind))
    assert set(get_args(values.SourceKind)) == kinds
    named, _ = get_args(get_type_hints(Case)["source"])
    assert set(get_args(named)) == kinds


def test_a_corpus_was_seen_once_every_root_was(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """D-130: a named root may appear later; until then the server is not ready."""
    later = ArticleLibrary(tmp_path / "later")
    corpus = Corpus((loaded(knowledge), later))
    later.load()
    assert not corpus.was_seen
    (tmp_path / "later").mkdir()
    later.load()
    assert corpus.was_seen


def test_problems_come_with_their_source(knowledge: KnowledgeBase) -> None:
    """Two sources may each have a file of the same path."""
    knowledge.save(knowledge.root / "concepts" / "broken-one.md", "no frontmatter")
    library = loaded(knowledge)
    problems = Corpus((library,)).problems()
    assert all(source is library for source, _ in problems)
    assert "concepts/broken-one.md" in [problem.path for _, problem in problems]


def test_problems_of_what_is_hidden_are_not_exposed(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """D-272: neither those of drafts nor those of files without a status."""
    library, later = loaded(knowledge), ArticleLibrary(tmp_path / "later")
    corpus = Corpus((library, later))
    for name in ("one", "two"):
        knowledge.write(f"concepts/{name}", status="Draft", lastUpdated="never")
    knowledge.save(knowledge.root / "concepts" / "broken-one.md", "no frontmatter")
    rescan(library)
    assert len(corpus.problems()) > 2
    assert corpus.count_exposed_problems() == 0
    later.load()
    assert corpus.count_exposed_problems() == 1
    knowledge.write("concepts/three", lastUpdated="never")
    rescan(library)
    assert corpus.count_exposed_problems() == 2
    knowledge.write("concepts/links-to-hidden", body="Zero\u200bwidth.\n")
    rescan(library)
    assert corpus.count_exposed_problems() == 3


def test_problems_of_pages_and_of_their_configuration_are_exposed(
    tmp_path: Path,
) -> None:
    """D-272: a configuration that cannot be used hides every page."""
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "draft.md").write_text("---\ndraft: true\n---\n# Zero\u200bwidth\n")
    (folder / "open.md").write_text("# Zero\u200bwidth\n")
    counts = []
    for text in ("site_name: X\n", "nav: [\n"):
        (tmp_path / "mkdocs.yml").write_text(text)
        library = DocLibrary(folder, lambda: read_configuration(folder))
        library.load()
        exposed = Corpus((library,)).count_exposed_problems()
        counts.append((len(library.catalog.by_path), exposed))
    assert counts == [(1, 1), (0, 1)]


@pytest.mark.parametrize("kind", ["articles", "docs"])
def test_what_may_not_be_read_is_exposed_and_named_by_its_reason(
    kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    """D-272: its status is unknown, unless it was read before and is hidden."""
    with ordinary_user() as root:
        text = "---\ntitle: T\nstatus: Draft\ndraft: true\n---\nx\n"
        hidden = save_in_place(root / "concepts" / "hidden.md", text)
        save_in_place(root / "patterns" / "never.md", text).chmod(0)
        save_in_place(root / "closed" / "page.md", text)
        (root / "closed").chmod(0)
        library: ArticleLibrary | DocLibrary = ArticleLibrary(root)
        if kind == "docs":
            library = DocLibrary(root, lambda: read_configuration(root))
        corpus = Corpus((library,))
        caplog.set_level("WARNING")
        library.load()
        problems = library.catalog.snapshot.problem_count
        (logged,) = (r for r in caplog.records if "has problems" in r.getMessage())
        assert vars(logged)["reason"] == "Permission denied"
        assert (vars(logged)["problems"], vars(logged)["KB001"]) == (problems, 2)
        assert corpus.count_exposed_problems() == 2
        hidden.chmod(0)
        library.load()
        assert "KB001" in {
            problem.code
            for problem in library.catalog.snapshot.all_problems()
            if problem.path == "concepts/hidden.md"
        }
        assert corpus.count_exposed_problems() == 2
        for path in (root / "closed", root / "patterns" / "never.md"):
            path.chmod(0o700)
        library.load()
        assert corpus.count_exposed_problems() == 0


def test_exposed_problems_are_counted_once_for_each_catalog(
    knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However often a probe asks; a change shows at once."""
    counted: list[int] = []

    def count(snapshot: Snapshot[Any]) -> Iterator[Problem]:
        counted.append(snapshot.generation)
        return original(snapshot)

    original = Snapshot.iterate_problems
    library = loaded(knowledge)
    corpus = Corpus((library, loaded(knowledge)))
    monkeypatch.setattr(Snapshot, "iterate_problems", count)
    assert [corpus.count_exposed_problems() for _ in range(3)] == [0] * 3
    assert len(counted) == 2
    knowledge.write("concepts/broken-one", lastUpdated="never")
    rescan(library)
    counted.clear()
    assert corpus.count_exposed_problems() == 1
    assert len(counted) == 1
