"""The application that serves a request is the one that is current when it comes."""

from support.peers import serving
from support.wire import dial

from asdlc_kb.app import Runtime
from asdlc_kb.web.routes import make_application


async def test_a_connection_is_served_by_the_next_application(app: Runtime) -> None:
    """Also one that waited for its next request meanwhile."""
    # A query is left to Tornado.
    path = "/health?x"
    async with serving(app) as site, dial(site.port) as wire:
        await wire.request("GET", path)
        assert (await wire.answer()).status == 200
        before, after = site.front.application, make_application(site.context)
        site.front.application = after
        served = []
        for application in (before, after):
            log = application.settings["log_function"]

            def record(handler: object, application=application, log=log) -> None:  # type: ignore[no-untyped-def]
                served.append(application)
                log(handler)

            application.settings["log_function"] = record
        await wire.request("GET", path)
        assert (await wire.answer()).status == 200
        assert served == [after]
