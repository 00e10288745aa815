"""The files of deploy/ match this server, its settings and its version."""

import hashlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import jsonschema
import pytest
from published import Published, describe_entry
from support.canary import Scanner
from support.deploy import (
    DEPLOY,
    NAMED,
    command_lines,
    document,
    files,
    instruction,
    read,
    words_of,
)
from support.knowledge import KnowledgeBase
from support.peers import message
from support.processes import BOUND, run_cli, serve_process

from asdlc_kb import __version__
from asdlc_kb.cli.commands import COMMANDS, load_command
from asdlc_kb.cli.main import main
from asdlc_kb.settings import PREFIX
from asdlc_kb.settings_descriptions import DESCRIPTIONS
from asdlc_kb.settings_resolution import resolve_settings

ROOT = DEPLOY.parent
NAME = "io.asdlc/knowledge-base"
ENTRY = json.loads(read("server.json"))
TEXT = {"type": "string", "minLength": 1}
ARGUMENT = {
    "type": "object",
    "required": ["type"],
    "anyOf": [{"required": ["value"]}, {"required": ["valueHint"]}],
    "properties": {
        "type": {"const": "positional"},
        "value": TEXT,
        "valueHint": TEXT,
        "description": TEXT,
        "format": {"enum": ["string", "number", "boolean", "filepath"]},
        "isRequired": {"type": "boolean"},
    },
    "additionalProperties": False,
}
RULES = {
    "type": "object",
    "required": ["$schema", "name", "description", "version"],
    "properties": {
        "$schema": {"pattern": "/schemas/2025-12-11/server.schema.json$"},
        "name": {"type": "string", "pattern": r"^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$"},
        "title": {**TEXT, "maxLength": 100},
        "description": {**TEXT, "maxLength": 100},
        "version": {**TEXT, "maxLength": 255, "not": {"const": "latest"}},
        "repository": {
            "type": "object",
            "required": ["url", "source"],
            "properties": {"url": {"pattern": "^https://"}, "source": TEXT},
        },
        "packages": {
            "items": {
                "type": "object",
                "required": ["registryType", "identifier", "version", "transport"],
                "properties": {
                    "registryType": {"enum": ["pypi", "mcpb"]},
                    "identifier": TEXT,
                    "version": TEXT,
                    "fileSha256": {"type": "string", "pattern": "^[a-f0-9]{64}$"},
                    "runtimeHint": {"enum": ["uvx"]},
                    "packageArguments": {"items": ARGUMENT},
                    "environmentVariables": {
                        "items": {"type": "object", "required": ["name"]}
                    },
                    "transport": {"properties": {"type": {"const": "stdio"}}},
                },
                "additionalProperties": False,
            }
        },
    },
    "additionalProperties": False,
}
"""The rules of the MCP Registry that concern our entry."""


@pytest.mark.parametrize("path", files(), ids=lambda path: path.name)
def test_every_setting_that_a_file_names_exists(path: Path) -> None:
    """A variable that is not read would be ignored without a message."""
    known = {PREFIX + name.upper() for name in DESCRIPTIONS}
    assert set(NAMED.findall(path.read_text(encoding="utf-8"))) <= known


@pytest.mark.parametrize("file", list(command_lines()))
def test_every_command_line_is_understood(file: str, tmp_path: Path) -> None:
    """The command, its flags and its folder; a named file is made first."""
    settings = tmp_path / "settings.toml"
    settings.touch()
    command_line = command_lines()[file]
    words = [str(settings) if word.endswith(".toml") else word for word in command_line]
    command = main.get_command(click.Context(main), words[0])
    assert command is not None
    context = command.make_context(words[0], words[1:])
    assert context.params["content"] in (None, *command_line)


def test_the_entry_of_the_registry_is_as_the_registry_asks() -> None:
    """server.json of 2025-12-11, for this version, under the name that we prove."""
    jsonschema.validate(ENTRY, RULES)
    versions = {ENTRY["version"], *(item["version"] for item in ENTRY["packages"])}
    assert versions == {__version__}
    assert ENTRY["name"] == NAME
    for package in ENTRY["packages"]:
        for variable in package["environmentVariables"]:
            assert variable["name"].removeprefix(PREFIX).lower() in DESCRIPTIONS


