"""The list of clients in docs/clients.md is the table in the code."""

from support.clients_page import HEADING, PAGE, render_part, split_page

from asdlc_kb.connect.client_table import CLIENTS


def test_the_list_of_clients_is_the_table() -> None:
    """Every snippet, path, command and link of every client, as it would be written."""
    assert split_page()[1] == render_part()


def test_the_list_stands_at_the_end_of_the_page_once() -> None:
    """Text after it would be lost when the list is written again."""
    assert PAGE.read_text(encoding="utf-8").count(HEADING) == 1
    assert render_part().count("\n### ") == len(CLIENTS)
