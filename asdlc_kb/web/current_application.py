"""The application that serves requests, which a reload replaces."""

from typing import Any

from tornado.httputil import HTTPMessageDelegate, HTTPServerRequest
from tornado.routing import Router
from tornado.web import Application


class CurrentApplication(Router):
    """Serves each request with the application that is current when its header came.

    A connection waits for the next request with the router it began with.
    """

    def __init__(self, application: Application) -> None:
        self.application = application

    def find_handler(
        self, request: HTTPServerRequest, **kwargs: Any
    ) -> HTTPMessageDelegate | None:
        """Return the handler of a request."""
        return self.application.find_handler(request, **kwargs)
