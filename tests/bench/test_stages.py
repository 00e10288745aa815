"""The row `stages`: division of a request's time."""

import json
import subprocess
import sys
from pathlib import Path

from benchmarks import servers
from benchmarks.stages import OTHER, THREADS, divide, tabulate

BOUND = 60.0


def test_samples_are_divided_by_the_package_of_their_module() -> None:
    """The first package that fits counts; the sum is the cost of the request."""
    counts = {
        "asdlc_kb.web.connections.framing": 3,
        "asdlc_kb.web.handler": 2,
        "asdlc_kb.webs": 1,
        "tornado.iostream": 2,
        "": 2,
    }
    shares = divide(counts, cost=100, threads=0.5)
    assert shares["connections: read, frame, send"] == 15
    assert shares["HTTP: admission, routes, headers"] == 10
    assert shares["Tornado"] == 10
    assert shares[OTHER] == 15
    assert shares[THREADS] == 50
    assert sum(shares.values()) == 100
    (section,) = tabulate({"page": shares}).sections
    assert section.rows[-1] == ("all", "100")


def test_the_profiler_counts_modules_of_the_product(tmp_path: Path) -> None:
    """From one signal to the other, into a file that is complete when it is there."""
    file, program = tmp_path / "samples.json", servers.PEERS / "sampled.py"
    code = (
        "import os, runpy, signal, sys, time\n"
        "from asdlc_kb import cli\n"
        "def work():\n"
        "    os.kill(os.getpid(), signal.SIGUSR1)\n"
        "    while time.process_time() < limit: sum(range(1000))\n"
        "    os.kill(os.getpid(), signal.SIGUSR2)\n"
        "limit = time.process_time() + 0.5\n"
        "cli.main = work\n"
        f"sys.argv = ['sampled.py', {str(file)!r}]\n"
        f"runpy.run_path({str(program)!r}, run_name='__main__')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=BOUND)
    counts = json.loads(file.read_text(encoding="utf-8"))
    assert set(counts) == {""}
    assert counts[""] > 10
