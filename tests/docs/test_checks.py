"""Links, anchors and pictures of pages that lead nowhere."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from support.generators import configured

from asdlc_kb.docs import checks
from asdlc_kb.docs.checks import check_pages
from asdlc_kb.docs.collection import DocCollection
from asdlc_kb.docs.generators import TreeConfiguration
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.files.problem import Problem

PAGES = {
    "index.md": "# Home\n",
    "guide/install.md": "# Install\n\n## Rate limits\n\n<a id='html'></a>\n",
    "guide/draft.md": "---\ndraft: true\n---\n# Draft\n",
    "guide/01-first.md": "# First\n",
}


def check(
    root: Path, text: str, path: str = "guide/a.md", site_url: str = ""
) -> list[str]:
    """Return the problems of a tree with one more page."""
    for name, page in {**PAGES, path: text}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(page)
    (root / "guide" / "here.png").write_bytes(b"x")
    (root / "guide" / "manual.pdf").write_bytes(b"x")
    (root / "guide" / "LICENSE").write_bytes(b"x")
    configuration = TreeConfiguration(root=root, generator="hugo", site_url=site_url)
    library = DocLibrary(root, (lambda: configuration) if site_url else None)
    return [str(problem) for problem in check_tree(library)]


def check_tree(library: DocLibrary) -> list[Problem]:
    """Return the problems of the only tree."""
    library.load()
    collection = DocCollection.of(library)
    return check_pages(collection.trees[0], collection.catalog)


@pytest.mark.parametrize(
    ("link", "problem"),
    [
        ("[x](instal.md)", "KB030 no page 'guide/instal.md': did you mean 'guide/"),
        ("[x](nope.md)", "KB030 no page 'guide/nope.md': fix or remove it"),
        ("[x](../instal)", "KB030 no page 'instal': did you mean 'guide/install.md'?"),
        ("[x](/zzz/qqq/)", "KB030 no page 'zzz/qqq': fix or remove it"),
        ("[x](kb://doc/zzz.md)", "KB030 no page 'zzz.md': fix or remove it"),
        ("[x](gone.pdf)", "KB030 no file 'guide/gone.pdf': "),
        ("<a href='../zzz.html'>x</a>", "KB030 no page 'zzz.html': fix or remove it"),
        (
            "[x](draft.md)",
            "KB031 links to 'guide/draft.md', which is hidden: remove the link",
        ),
        ("[x](/guide/draft/)", "KB031 links to 'guide/draft.md', which is hidden: "),
        (
            "[x](install.md#rate-limit)",
            "KB032 no heading in 'guide/install.md' has the anchor '#rate-limit': "
            "did you mean '#rate-limits'?",
        ),
        ("[x](#zzz)", "KB032 no heading here has the anchor '#zzz': name a heading"),
        (
            "![x](gone.png)",
            "KB033 no picture 'guide/gone.png': add it, or correct the path",
        ),
        ("<img alt='' src='../gone.png'>", "KB033 no picture 'gone.png': add it, "),
    ],
)
def test_what_leads_nowhere_is_reported(
    tmp_path: Path, link: str, problem: str
) -> None:
    """With the line in the file, the column, and a near name."""
    text = f"---\ntitle: A\n---\n# A\n\nWords {link}.\n"
    (found,) = check(tmp_path, text)
    column = text.split("\n")[5].index("href" if "href" in link else link) + 1
    assert found.startswith(f"guide/a.md:6:{column}: {problem}")


@pytest.mark.parametrize(
    "text",
    [
        *("[x](install)", "[x](../install/#Rate_Limits)", "[x](first.md)", "[x](..)"),
        *("[x](install.md#html)", "[x](#a)", "[x](#top)", "[x](install.md#:~:text=y)"),
        *("[x](manual.pdf)", "![x](here.png)", "![x](/img/x.png)", "[x](/x.sh)"),
        *(
            "![x](../here.png)",
            "[x](../../up.md)",
            "![x](../../up.png)",
            "[x](../../u)",
        ),
        *("[x](LICENSE)", "[x](../guide/LICENSE)", "[x](@site/static/a.pdf)"),
        *("[x]({{ site.url }}/y)", "![x]({{ y }}.png)", "[x](https://a.example/y)"),
        *("`[x](none.md)`", "```\n[x](none.md)\n```", "[x](mailto:a@b.example)"),
    ],
)
def test_what_leads_somewhere_or_elsewhere_is_not(tmp_path: Path, text: str) -> None:
    """As the server resolves it; what it cannot know is left out."""
    assert check(tmp_path, f"# A\n\n{text}\n") == []


def test_a_page_that_is_hidden_by_mistake_is_reported(tmp_path: Path) -> None:
    """D-295: where its status is written, and a link to it is not to be removed."""
    (tmp_path / "b.md").write_text("---\ntitle: B\nstatus: accepted\n---\n# B\n")
    (tmp_path / "a.md").write_text("# A\n\n[b](b.md)\n")
    assert [str(problem) for problem in check_tree(DocLibrary(tmp_path))] == [
        "a.md:3:1: KB031 links to 'b.md', which is hidden: correct its status",
        "b.md:3:9: KB013 unknown status, so the page is hidden: "
        "write Live, or remove the status",
    ]


def test_anchors_of_full_addresses_of_the_site_are_checked(tmp_path: Path) -> None:
    """An unknown address may be that of another part of the site."""
    text = "# A\n\n[x](https://docs.example/zzz/)\n[y](https://docs.example/guide/a/#zzz)\n"
    (found,) = check(tmp_path, text, site_url="https://docs.example")
    assert found.startswith("guide/a.md:4:1: KB032 no heading here has the anchor ")


def test_an_anchor_of_a_footnote_leads_to_it(tmp_path: Path) -> None:
    """As Python-Markdown and kramdown write it."""
    text = "# A\n\nx[^n] [a](#fn:n) [b](#fnref:n) [c](#fn1) [d](#fn:m)\n\n[^n]: N.\n"
    (found,) = check(tmp_path, text)
    assert "KB032 no heading here has the anchor '#fn:m'" in found


def test_of_a_page_without_an_index_the_root_is_no_page(tmp_path: Path) -> None:
    """It is named as it is written."""
    (tmp_path / "a.md").write_text("# A\n\n[x](/)\n")
    library = DocLibrary(tmp_path)
    (found,) = check_tree(library)
    assert str(found) == "a.md:3:1: KB030 no page '/': fix or remove it"


def test_a_very_long_page_is_not_checked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The grammar would take too long; the website shows it as code."""
    monkeypatch.setattr(checks, "MAX_CHECKED_CHARS", 20)
    assert check(tmp_path, "# A\n\n[x](none.md) and more\n") == []


