"""The files that are stored of a source: a copy of them is served as the original."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from support.canary import CANARY
from support.editions import FILES as EDITIONS
from support.generators import write_files
from support.knowledge import KnowledgeBase
from support.pictures import make_png
from support.stored_trees import (
    copy_visible,
    describe,
    find_stored,
    load,
    read_settings,
)

from asdlc_kb.files.reader import ChangedWhileRead
from asdlc_kb.ingestion.source_files import KnownFiles, find_files
from asdlc_kb.ingestion.source_names import list_libraries, list_sources
from asdlc_kb.settings import Settings

HIDDEN = f"---\ndraft: true\n---\n# Secret\n\n{CANARY}\n"
PICTURE = make_png(3, 2).decode("latin-1")


@dataclass(frozen=True)
class Tree:
    """A tree of a generator: its files, and the folder that is named."""

    files: Mapping[str, str]
    folder: str = ""
    generator: str = ""
    has_repository: bool = True
    attachments: tuple[str, ...] = ()


TREES = {
    "plain": Tree(
        {
            "index.md": "# Home\n\n[Use](guide/use.md) ![p](pictures/a.png)\n",
            "guide/use.md": "---\naliases: [/old/use]\n---\n# Use\n",
            "sidebar.md": "* [Home](index.md)\n* [Use](guide/use.md)\n",
            "secret.md": HIDDEN,
            "pictures/a.png": PICTURE,
            "llms.txt": "# Site\n\n- [Use](guide/use.md)\n",
        },
        attachments=("pictures/a.png",),
        has_repository=False,
    ),
    "mkdocs": Tree(
        {
            "mkdocs.yml": "site_name: Site\nnav:\n  - Home: index.md\n"
            "  - Use: guide/use.md\n  - Secret: secret.md\n"
            "markdown_extensions:\n  - pymdownx.snippets:\n"
            "      base_path: [parts]\n",
            "docs/index.md": '# Home\n\n--8<-- "part.md"\n\n![p](img/a.png)\n',
            "docs/guide/use.md": "# Use\n\n[Home](../index.md#home)\n",
            "docs/guide/.pages": "title: Guides\n",
            "docs/secret.md": HIDDEN,
            "docs/img/a.png": PICTURE,
            "docs/img/unused.png": PICTURE,
            "parts/part.md": "Included words.\n",
            "src/main.py": "print()\n",
            "tools/.gitignore": "docs/guide/made.md\n",
            ".gitignore": "made.md\n",
        },
        "docs",
        "mkdocs",
        attachments=("img/a.png",),
    ),
    "docusaurus": Tree(
        {
            **EDITIONS,
            "docusaurus.config.js": 'const bars = "./bars.js";\n'
            'import part from "./title.json";\n'
            'module.exports = {title: "Site", baseUrl: "/b/",'
            ' i18n: {defaultLocale: "en", locales: ["en", "fr", "ar"]},'
            ' presets: [["classic", {docs: {sidebarPath: "./bars.js"}}]]};\n',
            "title.json": '{"title": "Site"}',
            "bars.js": "module.exports = {docs: ['intro']};\n",
            "versioned_sidebars/version-2.0-sidebars.json": '{"docs": ["intro"]}',
            "versioned_docs/version-2.0/guide/_category_.json": '{"label": "All"}',
            "versioned_docs/version-2.0/secret.md": HIDDEN,
            "versioned_docs/version-2.0/shown.md": "# P\n\n![p](/img/a.png)\n",
            "static/img/a.png": PICTURE,
        },
        "docs",
        "docusaurus",
        attachments=("2.0/img/a.png",),
    ),
    "starlight": Tree(
        {
            "astro.config.mjs": "export default {integrations: [starlight({"
            "title: 'Site', sidebar: [{label: 'All', autogenerate:"
            " {directory: 'guide'}}]})]};\n",
            "src/content/docs/index.mdx": "---\ntitle: Home\n---\n![p](/a.png)\n",
            "src/content/docs/guide/use.md": "---\ntitle: Use\n---\n[H](/)\n",
            "src/content/docs/secret.md": HIDDEN,
            "public/a.png": PICTURE,
        },
        "src/content/docs",
        "starlight",
        attachments=("a.png",),
    ),
    "vitepress": Tree(
        {
            "docs/.vitepress/config.ts": "export default {title: 'Site',"
            " themeConfig: {sidebar: [{text: 'Use', link: '/guide/use'}]}};\n",
            "docs/index.md": "# Home\n\n<!--@include: ./part.md-->\n![p](/a.png)\n",
            "docs/part.md": "Included words.\n",
            "docs/guide/use.md": "# Use\n",
            "docs/public/a.png": PICTURE,
        },
        "docs",
        "vitepress",
        attachments=("a.png",),
    ),
    "hugo": Tree(
        {
            "hugo.toml": 'title = "Site"\n[[cascade]]\n'
            '[cascade.target]\npath = "/never/**"\n[cascade.build]\nlist = "never"\n',
            "content/_index.md": "---\ntitle: Home\n---\n![p](/a.png)\n",
            "content/never/x.md": "---\ntitle: X\n---\nWords.\n",
            "content/listed/_index.md": "---\ntitle: Secret\n"
            "build: {render: never, list: never}\n"
            "cascade: {build: {list: never}, params: {x: "
            f"{CANARY}}}}}\n---\n{CANARY}\n",
            "content/listed/y.md": "---\ntitle: Y\naliases: [/former]\n---\nWords.\n",
            "content/bundle/index.md": "---\ntitle: B\n---\nWords.\n",
            "content/bundle/part.md": "no page\n",
            "content/_common/_index.md": "---\ncascade:\n  build:\n"
            "    list: never\n    render: never\n---\n",
            "content/_common/part.md": "---\ntitle: Part\n---\nIncluded words.\n",
            "content/_common/secret.md": HIDDEN,
            "content/use.md": "---\ntitle: Use\n---\n"
            '{{% include "/_common/part.md" %}}\n\n'
            '{{% include "/_common/secret.md" %}}\n',
            "content/secret.md": HIDDEN,
            "static/a.png": PICTURE,
        },
        "content",
        "hugo",
        attachments=("a.png",),
    ),
    "mdbook": Tree(
        {
            "book.toml": '[book]\ntitle = "Site"\n',
            "src/SUMMARY.md": "# Summary\n\n- [Home](home.md)\n- [Use](use.md)\n",
            "src/home.md": "# Home\n\n{{#include ../code/x.rs:part}}\n",
            "src/use.md": "# Use\n\n```rust\n{{#include x.rs}}\n```\n",
            "src/x.rs": "fn main() {}\n",
        },
        "src",
        "mdbook",
    ),
    "mintlify": Tree(
        {
            "docs.json": '{"name": "Site", "navigation": {"pages": ["a/use"]}}',
            "a/use.mdx": '---\ntitle: Use\n---\nimport P from "/snippets/p.mdx"\n\n'
            "<P />\n\n![p](/images/a.png)\n",
            "snippets/p.mdx": "Included words.\n",
            "images/a.png": PICTURE,
        },
        "",
        "mintlify",
        attachments=("images/a.png",),
    ),
    "gitbook": Tree(
        {
            ".gitbook.yaml": "root: ./docs/\n",
            "docs/README.md": "# Home\n\n![p](.gitbook/assets/a.png)\n",
            "docs/SUMMARY.md": "# S\n\n* [Home](README.md)\n* [Use](use.md)\n",
            "docs/use.md": '# Use\n\n{% include ".gitbook/includes/p.md" %}\n',
            "docs/.gitbook/includes/p.md": "Included words.\n",
            "docs/.gitbook/assets/a.png": PICTURE,
        },
        "",
        "gitbook",
        attachments=("a.png",),
    ),
    "jekyll": Tree(
        {
            "_config.yml": "title: Site\ndefaults:\n- scope: {path: guide}\n"
            "  values: {title: Named}\n",
            "_data/navigation.yml": "docs:\n- title: Use\n  url: /guide/use/\n",
            "index.md": "---\ntitle: Home\n---\n{% include part.md %}\n![p](/a.png)\n",
            "_includes/part.md": "Included words.\n",
            "guide/use.md": "---\nlayout: x\n---\nWords.\n",
            "a.png": PICTURE,
        },
        "",
        "jekyll",
        attachments=("a.png",),
    ),
    "docsify": Tree(
        {
            "_sidebar.md": "* [Home](README.md)\n* [Use](use.md)\n",
            "README.md": "# Home\n\n[part](part.md ':include')\n",
            "part.md": "Included words.\n",
            "use.md": "# Use\n",
        },
        "",
        "docsify",
        has_repository=False,
    ),
    "sphinx": Tree(
        {
            "pyproject.toml": "",
            "README.md": "# Project\n\nIncluded words.\n",
            "docs/conf.py": "extensions = ['myst_parser']\nproject = 'Site'\n"
            "exclude_patterns = ['x.md']\nmyst_substitutions = {'a': 'b'}\n",
            "docs/index.md": "# Home\n\n```{toctree}\nsecret\nuse\npart/index\n```\n"
            "\n```{include} ../README.md\n```\n\n![p](a.png) {{ a }}\n",
            "docs/secret.md": HIDDEN,
            "docs/use.md": "# Use\n",
            "docs/part/index.rst": "Part\n\n.. toctree::\n\n   one\n",
            "docs/part/one.md": "# One\n",
            "docs/x.md": "# X\n",
            "docs/a.png": PICTURE,
            "src/main.py": "print()\n",
        },
        "docs",
        "sphinx",
        attachments=("a.png",),
    ),
    "docfx": Tree(
        {
            ".openpublishing.publish.config.json": "{}",
            "docs/docfx.json": '{"build": {"content": [{"files": "**/*.md", '
            '"exclude": "x/**"}]}}',
            "docs/toc.yml": "- href: index.md\n- href: a/\n",
            "docs/a/toc.yml": "- {name: One, href: one.md}\n",
            "docs/index.md": "# Home\n\n[!INCLUDE [x](x/part.md)] [b](/azure/b)\n",
            "docs/a/one.md": "# One\n",
            "docs/secret.md": HIDDEN,
            "docs/x/part.md": "Included words.\n",
        },
        "docs",
        "docfx",
    ),
    "nextjs": Tree(
        {
            "package.json": '{"dependencies": {"nextra": "4"}}',
            "next.config.mjs": "export default {}",
            "content/_meta.js": "export default {use: 'Use it', secret: ''}",
            "content/index.mdx": "# Home\n",
            "content/secret.mdx": HIDDEN,
            "content/use.mdx": "# Use\n",
        },
        "content",
        "nextjs",
    ),
    "obsidian": Tree(
        {
            ".obsidian/app.json": '{"userIgnoreFilters": ["private/"]}',
            "Home.md": "![[Part#Words]]\n\n[[Use]] ![[a.png]]\n",
            "notes/Part.md": "# Part\n\n## Words\n\nIncluded.\n",
            "notes/Use.md": "---\naliases: [Usage]\n---\n# Use\n",
            "private/x.md": "# X\n",
            "media/a.png": PICTURE,
        },
        "",
        "obsidian",
        has_repository=False,
    ),
    "obsidian without settings": Tree(
        {".obsidian/workspace": "{}", "Home.md": "[[Use]]\n", "x/Use.md": "# Use\n"},
        "",
        "obsidian",
        has_repository=False,
    ),
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A working directory without content."""
    monkeypatch.chdir(tmp_path)


