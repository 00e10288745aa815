"""Every request of docs/requests.md, run by a shell as it is written there."""

import json
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from support.canary import Scanner
from support.processes import Running, environment, run_cli, serve_process
from support.proxy import find_program

from asdlc_kb.mcp.protocol.methods import METHODS
from asdlc_kb.mcp.protocol.versions import HANDSHAKE, STATELESS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "requests.md").read_text(encoding="utf-8")
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BEFORE, WITH = PAGE.split("\n## With a handshake")
NAMED = re.compile(r'"method": "([a-z/A-Z]+)"')
MORE = "…"


@dataclass
class Step:
    """A request, or the next event of a stream that is open."""

    script: str
    shown: str = ""


def steps() -> list[Step]:
    """Return the steps of the page, with the output shown."""
    found: list[Step] = []
    for kind, text in FENCE.findall(PAGE):
        if kind == "sh":
            found.append(Step(text))
        elif kind in ("", "json", "text"):
            if found[-1].shown:
                found.append(Step(""))
            found[-1].shown = text
    return found


def fits(shown: Any, real: Any) -> bool:
    """Whether an answer matches the page: `…` is more, other members are left out, and
    a number may differ.
    """
    if isinstance(shown, dict):
        return isinstance(real, dict) and all(
            name in real
            and (value == real[name] if name == "code" else fits(value, real[name]))
            for name, value in shown.items()
        )
    if isinstance(shown, list):
        named = [item for item in shown if item != MORE]
        is_whole = len(named) == len(shown) == len(real) or len(real) > len(named)
        return is_whole and all(map(fits, named, real))
    if isinstance(shown, str):
        return fits_text(shown, real)
    return type(shown) is type(real)


def fits_text(shown: str, real: str) -> bool:
    """Whether a text matches the page."""
    begin, more, end = shown.partition(MORE)
    return real == shown if not more else real.startswith(begin) and real.endswith(end)


def compare(shown: str, real: str) -> None:
    """Compare the actual output with the page."""
    for line, got in zip(shown.splitlines(), real.splitlines(), strict=True):
        if line.startswith("data: {"):
            assert fits(json.loads(line[6:]), json.loads(got[6:])), got
        else:
            assert fits_text(line, got), got


class Shell:
    """Runs the page's blocks one after the other; variables persist."""

    def __init__(self, folder: Path, port: int, scanner: Scanner) -> None:
        self._kept = folder / "variables"
        self._kept.touch()
        self._port = port
        self._scanner = scanner

    def run(self, script: str) -> str:
        """Return the output of a block."""
        keep = f"declare -p session channel 2>/dev/null >{self._kept} || true"
        whole = f"set -e\n. {self._kept}\n{self._here(script)}\n{keep}"
        done = run_cli(
            "-c", whole, scanner=self._scanner, command=[find_program("bash")]
        )
        assert (done.code, done.err) == (0, ""), script
        return done.out

    def set(self, name: str, value: str) -> None:
        """Give later blocks a variable."""
        with self._kept.open("a", encoding="utf-8") as file:
            file.write(f"{name}='{value}'\n")

    @contextmanager
    def open(self, script: str) -> Iterator[Running]:
        """Start a block that does not end by itself."""
        with tempfile.TemporaryFile() as stderr:
            process = subprocess.Popen(
                [
                    find_program("bash"),
                    "-c",
                    f". {self._kept}; exec {self._here(script)}",
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=environment(),
            )
            running = Running(process, stderr)
            try:
                yield running
            finally:
                process.kill()
                self._scanner.scan(running.wait().stdout, ("printed by", script))
                running.close_stdin()
                running.close_stdout()

    def _here(self, script: str) -> str:
        assert "127.0.0.1:8420" in script
        return script.replace("127.0.0.1:8420", f"127.0.0.1:{self._port}")


def test_every_request_gets_the_answer_that_is_shown(
    tmp_path: Path, scanner: Scanner
) -> None:
    """By bash and curl, in the page's order, against the server that it names."""
    find_program("curl")
    stream: Running | None = None
    (line,) = re.findall(r"^asdlc-kb serve (.*)$", PAGE, re.MULTILINE)
    with ExitStack() as stack:
        served = stack.enter_context(
            serve_process(None, *line.split(), scanner=scanner, cwd=ROOT)
        )
        shell = Shell(tmp_path, served.port, scanner)
        for step in steps():
            if "curl -sN" in step.script:
                stream = stack.enter_context(shell.open(step.script))
            if not step.script or "curl -sN" in step.script:
                assert stream is not None
                came = take(stream, len(step.shown.splitlines()))
                compare(step.shown, came)
                if "event: endpoint" in came:
                    shell.set("channel", came.splitlines()[1].removeprefix("data: "))
                continue
            came = shell.run(step.script)
            if step.shown.startswith(("{", "[")):
                assert fits(json.loads(step.shown), json.loads(came)), came
            elif step.shown:
                compare(step.shown, came)
            else:
                assert "result" in json.loads(came), came


def take(stream: Running, count: int) -> str:
    """Return the next lines of a stream, past the blank ones between events."""
    lines: list[str] = []
    while len(lines) < count:
        line = stream.read_line().decode()
        assert line, stream.read_stderr()
        lines += [line] if line.strip() else []
    return "".join(lines)


@pytest.mark.parametrize(
    ("part", "versions"), [(BEFORE, STATELESS), (WITH, HANDSHAKE)], ids=["new", "old"]
)
def test_every_method_is_requested(part: str, versions: tuple[str, ...]) -> None:
    """In each of the two kinds of protocol that has it."""
    available = {
        name for name, method in METHODS.items() if set(method.versions) & set(versions)
    }
    assert available <= set(NAMED.findall(part))


def test_an_answer_that_differs_is_noticed() -> None:
    """The comparison notices another code, word or kind, and missing members."""
    assert fits({"a": ["x", MORE], "n": 1}, {"a": ["x", "y"], "n": 2, "b": None})
    for shown, real in (
        ({"code": -1}, {"code": -2}),
        ({"a": 1}, {"b": 1}),
        (["x"], ["y"]),
        (["x", "y"], ["x"]),
        ("abc…", "ab"),
        ({"a": 1}, {"a": "1"}),
    ):
        assert not fits(shown, real)
