"""The index in a folder, in real processes: killed at any moment, without space."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from select import select

import pytest
from support.processes import BOUND, environment
from support.texts import DOCUMENTS, Texts, find, keys

from asdlc_kb.search.service.fulltext import FullText

SUPPORT = str(Path(__file__).parents[2])

CHANGING = """
import sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from support.texts import DOCUMENTS, Texts
from asdlc_kb.search.service.fulltext import FullText
fulltext = FullText(Path(sys.argv[1]))
while True:
    for some in (DOCUMENTS[:2], DOCUMENTS[1:], DOCUMENTS):
        fulltext.sync(Texts(*some))
        print(".", end="", flush=True)
"""

CRAMPED = """
import logging, resource, sys
sys.path.insert(0, sys.argv[2])
logging.basicConfig(format="%(message)s: %(reason)s")
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
from pathlib import Path
from support.texts import DOCUMENTS, Texts, find, keys
from asdlc_kb.search.service.fulltext import FullText
fulltext = FullText(Path(sys.argv[1]))
for source in (Texts(*DOCUMENTS[1:]), Texts(*DOCUMENTS)):
    fulltext.sync(source)
    print(*keys(find((fulltext, source), "clear")), fulltext.is_ready)
"""

FORKING = """
import os, sys
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from support.texts import DOCUMENTS, Texts
from asdlc_kb.search.service.fulltext import FullText
for _ in range(2):
    fulltext = FullText(Path(sys.argv[1]))
    fulltext.sync(Texts(*DOCUMENTS))
    read_end, write_end = os.pipe()
    if not os.fork():
        os.close(write_end)
        os._exit(len(os.read(read_end, 1)))
    fulltext.close()
    print(fulltext.refused)
"""


def start(script: str, *args: object) -> "subprocess.Popen[bytes]":
    """Start Python with a script."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, args)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A byte-code file that does not fit would stay truncated for later runs.
        env=environment({"RUST_BACKTRACE": "0", "PYTHONDONTWRITEBYTECODE": "1"}),
    )


@pytest.mark.parametrize("changes", [0, 1, 2, 3, 5, 8])
def test_an_index_whose_process_was_killed_is_right_at_the_next_start(
    tmp_path: Path, changes: int
) -> None:
    """Wherever it was in a change: the results are those of the source."""
    folder = tmp_path / "index"
    process = start(CHANGING, folder, SUPPORT)
    assert process.stdout
    try:
        for _ in range(changes):
            assert select([process.stdout], [], [], BOUND)[0]
            assert os.read(process.stdout.fileno(), 1) == b"."
    finally:
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=BOUND)
    source = Texts(*DOCUMENTS[:3])
    fulltext = FullText(folder)
    fulltext.sync(source)
    found = {q: keys(find((fulltext, source), q)) for q in ("nginx", "iso", "缓存")}
    fulltext.close()
    assert found == {
        "nginx": ["guides/deploy.md"],
        "iso": ["guides/metadata.md"],
        "缓存": [],
    }


@pytest.mark.parametrize("limit", [0, 200, 1_000])
def test_an_index_without_space_lives_in_memory(tmp_path: Path, limit: int) -> None:
    """A disk is full if files have a maximum of so many bytes; it is logged once."""
    process = start(CRAMPED, tmp_path / "index", SUPPORT, limit)
    out, err = process.communicate(timeout=BOUND)
    assert process.returncode == 0, err
    assert out.decode().splitlines() == ["True", "guides/cache.md True"]
    assert err.count(b"index kept in memory only") == 1


def test_a_child_between_fork_and_exec_does_not_keep_the_folder(tmp_path: Path) -> None:
    """It has a duplicate of every descriptor, that of the lock too."""
    process = start(FORKING, tmp_path / "index", SUPPORT)
    out, err = process.communicate(timeout=BOUND)
    assert process.returncode == 0, err
    assert out.decode().splitlines() == ["None", "None"]
