"""What is served, as pages for people and publications for machines.

Everything here is a value: a path, a type and bytes. `web` sends them, and a static
build writes the same ones to files. Nothing knows of requests or sockets.
"""
