"""Positions in files of what is found in the translated texts of pages."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from support.generators import configured

from asdlc_kb.docs.checks import check_pages
from asdlc_kb.docs.collection import DocCollection
from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.docs.pages.page import DocPage
from asdlc_kb.docs.written_positions import WrittenPositions

SNIPPETS = "markdown_extensions:\n- pymdownx.snippets: {base_path: [.]}\n"
MKDOCS = {".git/HEAD": "", "mkdocs.yml": f"site_name: X\n{SNIPPETS}"}
DOCUSAURUS = {
    ".git/HEAD": "",
    "docusaurus.config.js": "export default {url: 'https://x.example', "
    "baseUrl: '/', presets: [['classic', {docs: {routeBasePath: '/'}}]]};\n",
}


def open_library(root: Path, files: Mapping[str, str]) -> DocLibrary:
    """Return the loaded library of the tree `docs`."""
    configuration = configured(root, files, "docs")
    library = DocLibrary(configuration.root, lambda: configuration)
    library.load()
    return library


def report(root: Path, files: Mapping[str, str]) -> list[tuple[str, int, int]]:
    """Return the positions of all problems of a tree."""
    collection = DocCollection.of(open_library(root, files))
    problems = check_pages(collection.trees[0], collection.catalog)
    return [(each.path, each.line, each.column) for each in problems]


def read(root: Path, files: Mapping[str, str]) -> tuple[DocPage, WrittenPositions]:
    """Return the page `a.md`, and what finds its positions."""
    library = open_library(root, files)
    entry = library.catalog.snapshot.entries["a.md"]
    assert isinstance(entry.value, DocPage)
    positions = WrittenPositions(library.root, entry.value, entry.dependencies)
    return entry.value, positions


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('!!! note "T"\n\n    See [x](nope.md).\n', (3, 9)),
        ('=== "A"\n\n    [x](nope.md)\n\n=== "B"\n\n    z\n', (3, 5)),
        ("{++in++} ==m== :smile: [x](nope.md)\n", (1, 24)),
        ("??? tip\n    a\n\n    - ![x](nope.png)\n", (4, 7)),
        ("[x][r]\n\n!!! note\n    y\n\n[r]: nope.md\n", (6, 6)),
        ('!!! note\n    <a href="nope.md">x</a>\n', (2, 8)),
        ("!!! note\n    é [x](nöpe%20x.md)\n", (2, 7)),
        ("    [x](nope.md)\n\n!!! note\n    Real [x](nope.md)\n", (4, 10)),
        ("---\ntitle: nope.md\n---\n\n!!! note\n    [x](nope.md)\n", (6, 5)),
        ("\ufeff# A\r\n\r\n!!! note\r\n    [x](nope.md)\r\n", (4, 5)),
        ("!!! note\n    [a](yes-nope.md)\n\n    [x](nope.md)\n", (4, 5)),
        ("!!! note\n    NOPE.md nopexmd\n\n    [x](nope.md)\n", (4, 5)),
    ],
)
def test_a_position_is_that_in_the_file(
    tmp_path: Path, text: str, place: tuple[int, int]
) -> None:
    """Wherever the text for agents has it, and if code has the same address."""
    files = {**MKDOCS, "docs/a.md": text, "docs/yes-nope.md": "# Y\n"}
    assert report(tmp_path, files) == [("a.md", *place)]


def test_every_place_of_an_address_is_found(tmp_path: Path) -> None:
    """In order, also twice on one line."""
    text = "!!! note\n    [x](n.md) [x](n.md)\n\n[y](n.md)\n"
    found = report(tmp_path, {**MKDOCS, "docs/a.md": text})
    assert found == [("a.md", 2, 5), ("a.md", 2, 15), ("a.md", 4, 1)]


def test_a_link_of_an_included_file_is_reported_once_in_it(tmp_path: Path) -> None:
    """However many pages include it; their own links stay theirs."""
    page = '# P\n\n--8<-- "parts/part.md"\n\nAfter.\n\n[own](own.md)\n'
    files = {
        **MKDOCS,
        "parts/part.md": "One.\n\nTwo.\n\nSee [dead](nope.md).\n",
        "docs/a.md": page,
        "docs/b.md": page,
    }
    assert report(tmp_path, files) == [
        *(("../parts/part.md", 5, 5), ("a.md", 7, 1), ("b.md", 7, 1)),
    ]


def test_a_partial_has_its_own_positions(tmp_path: Path) -> None:
    """The page's are below the import and in its elements."""
    page = (
        "---\ntitle: A\n---\n\nimport Part from './_part.mdx';\n\n<Part />\n\n"
        ":::tip[T]\n\n[x](tip.md)\n\n:::\n\n<Tabs>\n  <TabItem value='a'>\n\n"
        "  [t](tab.md)\n\n  </TabItem>\n</Tabs>\n\n[end](end.md)\n"
    )
    files = {**DOCUSAURUS, "docs/_part.mdx": "Part [x](nope.md)\n", "docs/a.mdx": page}
    assert report(tmp_path, files) == [
        *(("_part.mdx", 1, 6), ("a.mdx", 11, 1), ("a.mdx", 18, 3), ("a.mdx", 23, 1)),
    ]


def test_what_is_written_in_another_form_is_on_its_line(tmp_path: Path) -> None:
    """An address that is made of a name, or of nothing that the file has."""
    files = {
        ".git/HEAD": "",
        "hugo.toml": 'title = "X"\n',
        "content/a.md": "# A\n\n{{< note >}}\nText\n{{< /note >}}\n\n"
        'See [x]({{< relref "/deep/nope.md" >}}) and words.\n',
    }
    configuration = configured(tmp_path, files, "content")
    library = DocLibrary(configuration.root, lambda: configuration)
    library.load()
    collection = DocCollection.of(library)
    (found,) = check_pages(collection.trees[0], collection.catalog)
    assert (found.path, found.line) == ("a.md", 7)


def test_lines_are_found_by_their_text(tmp_path: Path) -> None:
    """Of code, by its first line too; a line that no file has is not invented."""
    first, second = "    ```python\n    x = 1\n    ```\n", "```python\ny = 2\n```\n"
    text = f"# A\n\n!!! note\n\n{first}\n{second}"
    page, found = read(tmp_path, {**MKDOCS, "docs/a.md": text})
    shown = page.body.split("\n")
    numbers = [at for at, line in enumerate(shown, 1) if line.endswith("```python")]
    assert [*map(found.find_line, numbers)] == [("a.md", 5, 1), ("a.md", 9, 1)]


def test_without_the_file_the_position_is_the_text_s(tmp_path: Path) -> None:
    """It was deleted since it was read."""
    text = "---\ntitle: A\n---\n\n!!! note\n    [x](nope.md)\n"
    _, found = read(tmp_path, {**MKDOCS, "docs/a.md": text})
    (tmp_path / "docs/a.md").unlink()
    assert found.find_line(2) == ("a.md", 5, 1)
