"""Scripted models behind the model APIs of three vendors, on loopback.

A client is started with the address of a stand-in for its vendor's API. The stand-in
records each request, so a test sees what reaches the model, and answers from a script.
"""
