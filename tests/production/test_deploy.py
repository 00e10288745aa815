"""The files of deploy/, under the tools and schemas of the programs that read them."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.deploy import DEPLOY, read
from support.proxy import (
    BOUND,
    adapt,
    check_configuration,
    find_program,
    write_configuration,
)

UNITS = sorted(path.name for path in (DEPLOY / "systemd").iterdir())
MOST_EXPOSED = 15
"""systemd's exposure level of a unit, in tenths: below it all is `OK`."""


def run(*command: str | Path) -> "subprocess.CompletedProcess[str]":
    """Run a tool to its end."""
    return subprocess.run(
        command, capture_output=True, text=True, timeout=BOUND * 3, check=False
    )


def tool(name: str) -> Path:
    """Return a command of this environment."""
    return Path(sys.executable).with_name(name)


def test_the_image_follows_the_rules_of_good_images() -> None:
    """hadolint, which checks its shell code too."""
    done = run(tool("hadolint"), DEPLOY / "docker" / "Dockerfile")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize(
    ("schema", "names"),
    [
        (
            "vendor.compose-spec",
            (
                "docker/compose.yaml",
                "docker/compose.nginx.yaml",
                "docker/compose.replicas.yaml",
                "docker/compose.store.yaml",
            ),
        ),
        ("vendor.github-actions", ("check/action.yml",)),
    ],
)
def test_a_file_fits_the_schema_of_its_kind(
    schema: str, names: tuple[str, ...]
) -> None:
    """The schemas of check-jsonschema."""
    paths = [DEPLOY / name for name in names]
    done = run(tool("check-jsonschema"), "--builtin-schema", schema, *paths)
    assert done.returncode == 0, done.stdout


def test_the_manifests_fit_the_schemas_of_the_cluster() -> None:
    """Strictly: a field that Kubernetes does not know would be dropped."""
    paths = sorted((DEPLOY / "kubernetes").rglob("*.yaml"))
    resources = [path for path in paths if path.name != "kustomization.yaml"]
    done = run(tool("kubernetes-validate"), "--strict", *resources)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_hooks_are_as_pre_commit_wants_them() -> None:
    """Its own validation."""
    manifest = DEPLOY.parent / ".pre-commit-hooks.yaml"
    done = run(tool("pre-commit"), "validate-manifest", manifest)
    assert done.returncode == 0, done.stdout + done.stderr


def test_nothing_in_the_configuration_of_nginx_is_known_to_be_unsafe() -> None:
    """gixy: spoofed hosts, split responses, lost headers and the like."""
    done = run(tool("gixy"), *sorted((DEPLOY / "nginx").glob("*.conf")))
    assert done.returncode == 0, done.stdout


def test_the_servers_of_compose_take_the_place_of_ours(tmp_path: Path) -> None:
    """The other upstream works with the same server block."""
    main = write_configuration(
        tmp_path, ["127.0.0.1:8420"], ("127.0.0.1:8080", "127.0.0.1:8443")
    )
    other = adapt(read("docker/upstream.conf"), {"server:8420": "127.0.0.1:8420"})
    shipped = tmp_path / "conf.d" / "asdlc-kb-upstream.conf"
    assert shipped.exists()
    shipped.write_text(other, encoding="utf-8")
    checked = check_configuration(main)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("name", UNITS)
def test_systemd_understands_a_unit(name: str, tmp_path: Path) -> None:
    """Every line, with the command's path on this machine."""
    for unit in UNITS:
        text = read(f"systemd/{unit}")
        program = re.compile(r"^(ExecStart=)\S+", re.MULTILINE)
        ours = program.sub(rf"\g<1>{tool('asdlc-kb')}", text)
        (tmp_path / unit).write_text(ours, encoding="utf-8")
    instance = name.replace("@.", "@handbook.")
    if instance != name:
        (tmp_path / instance).symlink_to(name)
    done = run(find_program("systemd-analyze"), "verify", tmp_path / instance)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", [name for name in UNITS if ".service" in name])
def test_a_service_may_do_little(name: str) -> None:
    """systemd's own measure of the sandbox."""
    analyze = find_program("systemd-analyze")
    limit = f"--threshold={MOST_EXPOSED}"
    path = DEPLOY / "systemd" / name
    done = run(analyze, "security", "--offline=true", "--no-pager", limit, path)
    assert done.returncode == 0, done.stdout
