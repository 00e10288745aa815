"""Names of tabs and of other groups of `<details>`."""

import re

from asdlc_kb.markup.html_renderer import render

TABS = """<div class="tabs">
<details name="install" open title="<div>">
<summary>pip</summary>

a

<details><summary>Inside</summary></details>
</details>
<details>
<summary>uv</summary>

b

</details>
</div>
"""


def list_names(text: str) -> list[str]:
    """Return the names of `<details>`, empty for one without."""
    tags = re.findall("<details[^>]*>", render(text).text.replace("<div>", ""))
    return [tag.partition('name="')[2].partition('"')[0] for tag in tags]


def test_the_tabs_of_a_group_have_one_name() -> None:
    """However they are named, and other groups of the page as well."""
    both = list_names(f"{TABS}\n{TABS}")
    assert both == ["tabs-1", "", "tabs-1", "tabs-2", "", "tabs-2"]
    assert 'name="tabs-1" open=""' in render(TABS).text


def test_tabs_inside_tabs_are_another_group() -> None:
    """Their choice does not close the outer ones."""
    nested = TABS.replace("\na\n", f"\n{TABS}\n")
    assert list_names(nested) == [
        *("tabs-1", "tabs-2", "", "tabs-2", "", "tabs-1"),
    ]


def test_names_outside_tabs_are_kept_apart() -> None:
    """HTML: of the details with one name, one is open."""
    text = "\n".join(
        f'<details name="{name}"><summary>A</summary></details>'
        for name in ("FAQ", "faq", "tabs-1", "質問", "-")
    )
    assert list_names(text) == [
        "group-faq",
        "group-faq",
        "group-tabs-1",
        "group-質問",
        "",
    ]
