"""Lines of a file of synonyms that find nothing."""

from pathlib import Path

from support.docs import DocsTree
from support.knowledge import KnowledgeBase

from asdlc_kb.cli.sources import open_sources
from asdlc_kb.cli.synonym_checks import check_synonyms
from asdlc_kb.settings import Settings


def test_articles_and_pages_are_searched_but_nothing_hidden(
    knowledge: KnowledgeBase, tmp_path: Path
) -> None:
    """The words of a draft find nothing."""
    knowledge.write("concepts/heron", title="Heron")
    knowledge.write("concepts/stork", title="Stork", status="Draft")
    tree = DocsTree(tmp_path / "docs")
    tree.write("nest.md", "# Nests\n\nOf twigs.\n")
    words = tmp_path / "words.txt"
    words.write_text("egret, heron\nreed, twig\ncicogna => stork\n")
    sources = open_sources(
        Settings(
            content=str(knowledge.root), docs=(str(tree.root),), synonyms=str(words)
        )
    )
    ((folder, problem),) = check_synonyms(sources, str(words))
    assert folder == tmp_path
    assert str(problem) == (
        "words.txt:3:1: KB060 no visible text has 'stork': correct or remove the line"
    )
    assert list(check_synonyms(sources, None)) == []
