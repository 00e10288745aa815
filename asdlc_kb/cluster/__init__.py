"""A cluster of processes that serve the same folder.

Imported only if several processes are configured.
"""
