"""Links in a project: they lead to artifacts, nowhere else."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from support.canary import CANARY, Scanner
from support.files import save_in_place
from support.peers import Peer, open_app
from support.processes import run_cli
from support.project import age, make_project
from support.racing import Swap, swap_at_each_moment
from support.workspace import make_workspace

from asdlc_kb.app import Runtime
from asdlc_kb.project.agent_guides import scan_guides
from asdlc_kb.project.applicability import rules_for_path
from asdlc_kb.project.change_watch import ProjectWatch
from asdlc_kb.project.checks import check_project
from asdlc_kb.project.context import scan_project
from asdlc_kb.project.registry import Project
from asdlc_kb.project.rules import scan_rules
from asdlc_kb.project.scanner import ProjectScanner
from asdlc_kb.project.skill_files import list_skill_files, read_skill_file
from asdlc_kb.project.skills import scan_skills

Connect = Callable[[Runtime], AbstractAsyncContextManager[Peer]]

SKILL = "---\nname: good\ndescription: Good. Use it.\n---\n# Good\n"
FILES = {
    ".cursor/rules/good.mdc": "---\nalwaysApply: true\n---\nGood.\n",
    ".claude/skills/good/SKILL.md": SKILL,
    ".claude/skills/good/more.md": "More.\n",
    "src/app.ts": "code\n",
    "specs/x/plan.md": "Plan.\n",
}
SECRETS = (
    *(".env", ".env.local", ".git/config", ".git/x.md", ".claude/settings.json"),
    *("keys/server.pem", "keys/id_rsa", "src/code.py", "notes/private.md"),
    *(".claude/skills/good/.env", ".claude/skills/good/server.key"),
    *(".claude/skills/good/id_ed25519", ".claude/skills/good/prod.env"),
)
LINKS = {
    "AGENTS.md": ".env",
    "CLAUDE.md": ".git/config",
    "pkg/AGENTS.md": "../.env.local",
    "pkg/CLAUDE.md": "../notes/private.md",
    ".claude/CLAUDE.md": "settings.json",
    ".cursorrules": "keys/id_rsa",
    ".cursor/rules/env.mdc": "../../.env",
    ".cursor/rules/chain.mdc": "env.mdc",
    ".cursor/rules/settings.mdc": "../../.claude/settings.json",
    ".cursor/rules/notes.md": "../../notes/private.md",
    ".cursor/rules/up": "../..",
    ".cursor/rules/git": "../../.git",
    "pkg/.cursor/rules/env.mdc": "../../../.env",
    ".claude/rules": "../notes",
    ".cursor/commands/env.md": "../../.env",
    ".cursor/commands/key.md": "../../keys/server.pem",
    ".claude/commands": "../.git",
    ".claude/agents/env.md": "../../.env",
    ".claude/skills/single.md": "../../.env",
    ".claude/skills/linked/SKILL.md": "../../../.git/config",
    ".claude/skills/good/e.txt": "../../../.env",
    ".claude/skills/good/g": "../../../.git",
    ".claude/skills/good/k.pem": "../../../keys/server.pem",
    ".claude/skills/good/s": "../../../src",
    ".claude/skills/good/own": ".env",
    ".claude/skills/keys": "../../keys",
    ".agents/skills": "../notes",
    "specs/x/spec.md": "../../.env",
    "specs/x/data.json": "../../.claude/settings.json",
    "specs/x/git": "../../.git",
    "specs/y": "../notes",
    "schemas/e.json": "../.env",
    "schemas/s.json": "../.claude/settings.json",
}
CALLS: tuple[tuple[str, dict[str, Any]], ...] = (
    *((tool, {}) for tool in ("list_rules", "list_commands", "list_skills")),
    *((tool, {}) for tool in ("list_specs", "get_asdlc_artifacts")),
    ("get_project_context", {}),
    ("rules_for_path", {"path": "pkg/a.ts", "include_content": True}),
)
NAMED = {"get_rule": "name", "get_command": "name", "get_skill": "name"}


def plant(root: Path) -> None:
    """Write secrets, and links to them from every kind of location."""
    for path in SECRETS:
        save_in_place(root / path, f"TOKEN={CANARY}\n")
    for path, target in LINKS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).symlink_to(target)


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A project with links to secrets from everywhere."""
    root = make_workspace(tmp_path / "shop", FILES)
    plant(root)
    return root


def uris() -> Iterator[str]:
    """Yield the URIs that a client that knows the links would request."""
    names = sorted({Path(path).stem for path in (*LINKS, *SECRETS)})
    for kind in ("rules", "commands", "skills", "specs", "schemas"):
        yield f"ace://{kind}"
        yield from (f"ace://{kind}/{name}" for name in (*names, "config", "x/git"))
    yield "ace://agents-md"
    for path in (*LINKS, *SECRETS):
        if path.startswith(".claude/skills/"):
            yield f"skill://{path.removeprefix('.claude/skills/')}"
    for name in ("g/config", "s/code.py", "s/app.ts", "k.pem", "own", ".env"):
        yield f"skill://good/{name}"


