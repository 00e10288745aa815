"""The visible statuses, and lines that hide a file that cannot be parsed."""

import pytest

from asdlc_kb.articles.status import VISIBLE, ArticleStatus, hides_when_unparsable


def test_only_live_and_experimental_are_visible() -> None:
    """D-001: Draft, Proposed and Deprecated are never exposed."""
    assert {status for status in ArticleStatus if status.is_visible} == VISIBLE
    assert {status.value for status in VISIBLE} == {"Live", "Experimental"}
    assert {status.value for status in ArticleStatus} == {
        *("Live", "Experimental", "Draft", "Proposed", "Deprecated"),
    }


@pytest.mark.parametrize(
    "text",
    [
        "status: Draft",
        "status: Proposed",
        "status: Deprecated",
        "status: live",
        "status: LIVE",
        "status: Drfat",
        "status:",
        "status: ",
        "status:\n  Draft",
        "status: |\n  Live",
        "status: &x Live",
        "status: !!str Live",
        "status: *x",
        "status: [Draft]",
        "status: Live Draft",
        "Status: Draft",
        "STATUS: Draft",
        "status : Draft",
        "status\n: Draft",
        "status:Draft",
        '"status": "Draft"',
        "'status': 'Draft'",
        "{title: x, status: Draft}",
        '{"status":"Draft","title":"x"}',
        "  status: Draft",
        "title: [\nstatus: Draft\n",
        "status: Live\nstatus: Draft",
        "status: Draft\nstatus: Live",
        "status: Live\u200b",
        "status: \uff2c\uff49\uff56\uff45",
    ],
)
def test_any_line_that_names_another_status_hides(text: str) -> None:
    """D-068: an unparsable file that may state Draft is hidden."""
    assert hides_when_unparsable(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "title: x",
        "status: Live",
        "status: Experimental",
        "status: Live\n",
        "status: Live  # was Draft",
        'status: "Live"',
        "status: 'Live'  ",
        "{status: Live}",
        '{"status": "Live", "title": "x"}',
        "status: Live\nstatus: Experimental",
        "title: [\nstatus: Live\n",
        "The status quo: Draft",
        "substatus: Draft",
        "statuses: Draft",
    ],
)
def test_what_names_no_other_status_does_not_hide(text: str) -> None:
    """D-068: an unparsable file that still states Live keeps its last good version."""
    assert not hides_when_unparsable(text)
