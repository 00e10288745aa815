"""The command line: arguments in, exit code out.

Exit codes: 0 success, 1 findings, 2 usage, 3 operational error, 130 interrupted.
"""

from asdlc_kb.cli.main import main

__all__ = ["main"]
