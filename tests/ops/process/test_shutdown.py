"""The end of a server's process: within a bound, whatever its threads do."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from asdlc_kb.ops.process.shutdown import join_threads

BOUND = 60.0


def run(code: str) -> "subprocess.CompletedProcess[bytes]":
    """Run a program that ends by itself."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, timeout=BOUND, check=False
    )


def test_threads_that_end_are_waited_for() -> None:
    """The process goes on after that, as this one does."""
    executor = ThreadPoolExecutor(2)
    future = executor.submit(sum, (1, 2))
    assert future.result() == 3
    join_threads(executor, BOUND)


def test_a_thread_that_waits_for_ever_does_not_keep_the_process() -> None:
    """It ends as it would without that thread, and the log names it."""
    done = run(
        "import threading\n"
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from asdlc_kb.ops.process.shutdown import join_threads\n"
        "from asdlc_kb.ops.logs.structured import configure\n"
        "configure('info')\n"
        "executor = ThreadPoolExecutor(1, thread_name_prefix='stuck')\n"
        "executor.submit(threading.Event().wait)\n"
        "join_threads(executor)\n"
        "raise SystemExit(4)\n"
    )
    assert done.returncode == 0
    assert b"threads still running at exit" in done.stderr
    assert b"stuck_0" in done.stderr


def test_code_that_holds_the_interpreter_does_not_keep_the_process() -> None:
    """The stacks of the threads show the cause."""
    done = run(
        "import re\n"
        "from asdlc_kb.ops.process.shutdown import time_limit\n"
        "with time_limit(0.2):\n"
        "    re.match('(a*)*b', 'a' * 60)\n"
    )
    assert done.returncode == 1
    assert b"Timeout" in done.stderr
    assert b"re/__init__.py" in done.stderr


def test_a_block_that_ends_in_time_has_no_limit_left() -> None:
    """Even without a stderr for the stacks."""
    done = run(
        "import sys, threading\n"
        "from asdlc_kb.ops.process.shutdown import time_limit\n"
        "with time_limit(0.2):\n"
        "    pass\n"
        "threading.Event().wait(0.5)\n"
        "sys.stderr = None\n"
        "with time_limit(0.2):\n"
        "    pass\n"
        "raise SystemExit(4)\n"
    )
    assert (done.returncode, done.stderr) == (4, b"")
