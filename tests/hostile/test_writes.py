"""Commands that write, on a full disk and killed at any moment: no partial files."""

import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.namespaces import namespaced
from support.processes import COMMAND, environment, run_cli

Invoke = Callable[..., Result]
BOUND = 60.0

CONNECT = ("connect", "cursor", "--scope", "project", "--url", "http://127.0.0.1:1/mcp")

FULL = """
mount -t tmpfs -o size=64k tmpfs {disk}
head -c 65536 /dev/zero > {disk}/ballast 2>/dev/null || true
cd {disk}
set +e
{command}
echo "code $?"
find . -path ./ballast -prune -o -mindepth 1 -print
rm ballast
{command}
echo "code $?"
"""
"""A shell script: a command on a full disk, then on one that has room again."""


def run_on_full_disk(disk: Path, *args: str, scanner: Scanner) -> list[str]:
    """Return the output."""
    disk.mkdir()
    command = " ".join(f"'{word}'" for word in (*COMMAND, *args))
    script = FULL.format(disk=disk, command=command)
    done = run_cli(command=(*namespaced(), "sh", "-ec", script), scanner=scanner)
    return (done.out + done.err).splitlines()


@pytest.mark.parametrize("target", ["../outside", "../missing", ".git"])
def test_a_new_article_is_not_written_through_a_link_out_of_the_content(
    tmp_path: Path, scanner: Scanner, target: str
) -> None:
    """A cloned repository contains links: they must not name a folder of the user."""
    content = tmp_path / "content"
    for path in (content / ".git", tmp_path / "outside"):
        path.mkdir(parents=True)
    (content / "concepts").symlink_to(target)
    done = run_cli("new", "concepts", "My Title", content, scanner=scanner)
    assert done.code == 3
    refusals = [
        f"cannot write to {content}/concepts: the link {fault}"
        for fault in ("points ", "is broken", "does not point ")
    ]
    assert any(refusal in done.err for refusal in refusals)
    assert "choose another category" in done.err
    assert not list(tmp_path.rglob("*.md"))


def test_a_new_article_on_a_full_disk_leaves_no_file(
    tmp_path: Path, scanner: Scanner
) -> None:
    """Nor a folder; the same command works once there is space."""
    disk = tmp_path / "disk"
    lines = run_on_full_disk(disk, "new", "a", "My Title", ".", scanner=scanner)
    assert "code 3" in lines
    assert "code 0" in lines
    assert not any(line.startswith("./") for line in lines)
    (message,) = (line for line in lines if line.startswith("asdlc-kb: "))
    assert message.endswith("(No space left on device): make room on the disk")


def test_a_connection_on_a_full_disk_leaves_no_file(
    tmp_path: Path, scanner: Scanner
) -> None:
    """And the hint is not about permissions."""
    disk = tmp_path / "disk"
    lines = run_on_full_disk(disk, *CONNECT, scanner=scanner)
    assert "make room on the disk" in " ".join(lines)
    assert "permissions" not in " ".join(lines)
    assert not any(line.startswith("./") for line in lines)
    assert lines.count("code 0") == 1


KILLED_BUILD = """
import os, signal, sys
from asdlc_kb.site import build
write, remaining = build._write, [None] * int(sys.argv.pop(1))
def write_or_kill(*args):
    if not remaining:
        os.kill(os.getpid(), signal.SIGKILL)
    remaining.pop()
    write(*args)
build._write = write_or_kill
from asdlc_kb.cli import main
main()
"""
"""The command, killed when it has written so many files."""


def test_a_build_that_is_killed_is_cleared_away_by_the_next(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """Whenever it is killed; the existing site is complete until then."""
    for number in range(20):
        knowledge.write(f"concepts/x-{number}", body="Some text.\\n" * 50)
    args = ("build", "site", str(knowledge.root))
    run_cli(*args, scanner=scanner, cwd=tmp_path)
    before = sorted(os.listdir(tmp_path / "site"))
    for moment in range(0, 50, 10):
        command = (sys.executable, "-c", KILLED_BUILD, str(moment))
        killed = run_cli(*args, scanner=scanner, cwd=tmp_path, command=command)
        assert killed.code == -signal.SIGKILL
        assert sorted(os.listdir(tmp_path / "site")) == before
        assert list(tmp_path.glob(".site.*"))
        done = run_cli(*args, scanner=scanner, cwd=tmp_path)
        assert done.code == 0
        assert list(tmp_path.glob(".site.*")) == []


def test_a_build_leaves_alone_what_another_one_writes(
    knowledge: KnowledgeBase, tmp_path: Path, scanner: Scanner
) -> None:
    """Its lock shows that its process lives; other folders do not belong to a build."""
    other = tmp_path / ".site.12345678.build"
    others = [tmp_path / name for name in (".site.x.build", ".site", ".sites.12345678")]
    for folder in (other, *others):
        folder.mkdir()
    descriptor = os.open(other, os.O_RDONLY)
    fcntl.flock(descriptor, fcntl.LOCK_EX)
    try:
        args = ("build", "site", str(knowledge.root))
        run_cli(*args, scanner=scanner, cwd=tmp_path)
        assert all(folder.is_dir() for folder in (other, *others))
    finally:
        os.close(descriptor)
    run_cli(*args, scanner=scanner, cwd=tmp_path)
    assert not other.exists()
    assert all(folder.is_dir() for folder in others)


KILLED = """
import os, signal, sys
from asdlc_kb.files import writer
real = os.fsync
def kill(number):
    os.kill(os.getpid(), signal.SIGKILL)
writer.os.fsync = kill
from asdlc_kb.cli import main
main()
"""
"""The command, killed when its file is written but not yet in its place."""


@pytest.mark.parametrize(
    "args",
    [
        ("new", "a", "My Title", "."),
        CONNECT,
    ],
)
def test_a_command_that_is_killed_leaves_nothing_half_made(
    tmp_path: Path, scanner: Scanner, args: tuple[str, ...]
) -> None:
    """A temporary file is removed by the next run, which works."""
    (tmp_path / ".git").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", KILLED, *args],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        timeout=BOUND,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL
    (remaining,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert remaining.name.startswith(".")
    assert remaining.name.endswith(".new")
    assert run_cli(*args, scanner=scanner, cwd=tmp_path).code == 0
    (made,) = (path for path in tmp_path.rglob("*") if path.is_file())
    assert not made.name.endswith(".new")
