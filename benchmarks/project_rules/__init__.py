"""Instruction files that apply to paths of public repositories."""
