"""Completion of values in a shell: known words, and folders with a name."""

from collections.abc import Callable, Iterable
from glob import escape, glob
from typing import TYPE_CHECKING, TypeAlias

import click

from asdlc_kb.cli import terminal

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

Completer: TypeAlias = Callable[[click.Context, click.Parameter, str], list[str]]


def complete_words(words: Iterable[str], mark: str = "") -> Completer:
    """Return a completer of words; what is typed up to the last `mark` is kept."""
    known = tuple(dict.fromkeys(words))

    def complete(
        context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[str]:
        end = incomplete.rfind(mark) + len(mark) if mark else 0
        kept, begun = incomplete[:end], incomplete[end:]
        return [f"{kept}{word}" for word in known if word.startswith(begun)]

    return complete


class NamedFolder(click.Path):
    """The value `[NAME=]DIR`."""

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> "list[CompletionItem]":
        """Let the shell complete a path; after a name, list the folders."""
        name, mark, begun = incomplete.partition("=")
        if not mark:
            return super().shell_complete(ctx, param, incomplete)
        from click.shell_completion import CompletionItem

        found = sorted(glob(f"{escape(begun)}*/"))
        return [
            CompletionItem(f"{name}={folder}")
            for folder in found
            if terminal.escape(folder) == folder
        ]
