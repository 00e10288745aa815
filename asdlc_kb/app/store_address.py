"""The address of the configured store."""

from typing import TYPE_CHECKING, Final

from asdlc_kb.exceptions import SettingsError
from asdlc_kb.extras import missing_extra
from asdlc_kb.settings import Settings

if TYPE_CHECKING:
    from asdlc_kb.store.database import StoreAddress

_HINT: Final = "as in '--store postgresql://kb@10.0.0.5/kb', or set ASDLC_KB_STORE"


def read_store(settings: Settings) -> "StoreAddress":
    """Return the address of the configured store.

    Raises SettingsError without one, OperationalError without the extra.
    """
    if settings.store is None:
        raise SettingsError(f"no store: name a PostgreSQL database, {_HINT}")
    try:
        # Imported late: needs the extra `postgres`.
        from asdlc_kb.store.database import StoreAddress
    except ImportError:
        raise missing_extra("the store", "postgres") from None
    try:
        return StoreAddress.parse(settings.store)
    except ValueError as error:
        raise SettingsError(f"--store: {error}") from None
