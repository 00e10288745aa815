"""Commands that write the website or parts of it: build, graph."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from click.testing import Result
from dulwich import porcelain
from dulwich.repo import Repo
from support.knowledge import KnowledgeBase

Invoke = Callable[..., Result]


def test_build_writes_a_site_and_says_how_much(
    invoke: Invoke, knowledge: KnowledgeBase, folder: Path
) -> None:
    """Without a public address it names the omitted files."""
    knowledge.write("concepts/a", title="A")
    result = invoke("build", "out", str(knowledge.root))
    assert result.exit_code == 0
    files = [file for file in (folder / "out").rglob("*") if file.is_file()]
    assert f"{len(files) - 1} files in out\n" in result.output
    assert "without --base-url no sitemap and no feed are written" in result.output
    assert (folder / "out/concepts/a.html").is_file()


def test_build_reports_its_progress(
    invoke: Invoke, knowledge: KnowledgeBase, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every file; a bar is shown on a terminal only."""
    steps: list[tuple[int, int]] = []

    @contextmanager
    def record(label: str) -> Iterator[Callable[[int, int], None]]:
        assert label == "Building"
        yield lambda done, total: steps.append((done, total))

    monkeypatch.setattr("asdlc_kb.cli.build.show_progress", record)
    result = invoke("build", "out", str(knowledge.root))
    assert [done for done, _ in steps] == [*range(1, len(steps) + 1)]
    assert all(done <= total for done, total in steps)
    assert f"{len(steps)} files in out\n" in result.stdout


def test_build_with_a_public_address_has_feeds(
    invoke: Invoke, knowledge: KnowledgeBase, folder: Path
) -> None:
    """Its path is in front of every link."""
    knowledge.write("concepts/a", title="A")
    base = "https://kb.example.com/x"
    result = invoke("build", "out", str(knowledge.root), "--base-url", base)
    assert result.exit_code == 0
    assert "without" not in result.output
    assert (
        b"https://kb.example.com/x/concepts/a"
        in (folder / "out/sitemap.xml").read_bytes()
    )
    assert b'href="/x/concepts/a"' in (folder / "out/index.html").read_bytes()


def test_build_calls_the_site_what_it_is_told(
    invoke: Invoke, knowledge: KnowledgeBase, folder: Path
) -> None:
    """A setting like all others: here one is a flag, the other in the file."""
    (folder / "asdlc-kb.toml").write_text('tagline = "What R&D knows"\n')
    result = invoke("build", "out", str(knowledge.root), "--title", "R&D")
    assert result.exit_code == 0
    assert "<h1>R&amp;D</h1>" in (folder / "out/index.html").read_text()
    head = (folder / "out/llms.txt").read_text()
    assert head.startswith("# R&D\n\n> What R&D knows\n")


def test_build_shows_when_pages_were_committed(
    invoke: Invoke, tmp_path: Path, folder: Path
) -> None:
    """D-201: the files have the date of the checkout."""
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "a.md").write_text("# A\n", encoding="utf-8")
    porcelain.init(tmp_path).close()
    author = b"Ada <ada@example.com>"
    with Repo(str(tmp_path)) as repo:
        porcelain.add(repo, [str(docs / "a.md")])
        porcelain.commit(
            repo,
            message=b"A",
            author=author,
            committer=author,
            commit_timestamp=1_700_000_000,
            commit_timezone=0,
        )
    result = invoke("build", "out", "--docs", str(docs))
    assert result.exit_code == 0
    page = (folder / "out/docs/a.html").read_text(encoding="utf-8")
    assert 'Updated <time datetime="2023-11-14">' in page


def test_build_refuses_a_folder_of_other_files(
    invoke: Invoke, knowledge: KnowledgeBase, folder: Path
) -> None:
    """Exit code 3: nothing is written."""
    (folder / "out").mkdir()
    (folder / "out/mine").write_text("x")
    result = invoke("build", "out", str(knowledge.root))
    assert result.exit_code == 3
    assert "contains other files" in result.output


def test_graph_writes_a_drawing_or_data(
    invoke: Invoke, knowledge: KnowledgeBase
) -> None:
    """SVG by default."""
    knowledge.write("concepts/a", title="A", relatedIds="[concepts/b]")
    knowledge.write("concepts/b", title="B")
    root = str(knowledge.root)
    assert "<svg" in invoke("graph", root).output
    dot = invoke("graph", root, "--format", "dot").output
    assert '"concepts/a" -> "concepts/b";' in dot
    written = invoke("graph", root, "--format", "json").stdout
    assert {"concepts/a", "concepts/b"} <= {
        n["id"] for n in json.loads(written)["nodes"]
    }


def test_graph_needs_articles(invoke: Invoke, folder: Path) -> None:
    """Exit code 3, with what to do."""
    (folder / "kb.toml").write_text('docs = "."\n')
    result = invoke("graph", "--config", "kb.toml")
    assert result.exit_code == 3
    assert "no articles: name a folder of articles" in result.output
