"""A second factor in Chromium without scripts: switched on with the page's data, then required at sign-in."""

import re
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from PIL import Image
from playwright.sync_api import Page, expect
from qrcode.main import QRCode

from tests.factories import make_user
from tests.frontend.browser.looking import THEMES, check_page, sign_in
from tournaments.services.accounts import second_factor as verbs

pytestmark = [pytest.mark.browser, pytest.mark.serial, pytest.mark.slow,
              pytest.mark.django_db(transaction=True)]


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the current 30-second step in a list; it advances only when the test says so."""
    steps = [59_000_000]
    monkeypatch.setattr(verbs, "step_of", lambda now: steps[0])
    return steps


def read_by_a_camera(page: Page) -> bytes:
    """Return the picture's modules row by row, 1 for dark, each read from its middle pixel."""
    box = page.locator(".qr svg").bounding_box()
    size = int(page.locator(".qr svg").get_attribute("viewBox").split()[2])
    image = Image.open(BytesIO(page.locator(".qr svg").screenshot())).convert("L")
    scale = image.width / size
    assert box["width"] > 2 * size, "a module is two pixels wide or more"
    return bytes(image.getpixel((int((x + 0.5) * scale), int((y + 0.5) * scale))) < 128
                 for y in range(size) for x in range(size))


class TestASecondFactor:
    def test_is_switched_on_with_the_page_and_required_from_then_on(
            self, look: Any, clock: list[int], tmp_path: Path) -> None:
        make_user("mia")
        page = look.at("/account/login/")
        sign_in(page)
        page.wait_for_url("**/account/")
        page.locator("#second-factor").get_by_role("link", name="Turn on").click()
        check_page(page)
        address = page.get_by_role("link", name="open it in the app").get_attribute("href")
        secret = parse_qs(urlsplit(address).query)["secret"][0]
        assert page.locator("pre.quote").inner_text().replace(" ", "") == secret
        drawn = QRCode(border=4)
        drawn.add_data(address)
        expected = bytes(dark for row in drawn.get_matrix() for dark in row)
        for theme in THEMES:
            page.emulate_media(color_scheme=theme)
            assert read_by_a_camera(page) == expected

        page.get_by_label("Your password").fill("mia")
        page.get_by_label("Code").fill(verbs.code_at(secret, clock[0]))
        page.get_by_role("button", name="Turn on").click()
        expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
        check_page(page)
        codes = page.locator(".codes li").all_inner_texts()
        with page.expect_download() as download:
            page.get_by_role("link", name="Save as a file").click()
        download.value.save_as(tmp_path / "codes.txt")
        assert (tmp_path / "codes.txt").read_text().split() == codes
        assert len(codes) == verbs.RECOVERY_CODES
        page.emulate_media(media="print")
        assert page.locator(".codes").is_visible()
        page.emulate_media(media="screen")
        page.get_by_role("link", name="I have saved them").click()
        expect(page.locator("#second-factor")).to_contain_text("10 recovery codes left")

        other = look.at("/account/login/", java_script_enabled=False)
        sign_in(other)
        expect(other.get_by_role("heading", name="Your second factor")).to_be_visible()
        other.get_by_label("Code").fill(verbs.code_at(secret, clock[0]))
        other.locator("main").get_by_role("button", name="Sign in", exact=True).click()
        expect(other.locator(".errorlist")).to_contain_text("was used before")
        clock[0] += 1
        other.get_by_label("Code").fill(verbs.code_at(secret, clock[0]))
        other.locator("main").get_by_role("button", name="Sign in", exact=True).click()
        other.wait_for_url(re.compile("/account/$"))
