"""Which pages are visible at a moment."""

from collections.abc import Mapping
from math import inf

from support.docs import raw_file

from asdlc_kb.docs.edition import Edition
from asdlc_kb.docs.generators.javascript import Data
from asdlc_kb.docs.pages.cascades import read_site_cascades
from asdlc_kb.docs.pages.page import DocPage, PageContent, read_page
from asdlc_kb.docs.pages.page_text import PageRules
from asdlc_kb.docs.pages.publication import select_published


def page(path: str, frontmatter: str = "") -> PageContent | None:
    """Return the value of a page with frontmatter."""
    text = f"---\n{frontmatter}---\n# {path}\n"
    return read_page(raw_file(text, path), PageRules(dialect="hugo")).value


def paths(*values: PageContent | None, now: float = 0.0) -> list[str]:
    """Return the paths of the visible ones."""
    return [each.path for each in select_published(values, now).pages]


def test_a_page_is_visible_between_its_dates() -> None:
    """From the first moment on, up to before the last."""
    value = page("a.md", "publishDate: 1970-01-02\nexpiryDate: 1970-01-03\n")
    assert paths(value, now=86_399) == []
    assert paths(value, now=86_400) == ["a.md"]
    assert paths(value, now=172_799.9) == ["a.md"]
    assert paths(value, now=172_800) == []


def test_the_last_and_the_next_change_are_known() -> None:
    """The latest of all dates up to now, and the earliest of all later ones."""
    values = (
        page("a.md", "publishDate: 1970-01-03\n"),
        page("b.md", "expiryDate: 1970-01-02\n"),
        page("c.md"),
    )
    for now, last, following in (
        (0, -inf, 86_400),
        (86_400, 86_400, 172_800),
        (172_800, 172_800, inf),
        (200_000, 172_800, inf),
    ):
        published = select_published(values, now)
        assert (published.changed_at, published.changes_at) == (last, following)


def test_an_index_page_hides_what_is_below_it() -> None:
    """The nearest counts, a page's own statement wins, and it may itself be hidden."""
    never = "cascade:\n  build:\n    render: never\n"
    always = "build:\n  render: always\n"
    values = (
        *(page("_index.md"), page("a.md"), page("x/_index.md", never)),
        *(page("x/a.md"), page("x/y/b.md"), page("x/own.md", always)),
        page("x/open/_index.md", "cascade:\n  build:\n    render: always\n"),
        page("x/open/c.md"),
        page("z/_index.md", f"draft: true\n{never}"),
        *(page("z/d.md"), page("zz/d.md")),
    )
    assert paths(*values) == [
        *("_index.md", "a.md", "x/own.md", "x/open/_index.md", "x/open/c.md"),
        "zz/d.md",
    ]


def test_an_index_page_may_leave_pages_out_of_lists() -> None:
    """They are visible, and neither listed nor searched."""
    values = (
        page("x/_index.md", "cascade:\n  build:\n    list: never\n"),
        page("x/a.md"),
    )
    placements = [each.placement for each in select_published(values, 0).pages]
    assert [placement.is_listed for placement in placements] == [False, False]
    assert not any(placement.is_searched for placement in placements)


def test_a_draft_above_hides_below_another_cascade() -> None:
    """One that states nothing about publication, and pages that state `build`."""
    values = (
        page("x/_index.md", "cascade:\n  draft: true\n"),
        page("x/y/_index.md", "cascade:\n  type: docs\n"),
        page("x/y/a.md"),
        page("x/b.md", "build:\n  list: always\n"),
        page("c.md"),
    )
    assert paths(*values) == ["c.md"]


def test_dates_of_a_cascade_hold_below() -> None:
    """Until then the pages are hidden, except those with dates of their own."""
    values = (
        page("x/_index.md", "cascade:\n- publishDate: 1970-01-02\n"),
        page("x/a.md"),
        page("x/b.md", "publishDate: 1970-01-01\n"),
    )
    assert paths(*values) == ["x/b.md"]
    assert select_published(values, 0).changes_at == 86_400
    assert select_published(values, 86_401).changed_at == 86_400
    assert paths(*values, now=86_400) == ["x/_index.md", "x/a.md", "x/b.md"]


def test_a_cascade_hides_the_pages_of_its_target() -> None:
    """Below its folder only, and up to a nearer cascade."""
    target = "cascade:\n- {_target: {path: '/{t2,t3}/**'}, build: {render: never}}\n"
    values = (
        *(page("_index.md", target), page("a.md"), page("t2/_index.md")),
        *(page("t2/x.md"), page("T3/a b.md"), page("t33/x.md"), page("t4/t2/x.md")),
        page("t2/open/_index.md", "cascade:\n  build: {render: always}\n"),
        page("t2/open/x.md"),
        page("t5/_index.md", target.replace("/{t2,t3}/**", "/**")),
        *(page("t5/x.md"), page("t6.md")),
    )
    assert paths(*values) == [
        *("_index.md", "a.md", "t2/_index.md", "t33/x.md", "t4/t2/x.md"),
        *("t2/open/_index.md", "t2/open/x.md", "t6.md"),
    ]


def test_a_cascade_of_the_site_hides_pages() -> None:
    """After those of folders; by path, kind, date, and by what is not known."""

    def site(
        files: Mapping[str, str], cascade: Mapping[str, Data], now: float = 0.0
    ) -> list[str]:
        cascades = read_site_cascades([cascade], "docs/")
        rules = PageRules(dialect="hugo", base="docs/", cascades=cascades)
        pages = (
            read_page(raw_file(f"---\n{text}---\n# A\n", path), rules).value
            for path, text in files.items()
        )
        return paths(*pages, now=now)

    def draft(**target: Data) -> dict[str, Data]:
        return {"draft": True, "target": target}

    names = ["_index.md", "a.md", "x/_index.md", "x/b.md"]
    files = dict.fromkeys(names, "")
    assert site(files, {"draft": True}) == []
    assert site(files, {"draft": False}) == names
    assert site(files, draft(path="/docs/x{,/**}")) == names[:2]
    assert site(files, draft(path="/x{,/**}")) == names
    assert site(files, draft(kind="page")) == names[::2]
    staging = draft(path="/docs/a*", environment="staging")
    assert site(files, staging) == [names[0], *names[2:]]
    assert site(files, draft(path="[z-a]")) == []
    never = "cascade:\n  build:\n    render: never\n"
    below = {"x/_index.md": never, "x/b.md": "", "a.md": ""}
    assert site(below, {"build": {"render": "always"}}) == ["a.md"]
    assert site(files, {"publishDate": "1970-01-02"}) == []
    assert site(files, {"publishDate": "1970-01-02"}, now=86_400) == names


def test_a_cascade_may_mean_one_language() -> None:
    """Its tag or a part of it; a page of an unknown one is meant."""
    cascades = read_site_cascades([{"draft": True, "target": {"lang": "{cn,fr}"}}], "")
    value = read_page(raw_file("# A\n", "a.md"), PageRules(cascades=cascades)).value
    assert isinstance(value, DocPage)
    for tag, is_visible in (("fr-CA", 0), ("zh-CN", 0), ("en", 1), ("", 0)):
        assert len(paths(value.of_edition(Edition(language=tag)))) == is_visible, tag
