"""The Model Context Protocol, without I/O: every version in front of one dispatcher.

Below: nothing of this package but the error tree. Above: providers (what is served)
and doors (how bytes come and go). Knows no article, no HTTP library, no socket.
"""
