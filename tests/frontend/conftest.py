"""A browser for the tests marked `browser`: Debian's Chromium without network access."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.tournaments.site import Site
from tests.waiting import PATIENCE_SECONDS

# Playwright runs an event loop in this thread, where Django would refuse to use the database.
os.environ.setdefault("DJANGO_ALLOW_ASYNC_UNSAFE", "1")

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
ARGUMENTS = ("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync")
# A page that waits longer for a busy machine is not wrong.
PATIENCE_MS = PATIENCE_SECONDS * 1000
expect.set_options(timeout=PATIENCE_MS)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args: dict[str, Any]) -> dict[str, Any]:
    if not Path(CHROMIUM).exists():
        pytest.skip("there is no Chromium on this machine")
    return {**browser_type_launch_args, "executable_path": CHROMIUM, "args": list(ARGUMENTS)}


class Look:
    """Opens pages of the live site and collects the complaints on their consoles."""

    def __init__(self, browser: Browser, address: str) -> None:
        self._browser, self._address, self._contexts = browser, address, []
        self.complaints: list[str] = []

    def at(self, path: str, *, width: int = 1280, theme: str = "light", **options: Any) -> Page:
        """Return a page in a browser context of its own."""
        context = self._browser.new_context(viewport={"width": width, "height": 800}, color_scheme=theme,
                                            base_url=self._address, reduced_motion="reduce", **options)
        self._contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(PATIENCE_MS)
        page.on("console", lambda message: self._hear(page, message.type, message.text))
        page.on("pageerror", lambda error: self._hear(page, "error", str(error)))
        page.goto(path)
        return page

    def _hear(self, page: Page, kind: str, text: str) -> None:
        if kind in ("error", "warning"):
            self.complaints.append(f"{page.url}: {text}")

    def close(self) -> None:
        for context in self._contexts:
            context.close()


@pytest.fixture
def look(browser: Browser, live_server: Any) -> Iterator[Look]:
    """Yield the live site in a browser; fail if a console complained, about the policy or anything else."""
    looking = Look(browser, live_server.url)
    yield looking
    looking.close()
    assert looking.complaints == []


@pytest.fixture
def site(site_environment, settings, tmp_path) -> Iterator[Site]:
    """Start the service's processes on the Redis that the pages use."""
    root = tmp_path / "archives"
    settings.STORAGES = {**settings.STORAGES, "default": {**settings.STORAGES["default"],
                                                          "OPTIONS": {"location": str(root)}}}
    site = Site({**site_environment, "SQUAREFIELD_ARCHIVES": str(root), "SQUAREFIELD_REPUBLISH_SECONDS": "2"}, tmp_path)
    yield site
    site.stop()
