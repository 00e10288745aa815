"""The grammar with bounded rules gives the same as CommonMark's own rules."""

from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from asdlc_kb.markup.grammar import MAX_LABEL, make_grammar, use_footnotes

PIECES = [
    *("[", "]", "(", ")", "![", "][", "](b)", '](b "c")', "[a]", "[^a]", "a", "b c"),
    *("`", "``", "*", "_", "\\", "<", ">", "<a>", "<http://a>", "\n", " ", "!", '"'),
]


@settings(max_examples=400, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join))
def test_links_and_pictures_are_those_of_commonmark(text: str) -> None:
    """Cached labels end where labels that are read again do."""
    text = f"[a]: b\n\n{text}"
    reference = MarkdownIt("commonmark").enable("table")
    assert make_grammar().render(text) == reference.render(text)


def test_a_footnote_is_referred_to_by_a_label_of_bounded_length() -> None:
    """CommonMark: a label has at most 999 characters."""
    grammar = make_grammar()
    use_footnotes(grammar)
    for length, count in ((MAX_LABEL, 1), (MAX_LABEL + 1, 0)):
        label = "a" * length
        html = grammar.render(f"[^{label}]\n\n[^{label}]: b\n")
        assert html.count('class="footnote-ref"') == count
