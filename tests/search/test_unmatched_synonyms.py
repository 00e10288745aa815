"""Rules of synonyms without effect."""

from support.texts import Texts, document, section

from asdlc_kb.search.synonyms import parse_synonyms
from asdlc_kb.search.unmatched_synonyms import find_unmatched

RULES = """\
k8s, kubernetes
pull request, PR
pr => merge request
tag, nothing
name, nothing
heading, nothing
a pull, its request
xylophone, zebra
serveurs, nothing
xx => reviews
"""
SOURCES = (
    Texts(
        document(
            "a.md", "Kubernetes", "A request to pull. Its review.", tags=("Tags",)
        ),
        document("b.md", "B", "", section("Headings", "Text."), aliases=("Names",)),
    ),
    Texts(document("c.md", "C", "Le serveur démarre.", language="fr")),
)


def test_a_line_without_a_word_in_any_document_is_found() -> None:
    """Phrases are adjacent words, in any form; of one way only what is searched."""
    rules = parse_synonyms(RULES, "words.txt")
    unmatched = find_unmatched(rules, SOURCES)
    assert [rule.line for rule in unmatched] == [2, 3, 7, 8]
    assert find_unmatched(parse_synonyms("k8s, kubernetes", "x"), SOURCES) == ()
    assert len(find_unmatched(rules, ())) == len(rules.rules)