def write_tree(root: Path, tree: Tree) -> Path:
    """Write a tree below a folder; return the folder that is named."""
    for path, text in tree.files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("latin-1" if path.endswith("png") else "utf-8"))
    if tree.has_repository:
        (root / ".git").mkdir()
    return root / tree.folder


@pytest.mark.parametrize("name", TREES)
def test_a_copy_of_the_stored_files_is_served_as_the_original(
    tmp_path: Path, name: str
) -> None:
    """D-259: pages, sidebar, links, aliases, editions and attachments are equal."""
    tree = TREES[name]
    folder = write_tree(tmp_path / "here/handbook", tree)
    settings = Settings(docs=(f"main={folder}",))
    files = find_stored(settings, "main")
    copy = copy_visible(files, tmp_path / "there" / files.record.options["label"])
    seen = describe(load(settings).docs)
    assert describe(load(read_settings(files, copy)).docs) == seen
    assert tree.generator in seen["recognized"]
    assert {f"main/{each}" for each in tree.attachments} <= set(seen["attachments"])
    assert not files.omitted


@pytest.mark.parametrize("name", TREES)
def test_hidden_text_and_other_files_are_not_for_readers(
    tmp_path: Path, name: str
) -> None:
    """D-260: no visible file has hidden text; nothing is stored that is not used."""
    folder = write_tree(tmp_path / "site", TREES[name])
    files = find_stored(Settings(docs=(str(folder),)), "docs")
    shown = [each.path for each in files.records.values() if not each.is_hidden]
    assert not any(CANARY.encode() in files.read(path) for path in shown)
    used = {path for path in shown if "asdlc-kb" not in path}
    assert not {"src/main.py", "docs/img/unused.png"} & used
    hidden = {each.path for each in files.records.values() if each.is_hidden}
    written = {path for path, text in TREES[name].files.items() if text == HIDDEN}
    assert hidden == written


