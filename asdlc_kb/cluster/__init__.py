"""Several processes that serve the same folder as one.

Nothing here is imported unless several processes are configured.
"""
