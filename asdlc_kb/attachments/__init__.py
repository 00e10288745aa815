"""Attachments: pictures, videos and downloads that articles and pages refer to.

An attachment is visible only if a visible text refers to it.
"""
