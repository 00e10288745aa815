"""The measurement of answers: its questions, its clients, and its trees."""

import hashlib
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from asdlc_kb.articles.library import ArticleLibrary
from benchmarks.answers.client_views import (
    CLIENTS,
    MAX_CODEX_CHARS,
    Result,
    view_in_claude_code,
    view_in_codex,
)
from benchmarks.answers.measurement import Measured, Received
from benchmarks.answers.probes import ARTICLES, SOURCES, Probe, list_probes
from benchmarks.answers.questions import has_words, read_subjects
from benchmarks.answers.tables import group_by_kind, show_findings, show_sizes
from benchmarks.answers.trees import Tree, prepare_tree
from benchmarks.cache import ROOT
from benchmarks.failure import BenchFailure

_ONE = {"content": [{"type": "text", "text": '[{"slug":"rot"}]'}]}
_TWO = {"content": [*_ONE["content"], {"type": "text", "text": "1 of 3 shown."}]}
_ALL = {
    "content": [
        *_TWO["content"],
        {
            "type": "resource_link",
            "uri": "kb://article/rot",
            "name": "rot",
            "title": "Rot",
            "description": "Why",
        },
    ],
    "structuredContent": {"articles": [{"slug": "rot"}], "total": 3},
}


@pytest.mark.parametrize("client", CLIENTS)
def test_every_client_shows_all_texts_of_a_result_of_texts(client: str) -> None:
    """With one text and a note, the model gets both."""
    shown = CLIENTS[client](_TWO)
    assert has_words(shown, ("rot", "1 of 3 shown"))


@pytest.mark.parametrize(
    ("client", "seen", "unseen"),
    [
        ("Claude Code", ("total", "Resource link: rot", "(Why)"), "1 of 3"),
        ("Codex", ("total",), "kb://"),
        ("Gemini CLI", ("1 of 3", "Resource Link: Rot at kb://article/rot"), "total"),
        ("VS Code", ("total", "kb://article/rot"), "1 of 3"),
        ("openai-agents", ("1 of 3", "Why", "kb://article/rot"), "total"),
        ("langchain", ("1 of 3", "kb://article/rot"), "total"),
        ("pydantic-ai", ("1 of 3",), "total"),
    ],
)
def test_clients_differ_in_what_they_show_of_a_result_with_structure_and_links(
    client: str, seen: Sequence[str], unseen: str
) -> None:
    """Some drop the texts, some the structure, and some show it all twice."""
    shown = CLIENTS[client](_ALL)
    assert all(part in shown for part in seen)
    assert unseen not in shown


def test_claude_code_shows_links_first() -> None:
    """What it shows last is cut first."""
    assert view_in_claude_code(_ALL).startswith("[Resource link: rot]")


def test_codex_cuts_the_middle_of_a_long_result() -> None:
    """Beginning and end remain."""
    text = "begin" + "x" * 2 * MAX_CODEX_CHARS + "end"
    long: Result = {"content": [{"type": "text", "text": text}]}
    shown = view_in_codex(long)
    assert "begin" in shown
    assert "end" in shown
    assert len(shown) < MAX_CODEX_CHARS + 50


def test_claude_code_replaces_a_result_that_is_too_large() -> None:
    """The model gets only where it was saved."""
    long: Result = {"content": [{"type": "text", "text": "x" * 60_000}]}
    assert view_in_claude_code(long).startswith("<persisted-output>")


@pytest.mark.parametrize(
    "text",
    [
        "The container separates power",
        "the *container*\nseparates `power`",
        '[{"passage":"The container\\nseparates *power*."}]',
        '[{"text":"[{\\"passage\\":\\"The container\\\\nseparates power\\"}]"}]',
    ],
)
def test_words_are_found_whatever_their_marks_and_escapes(text: str) -> None:
    """A client's text may be Markdown, JSON or JSON in JSON."""
    assert has_words(text, ("The container separates power",))
    assert not has_words(text, ("The container separates files",))


def test_the_words_of_each_question_stand_in_its_article() -> None:
    """An answer without its words cannot be found."""
    articles = ArticleLibrary(ROOT / "content").load().by_id
    for subject in read_subjects(ARTICLES):
        assert has_words(articles[subject.document].body, subject.words), subject


def test_there_are_enough_questions_of_each_kind() -> None:
    """20 of each form on our own content, and 20 on public trees."""
    counts: dict[str, int] = {}
    for source in SOURCES:
        for probe in list_probes(source):
            counts[probe.kind] = counts.get(probe.kind, 0) + 1
    forms = ("articles, question", "articles, phrase", "articles, keyword")
    assert [counts[form] for form in forms] == [20, 20, 20]
    assert counts["documentation, question"] >= 20


def _measured(kind: str, wire: int, *, is_found: bool) -> Measured:
    probe = Probe(kind, ARTICLES, "search_articles", {}, ("x",))
    received = Received(wire // 2, is_found, is_found_later=True)
    return Measured(probe, wire, dict.fromkeys(CLIENTS, received))


def test_the_tables_show_before_and_now() -> None:
    """A call that the older checkout does not take has no value before."""
    before = group_by_kind([_measured("question", 9_000, is_found=False)])
    now = group_by_kind(
        [
            _measured("question", 2_000, is_found=True),
            _measured("rows", 400, is_found=True),
        ]
    )
    first, second = show_sizes(now, before).rows
    assert first[:3] == ("question (1)", "9,000 → 2,000", "4,500 → 1,000")
    assert second[:3] == ("rows (1)", "400", "200")
    assert show_findings(now, before).rows == [
        ("question (1)", "0 → 1", "1", "2.00 → 1.00"),
        ("rows (1)", "1", "1", "1.00"),
    ]


def _make_tree(archive: Path, digest: str) -> Tree:
    def copy(requirement: str, folder: Path) -> None:
        (folder / requirement).write_bytes(archive.read_bytes())

    return Tree("manual", "manual.tar.gz", copy, digest, "package/docs")


def _make_archive(folder: Path) -> Path:
    docs = folder / "package" / "docs"
    docs.mkdir(parents=True)
    (docs / "page.md").write_text("# Page\n")
    (folder / "package" / "code.js").write_text("1\n")
    archive = folder / "manual.tar.gz"
    with tarfile.open(archive, "w:gz") as members:
        members.add(folder / "package", "package")
    return archive


def test_a_tree_is_the_folder_of_a_pinned_archive(tmp_path: Path) -> None:
    """Only the documentation is kept, and it is downloaded once."""
    archive = _make_archive(tmp_path)
    tree = _make_tree(archive, hashlib.sha256(archive.read_bytes()).hexdigest())
    folder = prepare_tree(tree, tmp_path / "cache")
    assert [path.name for path in folder.iterdir()] == ["page.md"]
    archive.unlink()
    assert prepare_tree(tree, tmp_path / "cache") == folder


def test_an_archive_with_another_digest_is_refused(tmp_path: Path) -> None:
    """Figures over another text could not be compared."""
    tree = _make_tree(_make_archive(tmp_path), "0" * 64)
    with pytest.raises(BenchFailure, match="digest"):
        prepare_tree(tree, tmp_path / "cache")
    assert list((tmp_path / "cache" / "trees").iterdir()) == []