def test_a_tree_keeps_what_the_operator_states(tmp_path: Path) -> None:
    """Name, dialect and language are options of the source."""
    one = write_files(tmp_path / "one", {"a.md": "# A\n"})
    two = write_files(tmp_path / "two", {"b.md": "# B\n"})
    settings = Settings(
        docs=(str(one), f"api={two}"), dialect=("api=mkdocs",), language=("api=fr",)
    )
    sources = load(settings)
    assert list(list_sources(sources)) == ["docs", "api"]
    options = find_files(settings, sources, "api", {}).record.options
    rules = {"dialect": "mkdocs", "language": "fr", "tree": "api"}
    assert options == {"label": f"{tmp_path.name}/two", **rules}
    unnamed = find_files(settings, sources, "docs", {}).record.options
    assert unnamed == {"label": f"{tmp_path.name}/one"}


def test_articles_are_stored_with_their_attachments(knowledge: KnowledgeBase) -> None:
    """Hidden ones, and what only they refer to, are marked."""
    root = knowledge.root
    (root / "pictures").mkdir()
    for name in ("shown.png", "secret.png", "unused.png"):
        (root / "pictures" / name).write_bytes(make_png(3, 2))
    head = "title: T\ndescription: D\ntags: [x]\nlastUpdated: 2026-01-01"
    for slug, status in (("shown", "Live"), ("secret", "Draft")):
        (root / f"concepts/own-{slug}.md").write_text(
            f"---\n{head}\nstatus: {status}\n---\n![p](../pictures/{slug}.png)\n"
        )
    settings = Settings(content=str(root))
    sources = load(settings)
    assert list(list_sources(sources)) == ["articles"]
    assert list_libraries(sources, "articles") == (sources.articles,)
    files = find_files(settings, sources, "articles", {})
    assert files.record.kind == "articles"
    hidden = {each.path: each.is_hidden for each in files.records.values()}
    assert hidden["concepts/own-shown.md"] is hidden["pictures/shown.png"] is False
    assert hidden["concepts/own-secret.md"] is hidden["pictures/secret.png"] is True
    assert "pictures/unused.png" not in hidden
    assert sources.articles is not None
    count = sources.articles.catalog.hidden_count
    assert sum(hidden[path] for path in hidden if path.endswith(".md")) == count


def test_a_file_that_changed_after_it_was_parsed_is_not_stored(tmp_path: Path) -> None:
    """D-261: a page that became a draft meanwhile is never stored as visible."""
    folder = write_files(tmp_path / "docs", {"a.md": "# A\n"})
    settings = Settings(docs=(str(folder),))
    sources = load(settings)
    files = find_files(settings, sources, "docs", {})
    (folder / "a.md").write_text(HIDDEN)
    with pytest.raises(ChangedWhileRead):
        files.read("a.md")
    with pytest.raises(ChangedWhileRead):
        find_files(settings, sources, "docs", {})


def test_files_that_are_known_are_not_read_again(tmp_path: Path) -> None:
    """A following process costs one `stat` per file."""
    folder = write_files(tmp_path / "docs", {"a.md": "# A\n"})
    settings = Settings(docs=(str(folder),))
    sources = load(settings)
    known: KnownFiles = {}
    first = find_files(settings, sources, "docs", known)
    os.chmod(folder / "a.md", 0o600)
    assert len(known) == 1
    assert find_files(settings, sources, "docs", known).records == first.records
