"""Every page is complete: no error, no external request, no dead link."""

import re
from urllib.parse import urldefrag, urljoin

import pytest
from e2e.reader import MISSING, PAGES, Reader

HREF = re.compile(r'<a [^>]*?href="([^"]*)"')
ID = re.compile(r'\sid="([^"]*)"')


@pytest.mark.parametrize("path", PAGES.values(), ids=PAGES)
def test_a_page_is_shown_without_an_error_or_a_request_to_others(
    reader: Reader, path: str
) -> None:
    """The console stays empty, and nothing is fetched from another origin."""
    page = reader.open(path)
    page.wait_for_load_state("networkidle")
    assert page.title()
    assert page.locator("h1").count() == 1
    assert page.locator("main").inner_text().strip()


def test_a_page_that_is_not_there_names_the_nearest(reader: Reader) -> None:
    """A misspelt address leads on, with status 404."""
    page = reader.open(MISSING)
    page.get_by_role("link", name="Sampler of everything").click()
    page.wait_for_url("**/concepts/sampler")
    reader.excuse("404")


def test_every_link_leads_to_a_page_and_to_a_place_on_it(reader: Reader) -> None:
    """No link of any page that can be reached is dead, fragments included."""
    start = f"{reader.site}/"
    waiting = [start]
    texts: dict[str, str] = {}
    wanted: dict[str, set[tuple[str, str]]] = {}
    while waiting:
        address = waiting.pop()
        if address in texts:
            continue
        answer = reader.context.request.get(address)
        assert answer.ok, (address, wanted.get(address))
        texts[address] = (
            answer.text() if "html" in answer.headers["content-type"] else ""
        )
        for href in HREF.findall(texts[address]):
            target, fragment = urldefrag(urljoin(address, href.replace("&amp;", "&")))
            if target.startswith(start):
                wanted.setdefault(target, set()).add((fragment, address))
                waiting.append(target)
    assert len(texts) > 40
    for target, fragments in wanted.items():
        places = {"", *ID.findall(texts[target])}
        assert not {pair for pair in fragments if pair[0] not in places}, target
