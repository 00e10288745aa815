"""The sidebar: complete if short, else open on the way to the page."""

from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from support.docs import DocsTree
from support.publishing import find_page, open_site

from asdlc_kb.site.layout.sidebar import (
    MAX_ENTRIES,
    MAX_SIBLINGS,
    Sidebar,
    SidebarEntry,
)


def make_tree(*shape: int) -> list[SidebarEntry]:
    """Return groups of groups of pages, each by its number: groups have no page."""

    def grow(depth: int, name: str) -> list[SidebarEntry]:
        found = []
        for number in range(shape[depth]):
            path = f"{name}/{number}"
            is_page = depth == len(shape) - 1
            found.append(SidebarEntry(path, path if is_page else "", depth))
            found += [] if is_page else grow(depth + 1, path)
        return found

    return grow(0, "")


def test_a_short_sidebar_is_shown_as_it_is() -> None:
    """Nothing to open."""
    entries = make_tree(10, 19)
    assert len(entries) == MAX_ENTRIES
    sidebar = Sidebar(entries)
    assert sidebar.fold("/3/3") is sidebar.entries


def test_a_long_sidebar_is_open_on_the_way() -> None:
    """The siblings of the page and of its ancestors, and nothing else."""
    entries = make_tree(8, 9, 10)
    shown = [entry.title for entry in Sidebar(entries).fold("/3/4/5")]
    wanted = [f"/{n}" for n in range(8)]
    wanted[4:4] = [f"/3/{n}" for n in range(9)]
    wanted[9:9] = [f"/3/4/{n}" for n in range(10)]
    assert shown == wanted


def test_a_closed_group_leads_to_its_first_page() -> None:
    """The link opens it."""
    entries = make_tree(8, 9, 10)
    closed = {entry.title: entry.address for entry in Sidebar(entries).fold("/3/4/5")}
    assert closed["/0"] == "/0/0/0"
    assert closed["/3/2"] == "/3/2/0"
    assert "/0/0" in [entry.title for entry in Sidebar(entries).fold(closed["/0"])]


def test_the_ancestors_of_a_page_are_the_entries_above_it() -> None:
    """From the top, groups without a page too; a page that is not there has none."""
    entries = make_tree(3, 3, 3)
    above = [entry.title for entry in Sidebar(entries).list_ancestors("/1/2/0")]
    assert above == ["/1", "/1/2"]
    assert Sidebar(entries).list_ancestors("/1") == ()
    assert Sidebar(entries).list_ancestors("/elsewhere") == ()


def test_a_page_that_has_pages_below_it_shows_them() -> None:
    """One step further is always visible."""
    below = [SidebarEntry(f"b{n}", f"/a/{n}", 1) for n in range(5)]
    rest = [SidebarEntry(f"x{n}", f"/x/{n}", 1) for n in range(MAX_ENTRIES)]
    entries = [SidebarEntry("a", "/a", 0), *below, SidebarEntry("x", "/x", 0), *rest]
    assert list(Sidebar(entries).fold("/a")) == [
        entries[0],
        *below,
        SidebarEntry("x", "/x", 0, is_collapsed=True),
    ]


def test_an_entry_says_whether_it_opens() -> None:
    """The groups on the way to the page are open, and a page has nothing to open."""
    shown = Sidebar(make_tree(8, 9, 10)).fold("/3/4/5")
    opened = {entry.title for entry in shown if not entry.is_collapsed}
    assert opened == {"/3", "/3/4", *(f"/3/4/{number}" for number in range(10))}
    assert not any(entry.is_collapsed for entry in Sidebar(make_tree(10, 19)).fold(""))


def test_a_long_row_is_cut_around_the_page() -> None:
    """A gap at each end links to the nearest page that is left out there."""
    entries = make_tree(3 * MAX_SIBLINGS)

    def gap(number: int) -> SidebarEntry:
        return SidebarEntry("…", entries[number].address, 0, is_group=True)

    middle = list(Sidebar(entries).fold(entries[150].address))
    assert entries[150] in middle
    assert (middle[0], middle[-1]) == (gap(99), gap(200))
    assert len(middle) == MAX_SIBLINGS + 2
    first = list(Sidebar(entries).fold(entries[0].address))
    assert first == [*entries[:MAX_SIBLINGS], gap(MAX_SIBLINGS)]
    last = list(Sidebar(entries).fold(entries[-1].address))
    assert last == [gap(-MAX_SIBLINGS - 1), *entries[-MAX_SIBLINGS:]]


def test_a_gap_before_groups_links_to_a_page() -> None:
    """The first below the next group."""
    entries = make_tree(2 * MAX_SIBLINGS, 2)
    gap = next(e for e in Sidebar(entries).fold("/3/0") if e.title == "…")
    assert gap.address == f"/{MAX_SIBLINGS}/0"


def test_a_page_that_is_not_in_it_sees_the_outermost() -> None:
    """The list of all pages, for example."""
    entries = make_tree(8, 30)
    assert [entry.title for entry in Sidebar(entries).fold("/none")] == [
        f"/{n}" for n in range(8)
    ]


@given(st.integers(0, 2**32))
def test_the_page_is_in_its_sidebar(seed: int) -> None:
    """At any depth, and in the order of the whole."""
    pick = Random(seed)
    depths = pick.choices(range(6), k=pick.randint(MAX_ENTRIES + 1, 2 * MAX_ENTRIES))
    entries = [SidebarEntry(str(n), f"/{n}", depth) for n, depth in enumerate(depths)]
    current = pick.choice(entries)
    shown = [
        entry for entry in Sidebar(entries).fold(current.address) if entry.title != "…"
    ]
    assert current in shown
    numbers = [int(entry.title) for entry in shown]
    assert numbers == sorted(set(numbers))


def test_pages_of_a_large_tree_are_light(tmp_path: Path) -> None:
    """A page costs no more for unrelated parts."""
    tree = DocsTree(tmp_path / "docs")
    for number in range(1500):
        tree.write(f"part{number % 30:02}/page{number:04}.md", f"# Page {number}\n")
    site = open_site(None, tree)
    for path in ("/docs/part07/page0007", "/docs/"):
        assert len(find_page(site, path).body) < 30_000
    assert b'"/docs/part08/page0008"' in find_page(site, "/docs/part07/page0007").body
