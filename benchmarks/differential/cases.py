"""Cases: what one connection sends, and in which pieces."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import Final

from benchmarks.differential.requests import make_request

LAST: Final = (
    b"GET /robots.txt HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
)
"""Sent after each case: its answer shows that the connection is still in use."""
MAX_REQUESTS: Final = 5
MAX_CUTS: Final = 6
UNFINISHED: Final = 0.01
"""Share of the cases that end within a request: the connection stays open."""
SPLIT: Final = 40
"""Each such case sends one request cut into two at every place, in turn."""


@dataclass(frozen=True)
class Case:
    """Requests of one connection, and the places at which their bytes are cut."""

    seed: int
    number: int
    requests: Sequence[bytes]
    cuts: Sequence[int] = ()
    is_whole: bool = True
    """Whether the last request is complete, and `LAST` is sent after it."""

    @property
    def data(self) -> bytes:
        """All bytes that are sent."""
        return b"".join((*self.requests, LAST if self.is_whole else b""))

    def pieces(self, data: bytes) -> Iterator[bytes]:
        """Yield the bytes of the connection in the pieces that are sent."""
        places = [0, *sorted(cut % (len(data) + 1) for cut in self.cuts), len(data)]
        for start, end in pairwise(places):
            if start < end:
                yield data[start:end]

    def __str__(self) -> str:
        """Return it whole: repeatable by its seed and number."""
        lines = [f"case {self.number} of seed {self.seed}", *map(repr, self.requests)]
        if not self.is_whole:
            lines.append("and nothing after it")
        if self.cuts:
            lines.append(f"cut at {sorted(self.cuts)}")
        return "\n  ".join(lines)


def make_cases(seed: int, requests: int) -> Iterator[Case]:
    """Yield cases with so many requests in all, the same for the same seed."""
    number = 0
    while requests > 0:
        case = make_case(seed, number)
        requests -= len(case.requests)
        number += 1
        yield case


def make_case(seed: int, number: int) -> Case:
    """Return one case."""
    pick = Random(f"{seed}/{number}")
    if number % SPLIT == 0:
        # The same request for as many numbers as it has places.
        request = make_request(Random(f"{seed}/split/{number // SPLIT // 400}"), 1)
        return Case(seed, number, (request,), (number // SPLIT % 400,))
    count = 1 if pick.random() < 0.5 else pick.randint(2, MAX_REQUESTS)
    if count > 1 and pick.random() < 0.3:
        # The same one again, with another id where it has a plain one.
        made = [
            make_request(Random(f"{seed}/{number}/one"), place + 1)
            for place in range(count)
        ]
    else:
        made = [make_request(pick, place + 1) for place in range(count)]
    size = sum(map(len, made))
    cuts: Sequence[int] = ()
    match pick.random():
        case share if share < 0.3:
            cuts = [pick.randrange(size + 1) for _ in range(pick.randint(1, MAX_CUTS))]
        case share if share < 0.33:
            cuts = range(1, min(size, 600))
    if pick.random() < UNFINISHED:
        made[-1] = made[-1][: pick.randrange(len(made[-1]))]
        return Case(seed, number, tuple(made), tuple(cuts), is_whole=False)
    return Case(seed, number, tuple(made), tuple(cuts))


def list_smaller(case: Case) -> Iterator[Case]:
    """Yield cases with less in them, the smallest first."""
    for request in case.requests:
        if len(case.requests) > 1:
            yield replace(case, requests=(request,), cuts=())
    for place in range(len(case.requests)):
        if len(case.requests) > 2:
            rest = (*case.requests[:place], *case.requests[place + 1 :])
            yield replace(case, requests=rest, cuts=())
    if case.cuts:
        yield replace(case, cuts=())
    for place, request in enumerate(case.requests):
        lines = request.split(b"\r\n")
        for number in range(1, lines.index(b"") if b"" in lines else 0):
            less = b"\r\n".join((*lines[:number], *lines[number + 1 :]))
            before, after = case.requests[:place], case.requests[place + 1 :]
            yield replace(case, requests=(*before, less, *after))
