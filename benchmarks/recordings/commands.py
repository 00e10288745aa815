"""Recordings of the command line."""

import hashlib
import re
import shutil
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final
from urllib.parse import unquote

from benchmarks.recordings.product import Product

_COMMANDS: Final = (
    *("build", "check", "config", "connect", "doctor", "eval", "graph", "index"),
    *("list", "new", "search", "serve", "show", "stats", "stdio", "token"),
    *("index build", "index info", "index validate", "index invalidate"),
)

_CLIENTS: Final = (
    *("claude-code", "claude-desktop", "codex", "gemini", "copilot-cli", "opencode"),
    *("goose", "cline-cli", "lm-studio", "cursor", "vscode", "zed", "jetbrains"),
    *("junie", "antigravity", "devin", "windsurf", "kiro", "cline", "continue"),
)

_ALL: Final = "../content --docs ../handbook"
_INDEX: Final = f"{_ALL} --cache-dir ../indexes"

_RUNS: Final = f"""
--version
--nosuch
nosuch
list {_ALL}
list {_ALL} --json
list {_ALL} --category patterns --limit 2
list ../content --category nosuch
list ../content --limit 0
list nosuch
list
list --docs ../handbook
list --docs nosuch
show alpha {_ALL}
show alpha {_ALL} --json
show same ../content
show concepts/same ../content
show draft-one ../content
show nosuch ../content
show invisible ../content
show guide/install.md {_ALL}
show guide/install.md {_ALL} --json
show guide/plans.md {_ALL}
show sidebar.md --docs ../handbook
search zeppelin {_ALL}
search zepelin {_ALL}
search xylofone {_ALL}
search CANARY {_ALL}
search throughput {_ALL} --json
search throughput ../content --mode keyword
search throughput ../content --mode fulltext --limit 1
search throughput ../content --mode other
search alpha ../content --category concepts --json --snippet-length 50
check {_ALL} --project ../project
check {_ALL} --project ../project --json
check {_ALL} --project ../project --format github
check ../content --select KB03,KB016
check ../content --ignore KB0
check ../content --select KB999
check --docs ../handbook
check --project ../second
check nosuch
graph ../content
graph ../content --format dot
graph ../content --format json
graph ../content --format png
graph ../content --base-url https://kb.example.com
eval ../eval.toml {_ALL}
eval ../eval.toml {_ALL} --json
eval ../eval-fails.toml ../content
eval ../eval-bad.toml ../content
eval ../nosuch.toml ../content
index build {_INDEX} --json
index build {_INDEX}
index info {_INDEX}
index info {_INDEX} --json
index validate {_INDEX}
index validate {_INDEX} --json
index info ../content --cache-dir ../nocache
index validate ../content --cache-dir ../nocache
index info ../content --cache-dir off
index nosuch
config
config --json
config ../content --config ../settings.toml
config --config ../settings.toml --json --port 9000
config --config ../settings-bad.toml
config --config ../nosuch.toml
config --port x
config --port 70000
config --rate-limit nonsense
config --base-url nonsense
config --content-signal nonsense
config --trusted-proxy nonsense
config --edit-url nonsense
config --tool-errors nonsense
config --log-level nonsense
config --auth-issuer https://issuer.example
config --drafts
doctor {_ALL} --project ../project --port 1
doctor {_ALL} --project ../project --port 1 --json
doctor --url http://127.0.0.1:1/mcp
doctor nosuch
stats nosuch.log
token
token alice bob
new patterns
new patterns Title nosuch
new ../x Title ../content
new pa/tterns Title ../content
build
build ../work nosuch
serve {_ALL} --port 70000
serve {_ALL} --workers 0
serve {_ALL} --drafts
serve {_ALL} --config ../settings-bad.toml
serve {_ALL} --auth-tokens-file nosuch
serve {_ALL} --session-key-file nosuch
stdio nosuch
stdio {_ALL} --nosuch
connect nosuch
connect --scope nosuch
connect --url nonsense claude-code --print
""".strip().splitlines()

_CONNECT: Final = (
    "--print",
    "--print --stdio --content ../content --docs ../handbook",
    "--print --scope project --name kb --url https://kb.example.com/mcp",
    "--print --token-env KB_TOKEN",
    "--dry-run",
    "--dry-run --scope project --stdio --content ../content",
    "--remove --dry-run",
)

_STATS: Final = """\
{"time": "2025-01-01T00:00:00.000+00:00", "level": "info", "event": "content changed"}
{"time":"2025-01-01T00:00:01.000+00:00","level":"info","event":"request","transport":"http",\
"verb":"POST","path":"/mcp","status":200,"ms":4.65,"address":"127.0.0.1","bytes":9,\
"found":36,"method":"tools/call","tool":"list_articles","version":"2026-07-28"}
not JSON
"""


