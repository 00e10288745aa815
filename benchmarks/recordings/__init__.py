"""Recorder of every answer of the product over fixed content.

It starts the product only by `python -m asdlc_kb` and reads only its sockets, its
output and its files, so one recorder serves two versions whose modules differ.
"""
