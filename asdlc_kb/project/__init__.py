"""Agent artifacts of a project, read from its folder on every request.

Rules, commands, skills, agents, AGENTS.md, specs and schemas: one module for each kind
of artifact. Nothing is cached between requests, written or executed.
Above: providers and the command line. Below: files and markup.
"""