def test_a_link_to_a_name_that_no_file_can_have_is_a_problem(tmp_path: Path) -> None:
    """The system refuses to look it up, as in a folder that cannot be read."""
    (problem,) = check(tmp_path, f"[x]({'a' * 300}.pdf)")
    assert "KB030" in problem


def check_files(root: Path, files: Mapping[str, str], folder: str) -> list[str]:
    """Return the problems of a tree with the configuration of its generator."""
    configuration = configured(root, {".git/HEAD": "", **files}, folder)
    library = DocLibrary(configuration.root, lambda: configuration)
    return [problem.message for problem in check_tree(library)]


@pytest.mark.parametrize(
    ("options", "links", "dead"),
    [
        ("{}", "[x](/blog/y) [x](/help) [x](/docs/zzz) [x](/zzz.md)", 2),
        ("{}", "[x](@site/src/x) [x](@site/docs/zzz) [x](kb://doc/zzz)", 2),
        ("{routeBasePath: '/'}", "[x](/blog/y) [x](/help)", 2),
        ("{routeBasePath: 'a/b'}", "[x](/a/y) [x](/a/b/y) [x](/base/a/b/y)", 2),
    ],
)
def test_other_parts_of_a_site_are_not_checked(
    tmp_path: Path, options: str, links: str, dead: int
) -> None:
    """Where the generator publishes the pages below an address of their own."""
    configuration = (
        "export default {url: 'https://x.example', baseUrl: '/base/', "
        f"presets: [['classic', {{docs: {options}}}]]}};\n"
    )
    files = {"docusaurus.config.js": configuration, "docs/a.md": f"# A\n\n{links}\n"}
    found = check_files(tmp_path, files, "docs")
    assert [message[:7] for message in found] == ["no page"] * dead


