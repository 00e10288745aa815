"""Addresses of the pages of projects."""

from hypothesis import given
from hypothesis import strategies as st

from asdlc_kb.site.pages.project_pages import address_of, read_name


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1))
def test_an_address_has_the_name_of_its_project(name: str) -> None:
    """Any name of a folder: one segment, and nothing to escape in HTML."""
    address = address_of(name)
    assert address.count("/") == 3
    assert address.isascii()
    stripped = name.strip("/")
    assert read_name(address).strip("/") == stripped or "/" in name


def test_the_list_has_no_name() -> None:
    """With a slash and without."""
    assert read_name("/projects/") == read_name("/projects") == ""
