"""The website: HTML pages for people and publications for programs.

Everything here is a value: a path, a type and bytes. `web` sends them, and the static
build writes the same values to files. Independent of requests and sockets.
"""