@pytest.mark.parametrize("index", [True, False])
@pytest.mark.parametrize("repository", ["", "https://example.com/team/asdlc-kb"])
def test_the_entry_of_a_release_names_what_is_published(
    index: bool, repository: str
) -> None:
    """The bundle with its digest, and the package of PyPI if it is ours."""
    published = Published(repository, index=index, image="")
    entry = json.loads(describe_entry(published, __version__, b"bundle"))
    jsonschema.validate(entry, RULES)
    kinds = [package["registryType"] for package in entry["packages"]]
    assert kinds == [*(["pypi"] if index else []), *(["mcpb"] if repository else [])]
    for package in entry["packages"]:
        if package["registryType"] == "mcpb":
            assert package["fileSha256"] == hashlib.sha256(b"bundle").hexdigest()
            assert package["identifier"].startswith(f"{repository}/releases/download/")


def test_package_and_image_say_whose_entry_they_are() -> None:
    """The registry looks for its name in the README on PyPI and in a label."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"<!-- mcp-name: {NAME} -->" in readme
    label = f'io.modelcontextprotocol.server.name="{NAME}"'
    assert label in instruction("LABEL")


def test_what_the_entry_starts_answers(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """The arguments as a client composes them, with a folder for the hint."""
    (package,) = ENTRY["packages"]
    args = [item.get("value") or knowledge.root for item in package["packageArguments"]]
    client = {"name": "tests", "version": "1"}
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client}
    sent = json.dumps(message("initialize", params)).encode() + b"\n"
    done = run_cli(*args, scanner=scanner, stdin=sent)
    assert json.loads(done.stdout)["result"]["serverInfo"]["version"] == __version__


def test_the_check_of_the_image_tells_a_server_that_is_ready(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """Without curl: 0 when the server is ready, else another code."""
    program, *words = words_of(instruction("HEALTHCHECK"))
    assert program == "asdlc-kb"
    with serve_process(knowledge.root, scanner=scanner) as served:
        env = {"ASDLC_KB_HOST": "0.0.0.0", "ASDLC_KB_PORT": str(served.port)}
        assert run_cli(*words, scanner=scanner, env=env).code == 0
        served.stop()
        assert run_cli(*words, scanner=scanner, env=env).code != 0


def test_what_the_image_copies_is_sent_to_the_builder() -> None:
    """Everything is ignored but the paths that a COPY of the first folder names."""
    copied = set()
    for line in re.findall(r"^COPY (?!--from)(.*)$", read("docker/Dockerfile"), re.M):
        copied |= set(line.split()[:-1])
    kept = read("docker/Dockerfile.dockerignore").splitlines()
    assert {line.removeprefix("!") for line in kept if line.startswith("!")} == copied
    assert all((ROOT / name).exists() for name in copied)


def test_the_units_guard_the_server_alike() -> None:
    """The template differs in names, environment and permissions only."""
    one = set(read("systemd/asdlc-kb.service").splitlines())
    many = set(read("systemd/asdlc-kb@.service").splitlines())
    differing = {line.partition("=")[0] for line in one ^ many if line[:2] != "# "}
    assert differing == {
        "CacheDirectory",
        "Description",
        "Environment",
        "ExecStart",
        "#LoadCredential",
    }


@pytest.mark.parametrize("unit", ["asdlc-kb.service", "asdlc-kb@.service"])
def test_a_unit_states_that_its_credentials_need_a_restart(unit: str) -> None:
    """systemd.exec(5): `LoadCredential=` copies the data when the service starts."""
    above, _, _ = read(f"systemd/{unit}").partition("#LoadCredential=")
    comment = above.rpartition("\nCacheDirectoryMode=")[2]
    assert "`systemctl restart`" in comment
    assert "`systemctl reload` reads settings and secrets" not in above


def test_the_units_can_run_side_by_side() -> None:
    """A cache folder belongs to one unit; the others cannot enter it."""
    folders = [
        re.findall(r"^CacheDirectory=(.+)$", read(f"systemd/{unit}"), re.MULTILINE)
        for unit in ("asdlc-kb.service", "asdlc-kb@.service")
    ]
    assert folders == [["asdlc-kb"], ["asdlc-kb-%i"]]
    assert "ASDLC_KB_CACHE_DIR=%C/asdlc-kb-%i" in read("systemd/asdlc-kb@.service")


def test_the_action_checks_what_it_is_told(tmp_path: Path) -> None:
    """Its last step, with inputs as the runner passes them: empty, or words."""
    action = document("check/action.yml")
    step = action["runs"]["steps"][-1]
    names = {
        name: re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", value)
        for name, value in step["env"].items()
    }
    assert all(match and match[1] in action["inputs"] for match in names.values())
    programs = tmp_path / "asdlc-kb" / "bin"
    programs.mkdir(parents=True)
    command = programs / "asdlc-kb"
    command.symlink_to(Path(sys.executable).with_name("asdlc-kb"))
    (tmp_path / "my content" / "notes").mkdir(parents=True)
    (tmp_path / "my content" / "notes" / "a.md").write_text("no frontmatter")
    (tmp_path / "my content" / "b.md").write_text("---\nstatus: Draft\n---\n")

    def check(**inputs: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            ["bash", "-eo", "pipefail", "-c", step["run"]],
            env={
                **{"PATH": os.environ["PATH"], "RUNNER_TEMP": str(tmp_path)},
                **{name: inputs.get(name, "") for name in step["env"]},
            },
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=BOUND,
        )

    result = check(CONTENT="my content")
    assert result.returncode == 1
    assert result.stdout.startswith("::error file=my content/notes/a.md,line=1")
    passed = check(CONTENT="my content", IGNORE="KB010,KB013")
    assert (passed.returncode, passed.stdout) == (0, ""), passed.stdout


def test_the_composed_servers_are_guarded_alike() -> None:
    """For this machine only, and behind nginx; only nginx is reached from outside."""
    alone, proxied = (
        document(f"docker/{name}")["services"]
        for name in ("compose.yaml", "compose.nginx.yaml")
    )
    assert alone["server"].pop("ports") == ["127.0.0.1:8420:8420"]
    assert [name for name in proxied if "ports" in proxied[name]] == ["nginx"]
    differing = {"environment", "restart"}
    assert alone["server"].items() <= proxied["server"].items()
    assert proxied["server"].keys() - alone["server"].keys() == differing
    replicas = document("docker/compose.replicas.yaml")["services"]
    assert all("ports" not in service for service in replicas.values())
    stored = document("docker/compose.store.yaml")["services"]
    assert stored["server"].pop("ports") == ["127.0.0.1:8420:8420"]
    assert "ports" not in stored["ingest"]
    guards = ("build", "image", "read_only", "cap_drop", "security_opt")
    for service in stored.values():
        assert all(service[name] == alone["server"][name] for name in guards)


def test_the_composed_store_has_commands_and_settings_of_ours() -> None:
    """The server without folders, and what writes the mounted one."""
    stored = document("docker/compose.store.yaml")["services"]
    for service in stored.values():
        name, *words = service["command"]
        command = load_command(name)
        context = click.Context(command, info_name=name)
        given, left, _ = command.make_parser(context).parse_args(words)
        folders = [mount.split(":")[1] for mount in service["volumes"]]
        assert f"/srv/asdlc-kb/{given.get('content')}" in folders or name == "serve"
        assert left == []
        store = service["environment"]["ASDLC_KB_STORE"]
        settings, _ = resolve_settings({}, {"ASDLC_KB_STORE": store}, {})
        assert settings.store == store
    assert stored["server"]["volumes"] == ["cache:/var/cache/asdlc-kb"]


def test_a_release_of_content_takes_the_place_of_another(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """docs/deploy.md: checked, then swapped atomically; the server serves the link."""
    for release, name in (("1", "former"), ("2", "latter")):
        article = knowledge.write(f"concepts/{name}").read_text(encoding="utf-8")
        folder = tmp_path / "releases" / release / "concepts"
        folder.mkdir(parents=True)
        (folder / f"{name}.md").write_text(article, encoding="utf-8")
    (tmp_path / "current").symlink_to("releases/1")
    part = (ROOT / "docs" / "deploy.md").read_text(encoding="utf-8")
    part = part.partition("## Bring content")[2]
    (script,) = re.findall(r"```sh\n(.*?)```", part, re.DOTALL)
    script_folder = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(
        ["sh", "-ec", script],
        cwd=tmp_path,
        timeout=BOUND,
        check=True,
        env={"PATH": script_folder},
    )
    listed = run_cli("list", "current", scanner=scanner, cwd=tmp_path)
    assert "latter" in listed.out
    assert "former" not in listed.out


def test_the_hook_is_a_command_that_there_is() -> None:
    """pre-commit runs it in the folder of the repository that has the content."""
    text = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    (entry,) = re.findall(r"^  entry: (.*)$", text, re.MULTILINE)
    program, command = shlex.split(entry)
    assert program == "asdlc-kb"
    assert command in COMMANDS
    # A deleted file is passed to no hook, and no pattern matches it.
    assert "\n  always_run: true\n" in text
    assert "\n  files:" not in text
