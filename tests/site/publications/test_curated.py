"""The authors' own llms.txt on the site."""

from pathlib import Path

import pytest
from support.canary import CANARY
from support.docs import DocsTree
from support.editions import write_editions
from support.knowledge import KnowledgeBase
from support.pages import PERSON
from support.peers import open_app, serving
from support.publishing import BASE, TITLE, find_page, open_docs, open_site
from support.wire import ask

from asdlc_kb.site.publications import llms

INDEX = """# Mine

> Written by
> its authors.

Some words.

## First

- [A](a.md): the first one
- [Secret](known-draft.md): a draft
- [Elsewhere](https://other.example/)

## Drafts

- [Secret](/known-draft/)

## Optional

- [B](guide/b.md#part)
- [All](llms-full.txt)
"""

SHOWN = """Some words.

## First

- [A](/docs/a.md): the first one
- [Elsewhere](https://other.example/)

## Optional

- [B](/docs/guide/b.md#part)
- [All](/llms-full.txt)
"""


@pytest.fixture
def tree(tmp_path: Path) -> DocsTree:
    """Return documentation with an index of its authors."""
    tree = DocsTree(tmp_path / "docs")
    tree.write("a.md", "# A\n")
    tree.write("guide/b.md", "# B\n\n## Part\n")
    tree.write("llms.txt", INDEX)
    return tree


def test_it_is_served_as_it_is_but_for_links(tree: DocsTree) -> None:
    """Links lead to Markdown of this site; what is hidden is not named."""
    page = find_page(open_site(None, tree), "/docs/llms.txt")
    title = "# Mine\n\n> Written by\n> its authors.\n\n"
    assert page.body.decode() == title + SHOWN
    assert page.type == "text/plain; charset=utf-8"


def test_it_replaces_the_list_of_pages(tree: DocsTree) -> None:
    """The site has its own title and says where all of it is."""
    site = open_site(None, tree)
    page = find_page(site, "/llms.txt")
    head, _, rest = page.body.decode().partition("at /mcp.\n\n")
    assert head.startswith(f"# {TITLE}\n\n> Written by its authors.\n\nEach page is ")
    assert rest == SHOWN
    assert find_page(site, "/.well-known/llms.txt").body == page.body


def test_links_are_absolute_if_the_public_address_is_known(tree: DocsTree) -> None:
    """As in every text that is read elsewhere."""
    body = find_page(open_site(None, tree, f"{BASE}/kb"), "/docs/llms.txt").body
    assert f"[A]({BASE}/kb/docs/a.md)".encode() in body


def test_next_to_articles_it_is_one_entry(
    tree: DocsTree, knowledge: KnowledgeBase
) -> None:
    """Its sections would be taken for categories."""
    knowledge.write("concepts/a", title="One", description="d")
    text = find_page(open_site(knowledge, tree), "/llms.txt").body.decode()
    assert text.endswith(
        "\n## Documentation\n\n- [Mine](/docs/llms.txt): Written by its authors.\n"
    )
    assert "## Concepts" in text
    assert "/docs/a.md" not in text


def test_one_that_leads_to_no_page_is_an_entry_above_the_pages(
    tree: DocsTree,
) -> None:
    """The list of pages is not lost."""
    tree.write("llms.txt", "# Mine\n\nAll you need to know.\n")
    site = open_site(None, tree)
    text = find_page(site, "/llms.txt").body.decode()
    assert "## Documentation\n\n- [Mine](/docs/llms.txt)\n" in text
    assert "- [A](/docs/a.md)\n" in text
    body = find_page(site, "/docs/llms.txt").body
    assert body == b"# Mine\n\nAll you need to know.\n"


