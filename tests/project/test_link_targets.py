"""Real paths of a project that are artifacts, by their names alone."""

from dataclasses import replace
from pathlib import Path

import pytest

from asdlc_kb.exceptions import PersonalFile
from asdlc_kb.project.link_targets import (
    check_mention,
    file_filter,
    folder_filter,
    is_secret,
    link_filter,
    withhold_personal,
)
from asdlc_kb.project.locations import ArtifactFolder

NAME = "CLAUDE.local.md"
PLACE = ArtifactFolder(Path("/p"), ".cursor/rules", "cursor")
HOME = ArtifactFolder(
    Path("/home/me/.claude"), "commands", "claude", "global", "~/.claude/"
)

ARTIFACTS = (
    ".cursor/rules/a.mdc",
    "pkg/deep/.claude/rules/x/a.md",
    ".clinerules/workflows/release.md",
    ".agents/AGENTS.md",
    "docs/AGENTS.md",
    "GEMINI.md",
    ".cursorrules",
    ".github/copilot-instructions.md",
    ".github/instructions/web.instructions.md",
    ".kiro/specs/login/spec.md",
    "skills/x/SKILL.md",
    "specs/a/spec.md",
    "openspec/specs/a/spec.md",
    ".ai/rules/general.md",
    ".ai/skills/git-credentials/SKILL.md",
    ".claude/skills/git-credentials/SKILL.md",
)
OTHERS = (
    *(".", "README.md", "docs/a.md", "src/code.md", "config/skills/x/SKILL.md"),
    *(".env", ".git/config", ".git/x.md", "a/.git/AGENTS.md", ".env/AGENTS.md"),
    *(".claude/settings.json", ".claude/x.md", ".cursor/mcp.json", ".github/x.md"),
    *(".claude/rules/.hidden/x.md", ".claude/rules/.x.md", ".claude/rules/run.sh"),
    *("skills/x/.claude/settings.json", "skills/x/.git/x.md"),
    *("node_modules/x/AGENTS.md", ".claude/skills/x/node_modules/y/SKILL.md"),
    *(".ai/notes.md", ".ai/.env", ".claude/skills/git-credentials", ".ai/tmp/x.md"),
    *(".claude/skills/credentials/SKILL.md", ".claude/skills/credentials.json/a.md"),
    *("specs/a/data.json", "schemas/note.json", ".claude/skills/x/run.sh"),
)


@pytest.mark.parametrize("path", ARTIFACTS)
def test_an_artifact_of_any_tool_is_a_target(path: str) -> None:
    """Links from one tool's folder to another's are common."""
    assert file_filter(PLACE, ".cursor/rules/a.mdc")(path) is None
    assert link_filter(PLACE, ".cursor/rules/a.mdc")(path) is None


@pytest.mark.parametrize("path", OTHERS)
def test_what_is_no_artifact_of_the_kind_is_no_target(path: str) -> None:
    """Hidden files, settings, sources, packages, and files of another kind."""
    assert file_filter(PLACE, ".cursor/rules/a.mdc")(path) is not None


def test_a_skill_may_have_any_file_and_a_schema_only_json() -> None:
    """The kind is determined by the requested name."""
    script = ".claude/skills/x/run.sh"
    assert file_filter(PLACE, ".claude/skills/y/run.sh")(script) is None
    assert file_filter(PLACE, "schemas/a.json")("schemas/b.json") is None
    assert file_filter(PLACE, "schemas/a.json")("schemas/b.md") is not None


@pytest.mark.parametrize(
    ("path", "is_artifacts"),
    [
        *((".agents/skills", True), (".agents/skills/x", True), ("skills", True)),
        *(("pkg/.cursor/rules", True), (".clinerules", True), ("specs/a", True)),
        *((".", False), (".claude", False), ("src", False), (".git", False)),
        *((".claude/projects", False), ("skills/x/.git", False), ("docs", False)),
    ],
)
def test_a_folder_must_lie_in_an_artifact_folder(path: str, is_artifacts: bool) -> None:
    """A link to a folder makes everything in it reachable."""
    assert (folder_filter(PLACE)(path) is None) == is_artifacts


