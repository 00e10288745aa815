"""Servers with a full disk below their output, or without standard streams."""

import http.client
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.canary import Scanner
from support.knowledge import KnowledgeBase
from support.processes import BOUND, serve_process
from support.workers import STRICT

SCRIPT = """
import os, sys
from asdlc_kb.cli.standard_streams import open_closed_streams
open_closed_streams()
assert os.open(os.devnull, os.O_RDONLY) > 2
sys.stderr.write("x")
"""


@pytest.mark.parametrize("closing", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_no_file_gets_the_number_of_a_closed_stream(closing: str) -> None:
    """Else what is printed would be written into it."""
    words = ("sh", "-c", f'exec "$0" -c "$1" {closing}', sys.executable, SCRIPT)
    assert subprocess.run(words, timeout=BOUND, check=False).returncode == 0


def test_a_server_whose_stderr_is_closed_answers(
    knowledge: KnowledgeBase, scanner: Scanner
) -> None:
    """With uvloop, too, which needs its number."""
    prefix = ("sh", "-c", 'exec "$0" "$@" 2>&-')
    with serve_process(knowledge.root, scanner=scanner, prefix=prefix) as served:
        connection = http.client.HTTPConnection("127.0.0.1", served.port, timeout=BOUND)
        connection.request("GET", "/ready")
        assert connection.getresponse().status == 200
        connection.close()
        assert served.stop().code == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has it")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_full_disk_does_not_keep_a_server_from_starting(
    knowledge: KnowledgeBase, workers: str
) -> None:
    """Nor from ending well; the banner is lost, and the log reports it."""
    options = ("--port", "0", "--workers", workers, "--cache-dir", "off")
    command = (sys.executable, "-m", "asdlc_kb", "serve", str(knowledge.root), *options)
    with (
        Path("/dev/full").open("wb") as full,
        subprocess.Popen(
            command, stdout=full, stderr=subprocess.PIPE, env={**os.environ, **STRICT}
        ) as running,
    ):
        assert running.stderr is not None
        for line in running.stderr:
            found = json.loads(line)
            if found["event"] == "banner not printed":
                assert found["reason"] == "No space left on device"
                running.terminate()
        assert running.wait(BOUND) == 0