@pytest.mark.timeout(seconds=120)
async def test_no_link_hands_out_what_is_no_artifact(
    shop: Path, connect: Connect
) -> None:
    """D-024: every tool, resource, prompt and completion, over each transport and
    version; the scan of sent bytes fails the test.
    """
    app = open_app(None, projects=[shop], is_local=True)
    names = sorted({Path(path).stem for path in LINKS} | set(LINKS))
    async with connect(app) as peer:
        for tool, arguments in CALLS:
            assert not (await peer.call(tool, **arguments)).get("isError")
        for tool, argument in NAMED.items():
            for name in names:
                await peer.call(tool, **{argument: name})
        for name in ("x", "y", "x/git"):
            await peer.call("get_spec", domain=name)
        listed = await peer.result("resources/list")
        for uri in (*uris(), *(each["uri"] for each in listed["resources"])):
            await peer.request("resources/read", {"uri": uri})
        prompts = [
            each["name"] for each in (await peer.result("prompts/list"))["prompts"]
        ]
        assert not {"env", "key"} & set(prompts)
        for name in (*prompts, "env", "key", "config"):
            await peer.request("prompts/get", {"name": name})
        for prefix in ("", "e", "k"):
            params = {
                "ref": {"type": "ref/resource", "uri": "ace://rules/{name}"},
                "argument": {"name": "name", "value": prefix},
            }
            found = (await peer.result("completion/complete", params))["completion"]
            assert set(found["values"]) <= {"good"}


async def test_what_is_no_link_is_served_next_to_them(shop: Path) -> None:
    """One refused link affects nothing else."""
    scanner = ProjectScanner(Project("shop", shop))
    assert [rule.name for rule in scan_rules(scanner)] == ["good"]
    (skill,) = scan_skills(scanner)
    files = [file.path for file in list_skill_files(scanner, skill)]
    assert files == ["SKILL.md", "more.md"]
    for path in ("e.txt", "g/config", "s/app.ts", ".env", "server.key", "id_ed25519"):
        assert read_skill_file(scanner, skill, path) is None


def test_check_names_every_link_that_is_refused(shop: Path, scanner: Scanner) -> None:
    """With its path, its target, and what to do; never an absolute path or a text."""
    ended = run_cli("check", "--project", shop, "--json", scanner=scanner)
    rows = {row["path"]: row for row in json.loads(ended.out) if row["code"] == "KB001"}
    refused = {path: rows[path]["message"] for path in LINKS if path in rows}
    missing = {path for path in LINKS if path not in rows}
    assert missing == set()
    kinds = ("hidden", "not point to an artifact", "named like a key")
    for path, text in refused.items():
        assert any(kind in text for kind in kinds), (path, text)
        assert ": " in text
        assert str(shop) not in text
    for path in (".claude/skills/good/server.key", ".claude/skills/good/prod.env"):
        assert rows[path]["code"] == "KB001"


@pytest.mark.parametrize(
    "target", [".env", ".git/config", "keys/a.pem", "notes/a.md", ".claude/a.json"]
)
def test_a_refused_link_does_not_tell_whether_something_is_there(
    tmp_path: Path, target: str
) -> None:
    """D-024: existing, missing, a folder: the same words."""
    list_problems = []
    mentioned = "notes/.env" if target == "notes/a.md" else target
    for make in ("nothing", "file", "folder"):
        folder = tmp_path / make
        folder.mkdir()
        project = make_project(folder, {"CLAUDE.md": f"see @./{mentioned}"})
        path = project.root / target
        if make == "file":
            save_in_place(path, "secret")
        elif make == "folder":
            path.mkdir(parents=True)
        for link in (".cursor/rules/a.mdc", ".claude/skills/s/a", "AGENTS.md"):
            (project.root / link).parent.mkdir(parents=True, exist_ok=True)
            (project.root / link).symlink_to(path)
        list_problems.append(
            (check_project(project), scan_guides(ProjectScanner(project)))
        )
    assert list_problems[0] == list_problems[1] == list_problems[2]
    assert not list_problems[0][1][0].imports[0].exists


LEGITIMATE = {
    ".claude/commands/release.md": "../../.clinerules/workflows/release.md",
    "AGENTS.md": ".agents/AGENTS.md",
    "CLAUDE.md": "AGENTS.md",
    ".claude/skills": "../.agents/skills",
    ".cursor/rules/guide.md": "../../AGENTS.md",
    ".cursor/rules/shared": "../../.claude/rules",
    ".cursorrules": ".github/copilot-instructions.md",
    "specs/b/spec.md": "../a/spec.md",
}


