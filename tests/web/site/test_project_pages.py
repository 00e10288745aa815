"""/projects/: what agents read in a project, for people."""

import re
from pathlib import Path
from urllib.parse import quote

import pytest
from support.files import save_in_place
from support.knowledge import KnowledgeBase
from support.peers import open_app, serving
from support.site import Site
from support.wire import Answer, ask
from support.workspace import make_workspace

from asdlc_kb.app import Runtime

HTML = {"Accept": "text/html"}
PAGE = "/projects/shop/"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project with artifacts of every kind, and files that must stay hidden."""
    return make_workspace(tmp_path / "shop")


@pytest.fixture
def app(knowledge: KnowledgeBase, root: Path) -> Runtime:
    """A server with pages of projects."""
    return open_app(knowledge, projects=(root,), project_pages=True)


async def get(site: Site, path: str) -> Answer:
    """Request a page as a browser."""
    return await ask(site.port, "GET", path, HTML)


async def read(site: Site, path: str) -> str:
    """Return the text of an existing page, without tags."""
    answer = await get(site, path)
    assert answer.status == 200
    main = answer.body.decode().partition("<main")[2].partition("</main>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", main).split())


async def test_the_page_lists_what_agents_read(app: Runtime) -> None:
    """Every kind of artifact, with its description and when it applies."""
    async with serving(app) as site:
        text = await read(site, PAGE)
        home = (await get(site, "/")).body.decode()
        assert "shop" in await read(site, "/projects/")
        assert "shop" in await read(site, "/projects")
    assert 'href="/projects/"' in home
    assert "Guides 2" in text
    assert "security : Keep: secrets out" in text
    assert "for **/*.py" in text
    assert "house .cursor/rules/house.mdc always attached in the project" in text
    assert "create-plan : Plans. Use before work." in text
    assert "Reviews a change." in text
    assert ".claude/agents/auditor.md" in text
    assert "login" in text
    assert "schemas/note.schema.json" in text


async def test_the_form_answers_what_applies_to_a_file(
    app: Runtime, root: Path
) -> None:
    """Nearest first with the reason; requested ones by their description, apart."""
    save_in_place(
        root / ".cursor/rules/db.mdc", "---\ndescription: Migrations\n---\nx\n"
    )
    async with serving(app) as site:
        every = await read(site, f"{PAGE}?path=web/app.py")
        claude = await read(site, f"{PAGE}?path=web/app.py&tool=claude")
        unknown = await read(site, f"{PAGE}?path=web/app.py&tool=no-such-tool")
        nothing = await read(site, f"{PAGE}?path=%20")
    answer = every.partition("Nearest first:")[2].partition("Guides 2")[0]
    nearest, rule = answer.index("web/AGENTS.md"), answer.index("security.mdc")
    assert nearest < rule < answer.index(" AGENTS.md")
    assert "the path matches **/*.py" in answer
    assert "Read if the description fits the task .cursor/rules/db.mdc" in answer
    of_claude = claude.partition("Nearest first:")[2].partition("Guides 2")[0]
    assert ".claude/rules/style.md" in of_claude
    assert ".cursor/rules" not in of_claude
    assert unknown == every
    assert "Nearest first:" not in nothing


async def test_texts_that_contradict_each_other_are_named(
    app: Runtime, root: Path
) -> None:
    """With both files and the reason."""
    save_in_place(
        root / ".cursor/rules/style.mdc", "---\nalwaysApply: true\n---\nNo.\n"
    )
    async with serving(app) as site:
        text = await read(site, f"{PAGE}?path=a.py")
    conflicts = text.partition("Conflicts")[2]
    assert "same name, different texts" in conflicts
    assert ".cursor/rules/style.mdc" in conflicts


@pytest.mark.parametrize("path", ["../outside/rule.mdc", "/etc/passwd", ".."])
async def test_a_path_outside_of_the_project_is_refused(
    app: Runtime, path: str
) -> None:
    """The same words, whether there is such a file or not."""
    async with serving(app) as site:
        text = await read(site, f"{PAGE}?path={quote(path, safe='')}")
    assert "This is not the path of a file in the project." in text


async def test_a_listed_file_is_shown_as_it_is(app: Runtime, root: Path) -> None:
    """Its markup is text: nothing in it is rendered."""
    save_in_place(root / ".claude/rules/style.md", "<script>alert(1)</script> & *x*\n")
    async with serving(app) as site:
        answer = await get(site, f"{PAGE}?file=.claude/rules/style.md")
    assert answer.status == 200
    assert answer.headers["x-robots-tag"] == "noindex"
    body = answer.body.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; *x*" in body
    assert "<script>alert" not in body


async def test_a_long_file_is_cut_and_the_page_says_so(
    app: Runtime, root: Path
) -> None:
    """A browser need not render megabytes."""
    save_in_place(root / ".claude/rules/style.md", "word " * 60_000)
    async with serving(app) as site:
        text = await read(site, f"{PAGE}?file=.claude/rules/style.md")
    assert text.endswith("The file is longer; this is its beginning. ↑")
    assert len(text) < 201_000


@pytest.mark.parametrize(
    "path",
    [
        f"{PAGE}?file=.env",
        f"{PAGE}?file=src/secret.txt",
        f"{PAGE}?file=../outside/rule.mdc",
        f"{PAGE}?file=CLAUDE.local.md",
        f"{PAGE}?file=no/such.md",
        f"{PAGE}?file=%00",
        "/projects/shop-sibling/",
        "/projects/..%2fshop-sibling/",
        "/projects/no-such/",
    ],
)
async def test_what_is_not_listed_is_missing(
    app: Runtime, root: Path, path: str
) -> None:
    """An existing file that is not listed looks like one that there is not."""
    save_in_place(root / "CLAUDE.local.md", "Personal.\n")
    async with serving(app) as site:
        answer = await get(site, path)
        plain = await ask(site.port, "GET", path, {"Accept": "application/json"})
        missing = await ask(
            site.port, "GET", "/no-such", {"Accept": "application/json"}
        )
    assert answer.status == plain.status == 404
    assert plain.body == missing.body
    assert b"Personal" not in answer.body


async def test_the_folder_of_a_project_is_no_name_of_it(
    app: Runtime, root: Path
) -> None:
    """Where projects are on the machine is not known on the website."""
    async with serving(app) as site:
        answer = await get(site, f"/projects/{quote(str(root), safe='')}/")
        page = await get(site, PAGE)
    assert answer.status == 404
    assert str(root).encode() not in page.body


async def test_personal_guides_are_not_on_the_page(app: Runtime, root: Path) -> None:
    """They are for the local clients of their author."""
    save_in_place(root / "CLAUDE.local.md", "Personal whale song.\n")
    async with serving(app) as site:
        listed = await get(site, PAGE)
        applying = await get(site, f"{PAGE}?path=a.py")
    for answer in (listed, applying):
        assert answer.status == 200
        assert b"CLAUDE.local" not in answer.body
        assert b"whale song" not in answer.body


async def test_there_are_no_pages_without_the_setting(
    knowledge: KnowledgeBase, root: Path
) -> None:
    """The website has no address of a project, and no link to one."""
    app = open_app(knowledge, projects=(root,))
    async with serving(app) as site:
        assert (await get(site, "/projects/")).status == 404
        assert (await get(site, PAGE)).status == 404
        home = await get(site, "/")
    assert b"/projects" not in home.body


async def test_there_are_no_pages_without_projects(knowledge: KnowledgeBase) -> None:
    """The setting alone adds nothing."""
    async with serving(open_app(knowledge, project_pages=True)) as site:
        assert (await get(site, "/projects/")).status == 404
        assert b"/projects" not in (await get(site, "/")).body


async def test_the_page_is_read_from_disk_for_each_request(
    app: Runtime, root: Path
) -> None:
    """A browser that has the page gets 304 until a file changes."""
    async with serving(app) as site:
        first = await get(site, PAGE)
        known = {**HTML, "If-None-Match": first.headers["etag"]}
        assert (await ask(site.port, "GET", PAGE, known)).status == 304
        save_in_place(root / ".claude/rules/fresh.md", "Be fresh.\n")
        assert (await ask(site.port, "GET", PAGE, known)).status == 200
        assert "fresh" in await read(site, PAGE)
        head = await ask(site.port, "HEAD", PAGE, HTML)
    assert head.status == 200
    assert head.body == b""


async def test_an_argument_that_is_no_text_is_refused(app: Runtime) -> None:
    """Without repeating it."""
    async with serving(app) as site:
        answer = await get(site, f"{PAGE}?path=%ff")
    assert answer.status == 400
    assert b"\xff" not in answer.body
