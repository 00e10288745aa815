"""The extension in VS Code: the server and the workbench, in Debian's Chromium.

npm has both as `code-server`, whose build of VS Code runs without its native modules:
nothing is compiled. What VS Code downloads at run time it does without.
"""

import json
import re
import shutil
import sys
import tarfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from editor.tools import CACHE, NODE, NPM, QUIET, run
from playwright.sync_api import Locator, Page, expect, sync_playwright
from support.canary import Scanner
from support.files import save_in_place
from support.processes import BOUND, start_command

RELEASE = "4.139.1"
"""Of code-server; it has VS Code 1.139.1."""

INTEGRITY = (
    "sha512-fUYvJVdz4ZoVJfakGiGWXFMpF8K1ObsrpGvX17ZxNpKOzdNHs7lANT670JTr4ZhA8DnWqyvvmFG"
    "/d3HV9Yy6ew=="
)
MISSING = "Chromium is missing: apt-get install chromium"
TOKEN = "of-the-tests"
SETTINGS = {
    "asdlc-kb.command": str(Path(sys.executable).with_name("asdlc-kb")),
    "extensions.autoCheckUpdates": False,
    "extensions.ignoreRecommendations": True,
    "remote.autoForwardPorts": False,
    "telemetry.telemetryLevel": "off",
    "workbench.startupEditor": "none",
}
LISTENING = re.compile(rb"listening on (\d+)")

Open = Callable[[Path], "Window"]


class Window:
    """A window of VS Code with a folder."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.rows = page.locator(".quick-input-list .monaco-list-row")
        """Rows of the command palette and of other lists to select from."""

    def find(self, part: str, text: str) -> Locator:
        """Return the elements of a class with a text."""
        return self.page.locator(f".{part}", has_text=text)

    def trust(self) -> None:
        """Trust the folder, as its user does."""
        self.find("statusbar-item", "Restricted Mode").click()
        self.page.locator(".workspace-trust-editor").get_by_role(
            "button", name="Trust", exact=True
        ).click()
        expect(self.find("statusbar-item", "Restricted Mode")).to_have_count(0)
        self.page.get_by_role("button", name="Close Modal Editor").click()

    def run(self, command: str) -> None:
        """Run a command of the palette, by its title."""
        self.page.keyboard.press("F1")
        self.page.keyboard.type(command)
        self.rows.filter(has_text=command).first.click()


@pytest.fixture(scope="module")
def code() -> Path:
    """Return the folder of VS Code; from the npm registry, once."""
    folder = CACHE / f"code-server-{RELEASE}"
    installed = folder / "package" / "lib" / "vscode"
    finished = folder / "finished"
    if not finished.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        output = run(folder, NPM, "pack", f"code-server@{RELEASE}", "--json")
        (packed,) = json.loads(output[output.index("[") :])
        assert packed["integrity"] == INTEGRITY
        archive = folder / packed["filename"]
        with tarfile.open(archive) as opened:
            members = [one for one in opened if "/lib/vscode/" in one.name]
            opened.extractall(folder, members, filter="data")
        archive.unlink()
        run(installed, NPM, "install", "--omit=dev", *QUIET)
        finished.touch()
    return installed


@pytest.fixture(scope="module")
def address(
    code: Path, package: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The address of VS Code with the packed extension."""
    data = tmp_path_factory.mktemp("code")
    options = ("--accept-server-license-terms", "--server-data-dir", data)
    program = code / "out" / "server-main.js"
    run(data, program, *options, "--install-extension", package)
    save_in_place(data / "data" / "Machine" / "settings.json", json.dumps(SETTINGS))
    scanner = Scanner()
    command = (NODE, program, "--port", "0", "--connection-token", TOKEN, *options)
    quiet = ("--host", "127.0.0.1", "--log", "warn")
    further = {"HOME": str(data), "EXTENSIONS_GALLERY": "{}"}
    with start_command(*command, *quiet, scanner=scanner, env=further) as server:
        while (line := server.read_line()) and not (match := LISTENING.search(line)):
            pass
        assert line, server.read_stderr()
        assert match is not None
        yield f"http://127.0.0.1:{int(match[1])}/?tkn={TOKEN}"
    assert scanner.collect() == []


@pytest.fixture(scope="module")
def open_window(address: str) -> Iterator[Open]:
    """Open folders, each in a browser profile of its own, which trusts none."""
    path = shutil.which("chromium")
    assert path, MISSING
    expect.set_options(timeout=BOUND * 1000)
    with ExitStack() as stack:
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=path)
        stack.callback(browser.close)

        def open_folder(folder: Path) -> Window:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            stack.callback(page.context.close)
            page.set_default_timeout(BOUND * 1000)
            page.goto(f"{address}&folder={folder}")
            return Window(page)

        yield open_folder


def test_vs_code_starts_the_server_of_a_trusted_project(
    open_window: Open, tmp_path: Path
) -> None:
    """Before it is trusted, the extension is disabled."""
    save_in_place(tmp_path / "AGENTS.md", "Be brief.")
    window = open_window(tmp_path)
    expect(window.find("statusbar-item", "Restricted Mode")).to_be_visible()
    window.run("Extensions: Show Installed Extensions")
    extension = window.find("extensions-list .disabled", "asdlc-kb").first
    expect(extension).to_be_visible()
    window.trust()
    window.run("asdlc-kb: Connect")
    served = f"asdlc-kb is registered with code-server: {tmp_path.name}."
    expect(window.find("notification-toast", served)).to_be_visible()
    window.page.get_by_role("button", name="Show MCP servers").click()
    window.rows.filter(has_text="asdlc").click()
    window.rows.filter(has_text="Start Server").click()
    # VS Code shows the server's log, which has a line for each request.
    expect(window.find("view-lines", "tools/list")).to_be_visible()
    window.run("MCP: List Servers")
    expect(window.rows.filter(has_text="asdlc")).to_contain_text("Running")


def test_people_see_rules_and_problems_once_a_folder_has_some(
    open_window: Open, tmp_path: Path
) -> None:
    """The status bar, the list of rules, the Problems panel."""
    save_in_place(tmp_path / "src" / "a.ts", "export const a = 1;\n")
    window = open_window(tmp_path)
    window.trust()
    window.page.keyboard.press("Control+p")
    window.page.keyboard.type("a.ts")
    window.rows.filter(has_text="a.ts").first.click()
    expect(window.find("tab", "a.ts")).to_be_visible()
    window.run("asdlc-kb: Connect")
    nothing = window.find("notification-toast", "No folder of this workspace has")
    expect(nothing).to_be_visible()
    expect(window.find("statusbar-item", "Rules")).to_have_count(0)
    save_in_place(
        tmp_path / ".cursor" / "rules" / "ts.mdc", "---\nglobs: **/*.ts\n---\n"
    )
    save_in_place(tmp_path / "AGENTS.md", "Be brief.")
    window.find("statusbar-item", "Rules").click()
    expect(window.rows.filter(has_text="the path matches **/*.ts")).to_be_visible()
    window.rows.filter(has_text="for all in the project").click()
    expect(window.find("tab", "AGENTS.md")).to_be_visible()
    window.run("asdlc-kb: Check Files for Agents")
    window.page.get_by_role("button", name="Show problems").click()
    expect(window.find("markers-panel", "KB045")).to_contain_text("ts.mdc")
