"""Truncation of texts, marked by an ellipsis."""


def truncate(text: str, max_chars: int) -> str:
    """Return a text of at most `max_chars` characters, the ellipsis included."""
    if len(text) <= max_chars:
        return text
    return f"{text[: max_chars - 1].rstrip()}…"


def truncate_words(text: str, max_chars: int) -> str:
    """Return a text of at most `max_chars` characters, truncated at a space."""
    if len(text) <= max_chars:
        return text
    return f"{text[: max_chars - 1].rsplit(' ', 1)[0]}…"
