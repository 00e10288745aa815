"""The recorder of usage statistics, from the settings."""

import os
from pathlib import Path

from asdlc_kb.exceptions import OperationalError
from asdlc_kb.ops.insights.recorder import InsightsRecorder
from asdlc_kb.ops.logs.access_log import AccessLog
from asdlc_kb.settings import Settings
from asdlc_kb.web.admission.client_address import Networks


def open_insights(
    settings: Settings,
    observers: Networks,
    access_log: AccessLog,
    before: InsightsRecorder | None = None,
) -> InsightsRecorder | None:
    """Return the recorder of what is logged; None if it is neither shown nor saved.

    One that records already continues.
    """
    if before is not None:
        before.query_days = settings.query_retention_days
        return before
    if settings.insights is None and not observers:
        return None
    store = None
    if settings.insights is not None:
        # Imported late: by default there is no file.
        from asdlc_kb.ops.insights.database import InsightsFile

        store = InsightsFile(Path(settings.insights))
    recorder = InsightsRecorder(store, query_days=settings.query_retention_days)
    access_log.observer = recorder.record
    return recorder


def require_insights_folder(settings: Settings) -> None:
    """Raise OperationalError if the folder of the file does not exist."""
    if settings.insights is not None:
        folder = Path(settings.insights).absolute().parent
        if not os.path.isdir(folder):
            message = f"no folder {folder}: create it, or name another --insights file"
            raise OperationalError(message)


def require_own_insights(settings: Settings) -> None:
    """Raise OperationalError for a file of another program, which is not touched."""
    if settings.insights is not None:
        from asdlc_kb.ops.insights.database import ForeignFile, require_own_file

        path = Path(settings.insights).absolute()
        try:
            require_own_file(path)
        except ForeignFile:
            raise OperationalError(
                f"{path} is no file of insights, and left as it is",
                "name another --insights file",
            ) from None
        except OSError:
            # It is logged when the counts are saved, and may pass.
            return