def test_links_from_one_artifact_to_another_are_followed(tmp_path: Path) -> None:
    """Repositories use them to serve several tools with one text."""
    project = make_project(
        tmp_path,
        {
            ".clinerules/workflows/release.md": "Release.",
            ".agents/AGENTS.md": "Guide.",
            ".agents/skills/plan/SKILL.md": "---\nname: plan\ndescription: d\n---\nP",
            ".agents/skills/plan/more.txt": "More.",
            ".claude/rules/style.md": "Style.",
            ".github/copilot-instructions.md": "Copilot.",
            "specs/a/spec.md": "# A",
        },
    )
    for path, target in LEGITIMATE.items():
        (project.root / path).parent.mkdir(parents=True, exist_ok=True)
        (project.root / path).symlink_to(target)
    context = scan_project(project)
    assert [command.name for command in context.commands] == ["release"]
    assert {rule.name for rule in context.rules} == {"guide", "style", "cursorrules"}
    assert {skill.name for skill in context.skills} == {"plan"}
    (spec,) = context.asdlc_artifacts.specs.specs
    assert (spec.domain, spec.also_in) == ("a", ("specs/b/spec.md",))
    (guide,) = context.asdlc_artifacts.guides
    assert (guide.path, guide.content) == ("AGENTS.md", "Guide.")
    assert guide.also_in == ("CLAUDE.md",)
    assert [p for p in context.problems if p.code == "KB001"] == []


def test_a_change_of_a_secret_behind_a_link_is_no_event(tmp_path: Path) -> None:
    """Notifications about a project do not reveal when a secret changed."""
    project = make_project(tmp_path, FILES)
    plant(project.root)
    age(project.root)

    def read(scanner: ProjectScanner) -> str:
        return repr((scan_rules(scanner), scan_guides(scanner), scan_skills(scanner)))

    watch = ProjectWatch(project, read, clock=lambda: time.time() + 3600)
    before = watch.scan()
    for path in SECRETS:
        save_in_place(project.root / path, "another text, and longer than before\n")
        assert watch.scan() == before


SWAPS = {
    "AGENTS.md": ".env",
    ".cursor/rules/a.mdc": ".env",
    ".cursor/rules": ".git",
    ".claude/skills/s/more.txt": ".env",
    ".claude/skills/s": ".git",
    "specs/f/spec.md": "notes/spec.md",
    "schemas/g.json": ".git/g.json",
}
"""Replacements of an artifact while it is read."""


def ask_for_skills(project: Project) -> object:
    """Return the skills, their files, and one of them."""
    scanner = ProjectScanner(project)
    skills = scan_skills(scanner)
    files = [list_skill_files(scanner, skill) for skill in skills]
    return skills, files, [read_skill_file(scanner, s, "more.txt") for s in skills]


QUESTIONS: tuple[Callable[[Project], object], ...] = (
    scan_project,
    ask_for_skills,
    lambda project: rules_for_path(ProjectScanner(project), "a.ts"),
    check_project,
)
"""All sources of a project's answers; each is read on its own."""


@pytest.mark.timeout(seconds=120)
@pytest.mark.parametrize("path", SWAPS)
def test_a_link_swapped_at_any_moment_never_leads_to_a_secret_inside(
    tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """D-024: the opened file is the one that was checked, whenever the link comes."""
    project = make_project(
        tmp_path,
        {
            "AGENTS.md": "inside",
            ".cursor/rules/a.mdc": "inside",
            ".claude/skills/s/SKILL.md": "inside",
            ".claude/skills/s/more.txt": "inside",
            "specs/f/spec.md": "inside",
            "schemas/g.json": '{"$id": "inside"}',
            ".env": "secret",
            "notes/spec.md": "secret",
            **{f".git/{name}": "secret" for name in ("a.mdc", "SKILL.md", "more.txt")},
            ".git/telling.md": "secret",
            ".git/g.json": '{"$id": "secret"}',
        },
    )
    swap = Swap(project.root, path, project.root / SWAPS[path])
    for ask in QUESTIONS:
        seen = swap_at_each_moment(monkeypatch, swap, path, partial(ask, project))
        for moment, text in enumerate(seen):
            assert "secret" not in text, moment
            assert "telling" not in text, moment


COPIES = (
    *("key.pem~", "key.pem.bak", "server.key.old", "id_rsa~", "id_rsa1"),
    *(
        "id_ed25519_work",
        "prod.env.local",
        "prod.env.production",
        "a.env~",
        "prod.env ",
    ),
    *("secring.gpg.bak", "key.asc", "privkey.der", "vault.p12.md", "credentials"),
    *("service-account.json", "a.tfstate", "repo.git/config"),
    *("bare/HEAD", "bare/objects/x", "bare/refs/x", "bare/config"),
)


def test_copies_of_keys_and_environments_are_no_files_of_a_skill(
    tmp_path: Path,
) -> None:
    """Editors and people leave them there; files that only mention them are served."""
    folder = ".claude/skills/good"
    legible = ("keys.md", "environment.md", "id_rsa.pub", "id_generation.md")
    files = {f"{folder}/{name}": "TOKEN\n" for name in (*COPIES, *legible)}
    root = make_workspace(tmp_path / "shop", {**FILES, **files})
    scanner = ProjectScanner(Project("shop", root))
    (skill,) = scan_skills(scanner)
    listed = {file.path for file in list_skill_files(scanner, skill)}
    assert listed == {"SKILL.md", "more.md", *legible}
    for name in COPIES:
        assert read_skill_file(scanner, skill, name) is None
