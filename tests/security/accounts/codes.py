"""Users and browsers for the tests of the second factor."""

import re
from typing import Any

from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tournaments.services.accounts import second_factor as verbs

SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"


class Clock:
    """The 30-second steps that the verbs count; they advance only when the test says so."""

    def __init__(self) -> None:
        self.step = 59_000_000

    def code(self, secret: str = SECRET) -> str:
        """Return the code that the app shows now."""
        return verbs.code_at(secret, self.step)

    def next_code(self, secret: str = SECRET) -> str:
        """Return the code that the app shows half a minute later."""
        self.step += 1
        return self.code(secret)


def switched_on(user: User, clock: Clock) -> list[str]:
    """Switch on the second factor, which uses up the current code, and return the recovery codes."""
    return verbs.switch_on(user=user, secret=SECRET, code=clock.code(), password=user.username, now=timezone.now())


def use(user: User, code: str) -> Any:
    return verbs.use_code(user=user, code=code, now=timezone.now())


def post(client: Client, name: str, address: str = "192.0.2.1", **fields: str) -> Any:
    return client.post(reverse(name), fields, headers={"X-Forwarded-For": address})


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def half_way(name: str = "mia", password: str | None = None, **options: str) -> Client:
    """Return a browser that has sent the password and must now send a code."""
    client = Client()
    answer = post(client, "account_login", login=name, password=password or name, **options)
    assert answer["Location"] == reverse("mfa_authenticate"), answer.content.decode()
    return client


def is_in(client: Client) -> bool:
    return client.get(reverse("account")).status_code == 200


def error(answer: Any) -> str:
    """Return the errors shown next to the fields."""
    return " ".join(re.findall(r'class="errorlist"[^>]*><li>([^<]*)', answer.content.decode()))


def secret_on(page: Any) -> str:
    """Return the secret that the page for switching on shows."""
    return re.search(r"<code>([A-Z2-7 ]+)</code>", page.content.decode())[1].replace(" ", "")