def test_a_tools_folder_in_a_home_has_the_artifacts_of_that_tool() -> None:
    """Other files that a client keeps there are its own."""
    is_allowed = file_filter(HOME, "commands/a.md")
    assert is_allowed("commands/b.md") is is_allowed("skills/x/SKILL.md") is None
    for path in ("settings.json", "projects/x/memory.md", "notes.md", "todos/x.md"):
        assert is_allowed(path) is not None


@pytest.mark.parametrize("name", [NAME, NAME.lower(), f"web/{NAME}", f"{NAME}/a.md"])
@pytest.mark.parametrize("other", ["CLAUDE.md", ".cursor/rules/a.mdc"])
def test_a_file_of_one_person_needs_consent(name: str, other: str) -> None:
    """D-275: whichever of the two paths has the name."""
    imported = replace(PLACE, holds_imports=True)
    for named, real in ((name, other), (other, name), (name, name)):
        assert isinstance(file_filter(imported, named)(real), PersonalFile)
        assert file_filter(imported, named, accepts_personal=True)(real) is None
        assert isinstance(file_filter(PLACE, named)(real), PersonalFile)
        refusal = withhold_personal(named, check_mention)(real)
        assert isinstance(refusal, PersonalFile)


def test_a_link_to_a_file_of_one_person_is_refused_by_its_name() -> None:
    """D-275: before the target is looked up."""
    named = ".cursor/rules/a.mdc"
    assert isinstance(link_filter(PLACE, named)(NAME), PersonalFile)
    assert link_filter(PLACE, named, accepts_personal=True)(NAME) is None


@pytest.mark.parametrize(
    "name",
    [
        *(
            ".env",
            ".env.local",
            ".ENV",
            "prod.env",
            "id_rsa",
            "id_ed25519",
            "my_id_rsa",
        ),
        *("id_ecdsa_sk", "id_rsa.bak", "server.pem", "Server.KEY", "a.p12", "a.pfx"),
        *("a.jks", "a.keystore", "a.kdbx", "a.ppk", "a.gpg", "a.der", "key.asc"),
        *("key.pem~", "key.pem.bak", "server.key.old", "id_rsa~", "id_rsa1"),
        *("id_ed25519_work", "id_ed25519-cert", "prod.env.local", "app.env.bak"),
        *("a.env~", "prod.env ", "tls.pem1", "#key.pem#", "key.pem (1)", ".envrc"),
        *("secring.gpg.bak", "secring", "vault.p12.md", "credentials"),
        *("credentials.json", "aws-credentials.csv.bak", "service-account.json"),
        *("service_account-prod.json~", "a.tfstate", "a.tfstate.backup", "repo.git"),
    ],
)
def test_keys_and_environments_are_never_artifacts(name: str) -> None:
    """D-024: as a file of a skill, as a folder, and as a mention."""
    assert is_secret(name)
    assert file_filter(PLACE, ".claude/skills/x/a")(f".claude/skills/x/{name}")
    assert file_filter(PLACE, "AGENTS.md")(f".claude/skills/{name}/AGENTS.md")
    assert check_mention(f"docs/{name}")


@pytest.mark.parametrize(
    "name",
    [
        *("environment.md", "id_generation.md", "id_rsa.pub", "keys.md", "monkey"),
        *("id_rsa.pub.bak", "id_ed25519-cert.pub", "key.md", "pem.md", "git.md"),
        *("credentials.md", "credentials.py", "service-account.md", "a.keys.md"),
        *("a.environment.md", "security.md", "secrings.md", ".gitignore"),
    ],
)
def test_names_that_only_look_alike_are_no_secrets(name: str) -> None:
    """A rule about keys is a rule."""
    assert not is_secret(name)


@pytest.mark.parametrize(
    ("path", "is_told"),
    [
        *(("docs/a.md", True), ("src/x.py", True), (".claude/settings.json", False)),
        *((".git/config", False), (".claude/rules/a.md", True), ("a/.env", False)),
        *(("node_modules/x/README.md", False), (".claude/.credentials", False)),
    ],
)
def test_a_mention_is_told_of_what_is_not_private(path: str, is_told: bool) -> None:
    """An existing import is reported, unless even its existence is private."""
    assert (check_mention(path) is None) == is_told
