"""Search terms in frontmatter: names, but no addresses."""

import pytest

from asdlc_kb.frontmatter.search_terms import (
    MAX_TERM_CHARS,
    MAX_TERMS,
    is_address,
    select_terms,
)


@pytest.mark.parametrize(
    "text",
    [
        *("/", "/old/path/", "/blog/2019/post", "old/", "./near", "../up", "//x"),
        *("https://example.com/a", "old/page.html", "page.md", "a.mdx", "a.htm"),
        *("posts/my-old-title", "old-section/page"),
    ],
)
def test_former_addresses_are_no_terms(text: str) -> None:
    """As Hugo, Jekyll and Docusaurus write them."""
    assert is_address(text)
    assert select_terms([text, "RAG"]) == ("RAG",)


@pytest.mark.parametrize(
    "text",
    [
        *("RAG", "CI/CD", "TCP/IP", "client/server", "and/or", "Node.js", ".NET"),
        *("retrieval-augmented generation", "input / output", "my-note", "v1.2"),
        *("CI/CD-pipeline", "C++", "缓存"),
    ],
)
def test_names_are_terms_whatever_characters_they_have(text: str) -> None:
    """A slash alone makes no address."""
    assert select_terms([text]) == (text,)


def test_terms_are_bounded_in_number_and_length() -> None:
    """Repeated ones count once."""
    names = [f"name {number}" for number in range(MAX_TERMS + 1)]
    assert select_terms([*names, *names]) == tuple(names[:-1])
    assert select_terms([names[0], *names]) == tuple(names[:-1])
    longest = "x" * MAX_TERM_CHARS
    assert select_terms([longest, f"{longest}x"]) == (longest,)
