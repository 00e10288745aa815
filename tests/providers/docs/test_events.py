"""Change notifications of the visible documentation."""

import pytest
from support.docs import rescan
from support.manual import Manual

from asdlc_kb.docs.library import DocLibrary
from asdlc_kb.mcp.subscriptions.events import Event, ResourcesChanged, ResourceUpdated
from asdlc_kb.providers.docs.events import list_events

LISTED = ResourcesChanged()
DRAFT = "---\ndraft: true\n---\n"


def scan_events(manual: Manual) -> list[Event]:
    """Return the events of the current state of the disk."""
    before = manual.library.catalog
    return list_events(before, rescan(manual.library))


def updated(*paths: str) -> list[Event]:
    """Return the events of resources with changed text."""
    return [ResourceUpdated(f"kb://doc/{path}") for path in paths]


def test_nothing_is_told_of_what_cannot_be_seen(manual: Manual) -> None:
    """D-039: a draft that is added, changed or removed causes no notification."""
    path = manual.tree.write("new.md", f"{DRAFT}# One\n")
    assert scan_events(manual) == []
    manual.tree.write("new.md", f"{DRAFT}# Two\n")
    manual.tree.write(".git/y.md", "# Y\n")
    manual.tree.write("sidebar.md", "* [G](guide/)\n")
    assert scan_events(manual) == []
    path.unlink()
    assert scan_events(manual) == []


@pytest.mark.parametrize("text", [None, f"{DRAFT}# Guide\n"])
def test_what_goes_or_returns_changes_the_list_and_what_it_reads(
    manual: Manual, text: str | None
) -> None:
    """D-002: hidden is the same as missing. D-039: a return is reported as well."""
    if text is None:
        (manual.tree.root / "guide/index.md").unlink()
    else:
        manual.tree.write("guide/index.md", text)
    assert scan_events(manual) == [LISTED, *updated("guide/index.md")]
    manual.tree.write("guide/index.md", "# Guide\n")
    assert scan_events(manual) == [LISTED, *updated("guide/index.md")]


def test_the_first_load_changes_the_list_alone(manual: Manual) -> None:
    """D-039: no client has read any page before."""
    library = DocLibrary(manual.tree.root)
    first = library.catalog
    assert list_events(first, rescan(library)) == [LISTED]


def test_a_new_body_changes_no_list(manual: Manual) -> None:
    """The list does not show the text; a new title is in both."""
    manual.tree.write("guide/first steps.md", "# First [steps]\n\nOther.\n")
    assert scan_events(manual) == updated("guide/first%20steps.md")
    manual.tree.write("guide/first steps.md", "# Other\n")
    assert scan_events(manual) == [LISTED, *updated("guide/first%20steps.md")]


def test_a_description_is_in_the_list_alone(manual: Manual) -> None:
    """The text of the resource does not show it, nor do fields for search only."""
    text = "---\ndescription: A\n---\n# Guide\n\nStart here.\n"
    manual.tree.write("guide/index.md", text)
    assert scan_events(manual) == [LISTED]
    tagged = text.replace("---\n#", "tags: [a]\n---\n#")
    manual.tree.write("guide/index.md", tagged)
    assert scan_events(manual) == []
