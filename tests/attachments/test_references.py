"""References of texts to attachments: found wherever the grammar finds one."""

import re
from html import unescape

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from asdlc_kb.attachments.references import (
    MAX_REFERENCES,
    find_references,
    is_attachment_name,
    list_names,
)
from asdlc_kb.markup.html_renderer import render

PARTS = st.sampled_from(
    [
        *("![a](", "[a](", ")", "<", ">", "x.png", "d/y (1).svg", "z.pdf", " ", "\n"),
        *("\n\n", "![b][r]", "\n[r]: ", "<img src=", '"', "'", "`", "```\n", "#dark"),
        *(' "t"', "<video poster=", "<source srcset=", " 2x, ", "<!--", "-->", "\\"),
        *("<a href=", "%20", "&amp;", "(", "- ", "> ", "| a |\n|---|\n| "),
    ]
)


def read_names(text: str, source: str = "guide/page.md") -> list[str]:
    """Return the names to which a text can refer."""
    return [name for href in find_references(text) for name in list_names(href, source)]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("![a](x.png)", "guide/x.png"),
        ('![a]( x.png "t")', "guide/x.png"),
        ("![a](<a b.png>)", "guide/a b.png"),
        ("![a](a%20b.png)", "guide/a b.png"),
        ("![a](a_(1).png)", "guide/a_(1).png"),
        (r"![a](a\_b.png)", "guide/a_b.png"),
        ("![a](a&amp;b.png)", "guide/a&b.png"),
        ("![a](größe.png)", "guide/größe.png"),
        ("[![a](x.png)](https://example.com)", "guide/x.png"),
        ("![a][b]\n\n[b]: ../img/x.png", "img/x.png"),
        ("[r]: <a b.pdf>", "guide/a b.pdf"),
        ("[m](/files/m.pdf#page=2)", "files/m.pdf"),
        ("![a](x.png?raw=true)", "guide/x.png"),
        ("![a](x.svg#only-dark)", "guide/x.svg"),
        ("<img alt='a' src='x.png'>", "guide/x.png"),
        ("<img src=x.png>", "guide/x.png"),
        ('<VIDEO POSTER="x.png">', "guide/x.png"),
        ('<source srcset="a.webp 1x,\n x.png 2x">', "guide/x.png"),
        ('<a href="x.zip">', "guide/x.zip"),
        ("![a](@site/static/img/x.png)", "img/x.png"),
        ("![a](./x.PNG)", "guide/x.PNG"),
        ("a\n\n`x` ![a](x.png) ``y``", "guide/x.png"),
    ],
)
def test_a_reference_is_found_in_every_form(text: str, name: str) -> None:
    """Links, pictures, definitions and HTML; relative to the file."""
    assert name in read_names(text)


@pytest.mark.parametrize(
    "text",
    [
        *("`![a](x.png)`", "```\n![a](x.png)\n```", "x.png", "[a](x.html)", "[a](x)"),
        *("![a](https://example.com/x.png)", "![a](//example.com/x.png)"),
        *(
            "![a](../../../x.png)",
            "![a](.hidden/x.png)",
            "![a](.x.png)",
            "![a](%00.png)",
        ),
        *(
            "![a](%2e%2e/%2e%2e/%2E./x.png)",
            "![a](node_modules/x.png)",
            "![a](a%5Cb.png)",
        ),
        *("![a](data:image/png;base64,AA.png)", "![a](file:///x.png)", "![a](%FF.png)"),
        *("![a](http://[x.png)", f"![a]({'a/' * 40}x.png)", f"![a]({'a' * 3_000}.png)"),
        *("![a](%E2%80%8Bx.png)", "<img srx='x.png'>", "![a](javascript:x.png)"),
    ],
)
def test_code_other_sites_and_unsafe_names_are_no_references(text: str) -> None:
    """Nor is anything above the root, hidden, installed or invisible."""
    assert read_names(text) == []


def test_a_name_is_relative_to_the_file_or_else_to_the_page() -> None:
    """An index page has the address of its folder."""
    assert list(list_names("../x.png", "a/b.md")) == ["x.png", "a/x.png"]
    assert list(list_names("x.png", "b.md")) == ["x.png", "b/x.png"]
    assert list(list_names("x.png", "a/index.md")) == ["a/x.png"]
    assert list(list_names("/x.png", "a/b.md")) == ["x.png"]


def test_a_reference_may_lead_into_a_static_folder() -> None:
    """Outside the folder of the texts."""
    folders = ("../static", "../../src/assets")
    names = list(list_names("../../static/i/x.png", "a/index.md", folders))
    assert names == ["i/x.png"]
    names = list(list_names("../../src/assets/x.png", "a.md", folders))
    assert names == ["x.png"]
    assert list(list_names("../other/x.png", "a.md", folders)) == ["other/x.png"]
    assert list(list_names("../../static/../x.png", "a/index.md", folders)) == []


def test_a_text_has_a_limited_number_of_references() -> None:
    """The rest are not read."""
    found = list(find_references("![a](x.png)\n" * (MAX_REFERENCES + 5)))
    assert len(found) == MAX_REFERENCES


@example("![a](<img src=x.png> ")
@example("![a](![a](x.png)")
@example("<video poster=![a](x.png)")
@example("[r]:\n\n[r]: x.png")
@example("![a](![a](x.png )")
@example("\n[r]: -->x.png\n[r]: ")
@example("![a](>x.png)")
@example("[r]: <img src=x.png> a")
@given(st.lists(PARTS, max_size=25).map("".join))
def test_what_is_shown_is_found(text: str) -> None:
    """The scanner finds each attachment that the rendered text refers to.

    Names with a backquote are left out: the scanner takes it for a sign of code.
    """
    found = set(read_names(text))
    seen: list[str] = []
    html = render(text, resolve_picture=seen.append).text
    hrefs = [unescape(href) for href in re.findall(r' href="([^"]*)"', html)]
    for href in (*seen, *hrefs):
        names = [n for n in list_names(href, "guide/page.md") if "`" not in n]
        assert not names or found & set(names), (href, html)


@given(st.text(max_size=60))
def test_every_name_stays_in_its_folder(href: str) -> None:
    """Whatever is written, in any encoding."""
    for name in list_names(f"{href}.png", "a/b.md"):
        assert is_attachment_name(name)
        assert not name.startswith("/") and ".." not in name.split("/")
        assert "\0" not in name and "\\" not in name


def test_a_bare_name_is_looked_up_in_folders() -> None:
    """Below the root, or below the text's own; hidden ones are none."""
    folders = ("", "Files", "./own", ".hidden", "../out")
    found = [*list_names("a%20b.png", "notes/n.md", (), folders)]
    assert found == [
        *("notes/a b.png", "notes/n/a b.png", "a b.png", "Files/a b.png"),
        "notes/own/a b.png",
    ]
    assert [*list_names("x/a.png", "n.md", (), folders)] == [
        *("x/a.png", "n/x/a.png"),
    ]
