"""The page in a browser: a server on this machine, and the widget in a notebook."""

from typing import TYPE_CHECKING

from regard.lazy import modules

if TYPE_CHECKING:
    from regard.studio import app, browser, early, live_page
else:
    app, browser, early, live_page = modules(__name__, "app", "browser", "early", "live_page")