def record_commands(product: Product) -> dict[str, str]:
    """Return exit code, stdout and stderr of every run."""
    runs = [line.split(" ") for line in _RUNS]
    runs += [["--help"], *([*name.split(" "), "--help"] for name in _COMMANDS)]
    runs += [[*name.split(" "), "--nosuch"] for name in _COMMANDS]
    runs += [["connect", *_CLIENTS, *options.split(" ")] for options in _CONNECT]
    runs += [["connect", "--all", "--dry-run"], ["connect", "--print"]]
    recording = {}
    with ThreadPoolExecutor(2) as pool:
        alone = [args for args in runs if args[0] != "index"]
        texts = pool.map(lambda args: _run(product, args), alone)
        for args, text in zip(alone, texts, strict=True):
            recording[f"command {' '.join(args)}"] = text
    # In order, in a separate folder: the output depends on what was built before.
    for args in runs:
        if args[0] == "index":
            recording[f"command {' '.join(args)}"] = _run(product, args)
    recording["command stats"] = _run(product, ["stats"], stdin=_STATS)
    recording["command stats --json"] = _run(product, ["stats", "--json"], stdin=_STATS)
    recording["command in a folder with settings"] = _run(product, ["list"], cwd="cwd")
    recording["command stdio in a folder with settings"] = _run(
        product, ["stdio"], cwd="cwd"
    )
    return recording | _record_token(product)


def record_files(product: Product) -> dict[str, str]:
    """Return what `new`, `build` and `connect` write, in separate folders."""
    recording = {}
    shutil.copytree(product.root / "content", product.root / "copy")
    for args in (
        ["new", "patterns", "A new: title", "../copy"],
        ["new", "patterns", "A new: title", "../copy"],
        ["new", "brand-new", "Äpfel", "../copy"],
    ):
        key = f"command {' '.join(args)}"
        recording[f"{key} again" if key in recording else key] = _run(product, args)
    recording |= _read_new(product, product.root / "content", product.root / "copy")
    for name, options in (
        ("site", ["../content", "--docs", "../handbook"]),
        ("public", ["../content", "--base-url", "https://kb.example.com/kb"]),
        ("handbook-site", ["--docs", "../handbook", "--title", "Handbook"]),
    ):
        recording[f"build {name}"] = _run(product, ["build", f"../{name}", *options])
        recording |= _read_tree(product, product.root / name, f"build {name}")
    recording["build into other files"] = _run(
        product, ["build", "../cwd", "../content"]
    )
    recording["build again"] = _run(
        product, ["build", "../handbook-site", "../content"]
    )
    connect = ["connect", *_CLIENTS, "--url", "https://kb.example.com/mcp"]
    recording["connects"] = _run(product, connect)
    recording["connects again"] = _run(product, connect)
    recording |= _read_tree(product, product.root / "home", "connected")
    recording["disconnects"] = _run(product, [*connect, "--remove"])
    recording |= _read_tree(product, product.root / "home", "disconnected")
    recording["index invalidate"] = _run(
        product, ["index", "invalidate", *_ALL.split(" ")]
    )
    return recording


def _run(product: Product, args: list[str], cwd: str = "work", stdin: str = "") -> str:
    done = product.run(args, cwd, stdin)
    normal = product.normaliser.normalise
    out = _normalise_index(normal(_decode_links(done.stdout)))
    err = normal(done.stderr)
    return f"exit code {done.returncode}\n--- stdout\n{out}\n--- stderr\n{err}"


def _decode_links(text: str) -> str:
    """Return text whose links to install a server are readable: they hold folders."""

    def decode(match: re.Match[str]) -> str:
        coded = unquote(match[1])
        return f"config={b64decode(coded + '=' * (-len(coded) % 4)).decode()}"

    text = re.sub(r"config=([\w+/=%-]{20,})", decode, text)
    return re.sub(r"vscode:mcp/install\?\S+", lambda found: unquote(found[0]), text)


def _normalise_index(text: str) -> str:
    """Replace what depends on the path of the sources in names of indexes."""
    return re.sub(r"\b(articles|docs)-[0-9a-f]{16}\b", r"\1-<digest>", text)


def _record_token(product: Product) -> dict[str, str]:
    text = _run(product, ["token", "alice"])
    return {"command token alice": re.sub(r"[\w-]{40,}", "<random>", text)}


def _read_new(product: Product, old: Path, new: Path) -> dict[str, str]:
    before = {path.relative_to(old) for path in old.rglob("*")}
    return {
        f"new file {path.relative_to(new)}": product.normaliser.normalise(
            path.read_text("utf-8")
        )
        for path in new.rglob("*")
        if path.is_file() and path.relative_to(new) not in before
    }


def _read_tree(product: Product, folder: Path, name: str) -> dict[str, str]:
    """Return each file's text, and the digest of those that are none."""
    recording = {}
    for path in sorted(folder.rglob("*")):
        if not path.is_file():
            continue
        data = path.read_bytes()
        try:
            text = product.normaliser.normalise(data.decode())
        except UnicodeDecodeError:
            text = f"sha256 {hashlib.sha256(data).hexdigest()}"
        mode = oct(path.stat().st_mode & 0o777)
        recording[f"{name} {path.relative_to(folder)}"] = f"{mode}\n{text}"
    return recording
