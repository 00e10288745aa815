"""What an agent must know to work in a project, read from its folder at every question.

Rules, commands, skills, agents, AGENTS.md, specs and schemas: one module for each kind
of artifact. Nothing is kept between two questions, nothing is written, nothing is run.
Above: providers and the command line. Below: files and markup.
"""
