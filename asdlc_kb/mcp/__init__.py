"""The Model Context Protocol without I/O: all versions in front of one dispatcher.

Independent of articles, HTTP libraries and sockets; imports nothing else of this
package but the exceptions. Providers implement content, transports move bytes.
"""
