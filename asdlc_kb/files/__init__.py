"""File access: safe listing and reading, the content cache, change watching, writing.

Independent of any content type. The only package that imports watchfiles.
"""
