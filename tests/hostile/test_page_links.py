"""Links in content: they lead to pages and articles, nowhere else."""

from pathlib import Path
from typing import Any

import pytest
from support.canary import CANARY, Scanner
from support.docs import DocsTree
from support.files import save_in_place
from support.knowledge import KnowledgeBase, article_text, settled_clock
from support.peers import message, open_app, serving, stdio_peer
from support.racing import Swap, swap_at_each_moment

from asdlc_kb.app import Runtime
from asdlc_kb.articles.library import ArticleLibrary
from asdlc_kb.docs.library import DocLibrary

PAGE_LINKS = {
    "x.md": "../.env",
    "git.md": "../.git/x.md",
    "passwd.md": "/etc/passwd",
    "key.md": "../keys/server.pem",
    "data.md": "../data/settings.yaml",
    "package.md": "../node_modules/p/README.md",
    "folder": "../.git",
    "up": "../.hidden",
}
PAGE_SECRETS = (
    *(".env", ".git/x.md", "keys/server.pem", "data/settings.yaml"),
    *("node_modules/p/README.md", ".hidden/y.md"),
)
PAGES = ("/", "/docs/", "/llms.txt", "/llms-full.txt", "/docs/llms.txt", "/sitemap.xml")


async def read_pages(app: Runtime, names: tuple[str, ...]) -> None:
    """Request the link targets as pages, as Markdown, over MCP and in publications."""
    async with serving(app) as site:
        for folder in PAGES:
            await site.fetch(folder)
        for name in names:
            for ending in ("", ".md", ".html"):
                for top in ("", "/docs", "/concepts"):
                    await site.fetch(f"{top}/{name.removesuffix('.md')}{ending}")
        await site.post(message("tools/list"))


async def test_no_link_of_a_documentation_tree_leads_to_what_is_no_page(
    tmp_path: Path, scanner: Scanner
) -> None:
    """To hidden files, keys, other files, packages; file by file and as folders."""
    tree = DocsTree(tmp_path / "docs")
    secret = f"# {CANARY}\n\nSays {CANARY}.\n"
    for path in PAGE_SECRETS:
        tree.write(path, secret)
    tree.write("guide/good.md", "# Good\n\nText.\n")
    for name, target in PAGE_LINKS.items():
        (tree.root / "guide" / name).symlink_to(target)
    (tree.root / "guide" / "kept.md").symlink_to("good.md")
    app = open_app(None, docs=tree, base_url="http://kb.example.com")
    names = tuple(f"guide/{name}" for name in (*PAGE_LINKS, "folder/x", "up/y"))
    await read_pages(app, names)
    async with stdio_peer(app, "2025-11-25", scanner) as peer:
        for name in names:
            await peer.call("get_doc_page", path=name)
            await peer.request("resources/read", {"uri": f"kb://doc/{name}"})
        kept = await peer.call("get_doc_page", path="guide/kept.md")
        assert "Text." in kept["content"][0]["text"]
    (source,) = app.corpus
    messages = {p.path: p.message for p in source.catalog.snapshot.all_problems()}
    for name in PAGE_LINKS:
        assert messages[f"guide/{name}"].startswith(
            ("the link points ", "the link does not point ")
        )
        assert "/etc" not in messages[f"guide/{name}"]


async def test_no_link_of_an_article_folder_leads_to_what_is_no_article(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """Even where the target looks like an article."""
    secret = article_text("concepts/secret", title=CANARY, body=CANARY)
    for path in (*PAGE_SECRETS[:4], ".hidden/y.md"):
        save_in_place(knowledge.root / path, secret)
    knowledge.write("concepts/good", title="Good")
    links = {name: PAGE_LINKS[name] for name in PAGE_LINKS if name != "package.md"}
    for name in ("x.md", "git.md", "passwd.md", "key.md", "data.md"):
        (knowledge.root / "concepts" / name).symlink_to(links[name])
    (knowledge.root / "linked").symlink_to(".hidden")
    (knowledge.root / "concepts" / "kept.md").symlink_to("good.md")
    app = open_app(knowledge, base_url="http://kb.example.com")
    names = ("x", "git", "passwd", "key", "data", "linked/y")
    await read_pages(app, names)
    async with stdio_peer(app, "2025-11-25", scanner) as peer:
        for name in names:
            result = await peer.call("get_article", slug=name)
            text = result["content"][0]["text"]
            assert text == f"Article '{name}' not found"
        await peer.call("list_articles")
    (source,) = app.corpus
    messages = {p.path: p.message for p in source.catalog.snapshot.all_problems()}
    paths = {"linked", *(f"concepts/{name}.md" for name in names[:-1])}
    assert {
        path for path in messages if messages[path].startswith("the link ")
    } == paths


@pytest.mark.timeout(seconds=120)
@pytest.mark.parametrize("target", [".env", ".git/x.md", "../beyond.md"])
@pytest.mark.parametrize("kind", ["docs", "articles"])
def test_a_page_swapped_for_a_link_at_any_moment_is_not_read_from_there(
    tmp_path: Path, kind: str, target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-070: between listing the files and reading one."""
    secret = article_text("a/x", title="secret", body="secret")
    root = tmp_path / "content"
    for path in (".env", ".git/x.md", "../beyond.md"):
        save_in_place(root / path, secret)
    save_in_place(root / "a" / "x.md", article_text("a/x", title="Inside"))
    swap = Swap(root, "a/x.md", root / target)
    make: type[Any] = DocLibrary if kind == "docs" else ArticleLibrary

    def load() -> str:
        library = make(root, clock=settled_clock)
        library.load()
        return repr(library.catalog.snapshot.entries)

    texts = swap_at_each_moment(monkeypatch, swap, "a/x.md", load)
    assert "Inside" in next(texts)
    for moment, text in enumerate(texts):
        assert "secret" not in text, moment
