"""The table of places: each is cited, and may be read."""

from datetime import date

import pytest
from support.project import FIXTURES

from asdlc_kb.project.artifact_places import KINDS, ArtifactPlace
from asdlc_kb.project.link_targets import TOOL_FOLDERS, file_filter, folder_filter
from asdlc_kb.project.locations import ArtifactFolder

PLACES = [place for kind in KINDS for place in kind.places]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.folder)
def test_every_place_is_cited_and_may_be_read(place: ArtifactPlace) -> None:
    """Its tool's documentation, with a date; its holder is searched for in a walk."""
    assert place.documentation.address.startswith("https://")
    assert date.fromisoformat(place.documentation.as_of) >= date(2025, 1, 1)
    folder = ArtifactFolder(FIXTURES, place.folder, place.tool)
    assert folder_filter(folder)(place.folder) is None
    for suffix in place.suffixes:
        path = f"{place.folder}/x{suffix}"
        assert file_filter(folder, path)(path) is None
    assert not place.holder or place.holder in TOOL_FOLDERS


def test_skills_may_have_files_of_any_kind() -> None:
    """Wherever they are."""
    _, skills, _ = KINDS
    for place in skills.places:
        path = f"{place.folder}/x/tool.py"
        folder = ArtifactFolder(FIXTURES, place.folder, place.tool)
        assert file_filter(folder, path)(path) is None


def test_each_place_is_there_once() -> None:
    """Cursor precedes Claude, both precede the others."""
    assert len({place.folder for place in PLACES}) == len(PLACES)
    for kind in KINDS:
        assert [place.tool for place in kind.places[:2]] == ["cursor", "claude"]
        assert [place.is_global for place in kind.places].index(False) == 2