@pytest.mark.parametrize("mark", ["::: mkdocs-click", "    ::: package.module"])
def test_anchors_of_what_a_plugin_writes_are_not_checked(
    tmp_path: Path, mark: str
) -> None:
    """Those of other pages are."""
    files = {
        "mkdocs.yml": "site_name: X\n",
        "docs/a.md": "# A\n\n[x](cli.md#new) [y](b.md#new)\n",
        "docs/cli.md": f"# CLI\n\n{mark}\n",
        "docs/b.md": "# B\n\n`::: x`\n",
    }
    (found,) = check_files(tmp_path, files, "docs")
    assert found.startswith("no heading in 'b.md'")


@pytest.mark.parametrize(
    ("preprocessor", "dead"), [("links", ["n", "n", "n", "n"]), ("spec", ["n", "n"])]
)
def test_names_that_a_preprocessor_resolves_are_not_checked(
    tmp_path: Path, preprocessor: str, dead: list[str]
) -> None:
    """Paths, and files with a suffix of pages or downloads, are."""
    files = {
        "book.toml": f"[book]\n[preprocessor.{preprocessor}]\n",
        "src/SUMMARY.md": "- [A](a.md)\n",
        "src/a.md": "# A\n\n[x](items.fn) [x](EnumVariant) [x](b.md) [x](c.pdf)\n",
    }
    found = check_files(tmp_path, files, "src")
    assert [message[0] for message in found] == dead


@pytest.mark.parametrize(
    ("files", "dead"), [({}, 0), ({"mkdocs.yml": "site_name: X\n"}, 1)]
)
def test_a_folder_is_a_target_where_no_generator_builds_pages(
    tmp_path: Path, files: Mapping[str, str], dead: int
) -> None:
    """GitHub lists its files."""
    pages = {"docs/a.md": "# A\n\n[x](code) ![x](code)\n", "docs/code/a.py": ""}
    found = check_files(tmp_path, {**files, **pages}, "docs")
    pictures = [message for message in found if message.startswith("no picture")]
    assert (len(pictures), len(found) - len(pictures)) == (1, dead)


def test_pictures_of_a_bundler_s_alias_are_not_checked(tmp_path: Path) -> None:
    """Docusaurus' own folder of files is."""
    text = "# A\n\n![x](@assets/x.png) ![x](@site/static/x.png) [x](@snippets/y)\n"
    (found,) = check(tmp_path, text)
    assert "KB033 no picture " in found


def test_labels_of_the_theme_hide_no_page(tmp_path: Path) -> None:
    """D-295: an unknown status does, and is reported."""
    files = {
        "mkdocs.yml": "site_name: X\nextra: {status: {beta: In beta}}\n",
        "docs/a.md": "# A\n\n[x](b.md) [x](c.md)\n",
        "docs/b.md": "---\nstatus: Beta\n---\n# B\n",
        "docs/c.md": "---\nstatus: gamma\n---\n# C\n",
    }
    assert check_files(tmp_path, files, "docs") == [
        "links to 'c.md', which is hidden: correct its status",
        "unknown status, so the page is hidden: write Live, or remove the status",
    ]


def test_a_page_that_is_its_folder_is_suggested_by_the_name_of_the_folder(
    tmp_path: Path,
) -> None:
    """`README.md` and `index.md` are the names of many pages."""
    (tmp_path / "setup").mkdir()
    (tmp_path / "setup" / "README.md").write_text("# Set up\n")
    (problem,) = check(tmp_path, "[x](../setpu/)")
    assert problem.endswith("no page 'setpu': did you mean 'setup/README.md'?")
    (problem,) = check(tmp_path, "[x](../setup/gone.md)")
    assert problem.endswith("no page 'setup/gone.md': fix or remove it")