def test_a_long_one_has_its_own_address_only(
    tree: DocsTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list of sections leads to it."""
    monkeypatch.setattr(llms, "MAX_CHARS", 300)
    site = open_site(None, tree)
    text = find_page(site, "/llms.txt").body.decode()
    assert "- [Documentation](/docs/llms.txt): " in text
    assert "(/docs/a.md)" not in text
    assert b"(/docs/a.md)" in find_page(site, "/docs/llms.txt").body


def test_each_named_tree_has_its_own(tree: DocsTree, tmp_path: Path) -> None:
    """Written by its authors or generated; the list of all trees leads to the first."""
    other = DocsTree(tmp_path / "other")
    other.write("c.md", "# C\n")
    other.write("llms.txt.md", "# About\n")
    site = open_docs(str(other.root), f"api={tree.root}", f"cli={other.root}")
    own = find_page(site, "/docs/api/llms.txt").body.decode()
    assert own.startswith("# Mine\n\n> Written by")
    assert "- [A](/docs/api/a.md): the first one\n- [Elsewhere]" in own
    generated = find_page(site, "/docs/cli/llms.txt").body.decode()
    assert generated.startswith(f"# {TITLE}: cli\n\n")
    assert "- [C](/docs/cli/c.md)\n" in generated
    assert "(/docs/c.md)" not in generated
    for path in ("/llms.txt", "/docs/llms.txt"):
        text = find_page(site, path).body.decode()
        assert "- [Mine](/docs/api/llms.txt): Written by its authors.\n" in text
        assert "(/docs/api/a.md)" not in text
        assert "- [C](/docs/c.md)\n" in text
        assert "- [C](/docs/cli/c.md)\n" in text
    assert b"About" in find_page(site, "/docs/llms.txt.md").body
    assert b"About" in find_page(site, "/docs/cli/llms.txt.md").body


def test_hidden_pages_of_other_versions_are_not_named(tmp_path: Path) -> None:
    """By their published addresses, which otherwise stay."""
    root = write_editions(tmp_path / "site")
    config = "docusaurus.config.js"
    text = (root / config).read_text().replace("{", f'{{url: "{BASE}", ', 1)
    (root / config).write_text(text)
    hidden = "---\ndraft: true\n---\n# Hidden\n"
    (root / "versioned_docs" / "version-1.9" / "secret.md").write_text(hidden)
    links = (f"{BASE}/docs/1.9/secret", f"{BASE}/docs/1.9/missing", f"{BASE}/blog")
    entries = "".join(f"- [x]({link})\n" for link in links)
    (root / "static").mkdir()
    (root / "static" / "llms.txt").write_text(f"# T\n\n{entries}- [I](/docs/intro)\n")
    text = find_page(open_docs(str(root)), "/docs/llms.txt").body.decode()
    assert "secret" not in text
    assert f"({BASE}/blog)" in text
    assert "- [I](/docs/" in text


def test_that_of_the_unnamed_tree_goes_before_the_other_trees(
    tree: DocsTree, tmp_path: Path
) -> None:
    """Nothing of them is lost."""
    other = DocsTree(tmp_path / "other")
    other.write("c.md", "# C\n")
    site = open_docs(str(tree.root), f"api={other.root}")
    for path in ("/llms.txt", "/docs/llms.txt"):
        text = find_page(site, path).body.decode()
        assert text.index("## Optional") < text.index("- [C](/docs/api/c.md)\n")
        assert text.count("(/docs/a.md)") == 1


async def test_it_is_as_current_as_its_file(tree: DocsTree) -> None:
    """Changed, deleted and new: at the next request, at each address."""
    paths = ("/llms.txt", "/.well-known/llms.txt", "/docs/llms.txt")
    async with serving(open_app(None, docs=tree)) as site:

        async def read() -> set[bool]:
            answers = [await ask(site.port, "GET", path, PERSON) for path in paths]
            assert not any(CANARY.encode() in answer.body for answer in answers)
            return {b"/docs/a.md): the " in answer.body for answer in answers}

        for _ in range(2):
            assert await read() == {True}
        (tree.root / "llms.txt").unlink()
        assert await read() == {False}
        tree.write("llms.txt", INDEX)
        assert await read() == {True}
        tree.write("llms.txt", INDEX.replace("the first one", "one"))
        assert await read() == {False}


async def test_a_page_that_becomes_hidden_is_no_longer_named(tree: DocsTree) -> None:
    """As in every list."""
    async with serving(open_app(None, docs=tree)) as site:
        before = await ask(site.port, "GET", "/docs/llms.txt", PERSON)
        assert b"the first one" in before.body
        tree.write("a.md", "---\ndraft: true\n---\n# A\n")
        assert (await ask(site.port, "GET", "/docs/a", PERSON)).status == 404
        after = await ask(site.port, "GET", "/docs/llms.txt", PERSON)
        assert b"the first one" not in after.body
