"""The measurement of trees of documentation, on a tree of our own."""

from pathlib import Path

import pytest

from benchmarks.documentation.__main__ import main
from benchmarks.documentation.marks import find_in_html, find_in_markdown
from benchmarks.documentation.measurement import MeasuredTree, Share, measure_tree
from benchmarks.documentation.order import count_rising
from benchmarks.documentation.tables import show_share
from benchmarks.report import BEGIN, END

FILES = {
    "mkdocs.yml": """\
site_name: Kettles
site_url: https://kettles.example/
markdown_extensions: [admonition, pymdownx.snippets]
nav:
  - Home: index.md
  - Use: use.md
  - Gone: gone.md
  - Shop: https://shop.example/
""",
    "docs/index.md": """\
# Kettles

!!! note
    Read [how to use it](use.md#boil), [about it](#kettles) and [prices](prices.md).

![A kettle](kettle.png) ![Another](other.png) ![Elsewhere](https://x.example/a.png)

[Full address](https://kettles.example/use/), [shop](https://shop.example/).
""",
    "docs/use.md": """\
# Use

Version {{ version }}. See [cleaning](index.md#cleaning) and [all](?q=all).

## Boil

--8<-- "../secret.md"

```yaml
value: {{ version }}
```
""",
    "docs/kettle.png": "PNG",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a tree of MkDocs."""
    for name, text in FILES.items():
        path = tmp_path / "kettles" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path / "kettles"


def test_a_tree_is_measured_as_it_is_served(tree: Path) -> None:
    """Everything that is not right has a remark."""
    measured = measure_tree("kettles", tree)
    assert measured == MeasuredTree(
        name="kettles",
        generator="mkdocs",
        pages=2,
        marked_texts=1,
        marked_pages=1,
        links=Share(3, 4),
        anchors=Share(2, 3),
        pictures=Share(1, 2),
        refused=1,
        order=Share(2, 3),
        neighbours=Share(0, 0),
        remarks=measured.remarks,
    )
    kinds = sorted(remark.partition(":")[0] for remark in measured.remarks)
    assert kinds == ["anchor", "include", "link", "page", "picture", "text"]


def test_the_table_is_written_between_the_marks_of_a_page(
    tree: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What stands around it stays; remarks go to standard error."""
    page = tmp_path / "page.md"
    page.write_text(f"Above.\n\n{BEGIN}\n{END}\n\nBelow.\n", "utf-8")
    assert main([f"own/kettles={tree}", "--write"], page) == 0
    printed = capsys.readouterr()
    row = printed.out.splitlines()[-1]
    assert row.startswith("| own/kettles | mkdocs | 2 | 1 | 1 | 75 % of 4 |")
    assert page.read_text("utf-8") == (
        f"Above.\n\n{BEGIN}\n\n{printed.out}\n{END}\n\nBelow.\n"
    )
    assert "link: index.md: prices.md" in printed.err


SITE = {
    "mkdocs": {
        "index.html": "<link href=use/ rel=next>",
        "use/index.html": '<a rel="next" href="../extra/">',
    },
    "docusaurus": {
        "index.html": '<a class="pagination-nav__link pagination-nav__link--next" '
        'href="/category/extra"><div>Next</div></a>',
        "category/extra/index.html": '<a class="x nav__link--next" href="/use/">',
        "use/index.html": '<a href="/extra" class="pagination-nav__link--next">',
    },
    "vitepress": {
        "index.html": "<a class=\"VPLink link pager-link next\" href='/use'>",
        "use.html": '<a class="pager-link prev" href="/"></a>'
        '<a class="VPLink pager-link next" href="/extra.html">',
    },
}
"""The links to the next page of a site, as generators write them."""


@pytest.mark.parametrize("generator", SITE)
def test_next_pages_are_those_of_the_built_site(
    tree: Path, tmp_path: Path, generator: str
) -> None:
    """A page that only the built site has is passed over."""
    for name, text in SITE[generator].items():
        (tmp_path / "site" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / name).write_text(text, "utf-8")
    (tree / "docs/extra.md").write_text("# Extra\n", "utf-8")
    (tree / "docs/aside.md").write_text("# Aside\n", "utf-8")
    measured = measure_tree("kettles", tree, tmp_path / "site")
    assert measured.neighbours == Share(1, 2)
    assert "next page: use.md: extra.md, not aside.md" in measured.remarks


def test_a_built_site_needs_its_tree(
    tree: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another name is a usage error."""
    with pytest.raises(SystemExit) as ended:
        main([f"kettles={tree}", "--built", f"kettle={tree}"])
    assert ended.value.code == 2
    assert "there is no tree of this name" in capsys.readouterr().err


@pytest.mark.parametrize("written", ["kettles", "=.", "kettles=no/such/folder"])
def test_a_tree_needs_a_name_and_a_folder(written: str) -> None:
    """It is a usage error."""
    with pytest.raises(SystemExit) as ended:
        main([written])
    assert ended.value.code == 2


@pytest.mark.parametrize(
    ("name", "text"),
    [
        *(("admonition", "!!! note"), ("admonition", "??? tip"), ("block", "/// tab")),
        *(("tab", '=== "One"'), ("container", ":::note"), ("component", "A <Tabs>")),
        *(("import", "import A from './a'"), ("shortcode", "{{< ref >}}")),
        *(("template", "{% if a %}"), ("template", "{{ a }}"), ("keys", "++ctrl+x++")),
        *(("attributes", "A {: .b }"), ("include", "{* ../a.py *}")),
        *(("icon", "An :octicons-x-16:"), ("wikilink", "An [[A|b]]")),
        ("highlight", "A ==b c=="),
    ],
)
def test_a_raw_mark_is_found_outside_code(name: str, text: str) -> None:
    """In Markdown and in HTML."""
    assert [found for found, _ in find_in_markdown(text)] == [name]
    for code in (f"    {text}", f"1. a\n\n   ```\n   {text}\n   ```", f"a `{text}`"):
        assert not [*find_in_markdown(code)], code
    html = text.replace("<", "&lt;")
    assert [found for found, _ in find_in_html(f"<p>{html}</p>")] == [name]
    assert not [*find_in_html(f"<pre>{html}</pre><p><code>{html}</code></p>")]


def test_the_id_of_a_heading_is_no_raw_mark_in_markdown() -> None:
    """It is the section's address."""
    assert not [*find_in_markdown("## Words {#id}")]


def test_the_longest_part_in_order_counts() -> None:
    """One entry at another place is one that is not in order."""
    assert [count_rising(order) for order in ([], [1, 2, 3], [9, 1, 2], [3, 2])] == [
        *(0, 3, 2, 1)
    ]


def test_a_share_is_never_rounded_up_to_all() -> None:
    """All means each."""
    shares = Share(), Share(2999, 3000), Share(3, 3)
    assert [*map(show_share, shares)] == ["-", "99.9 % of 3,000", "100 % of 3"]
