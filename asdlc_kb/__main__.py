"""Lets `python -m asdlc_kb` do what the console script `asdlc-kb` does."""

from asdlc_kb.cli import main

if __name__ == "__main__":
    main()
