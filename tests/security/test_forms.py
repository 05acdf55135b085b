"""The pages' forms: none is taken without its CSRF token, and none changes what is somebody else's."""

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client

from tests.factories import make_user
from tests.security import surface
from tests.security.planted import clients
from tests.security.test_writing import written
from tests.tournaments.api.roles import World
from tests.tournaments.conftest import make_archive
from tournaments.models import Entry, Version

# What is not somebody's: what signs people in and out, and what anybody begins for themselves.
ANYBODYS = {"/account/login/", "/account/login/second-factor/", "/account/logout/", "/account/signup/",
            "/account/password/reset/", "/play/{slug}/", "/games/{pk}/ask/"}
OWN = {"/account/profile/", "/account/tokens/", "/account/notices/", "/account/webhooks/", "/account/email/",
       "/account/password/change/", "/account/password/set/", "/account/reauthenticate/", "/account/second-factor/",
       "/account/second-factor/codes/", "/account/second-factor/off/", "/teams/", "/upload/",
       "/events/new/", "/challenges/new/"}

# In which language its reader sees the pages, which a stranger's page may change for all that it is worth.
NEEDS_NO_TOKEN = {"/language/"}


def bodies(world: World) -> dict[str, dict[str, Any]]:
    """What an owner sends to each page that acts on things that belong to somebody."""
    ant, dog = world.versions["ant"], world.versions["dog"]
    bot = {"bot": str(ant.bot_id)}
    otto = User.objects.get(username="otto").pk
    entry = Entry.objects.filter(bot=ant.bot).earliest("pk")
    return {
        "/ladders/{slug}/join/": {"version": dog.pk}, "/ladders/{slug}/leave/": bot,
        "/ladders/{slug}/bring-back/": bot, "/ladders/{slug}/take-over/": {**bot, "on_trial": "yes"},
        "/ladders/{slug}/try/": {"version": Version.objects.filter(bot=ant.bot).order_by("-number")[0].pk},
        "/trials/{pk}/withdraw/": {}, "/challenges/{pk}/cancel/": {},
        "/events/{slug}/edit/": {"name": "New", "cycles": "1", "starts_at": "2099-01-01T12:00"},
        "/events/{slug}/enter/": {"version": dog.pk}, "/events/{slug}/leave/": {"entry": str(entry.pk)},
        "/events/{slug}/invite/": {"username": "quinn"}, "/events/{slug}/uninvite/": {"username": "pia"},
        **{f"/events/{{slug}}/{verb}/": {} for verb in ("start", "pause", "resume", "cancel")},
        **{f"/series/{{slug}}/{verb}/": {} for verb in ("pause", "resume", "end")},
        "/bots/{slug}/team/": {"team": ""},
        **{f"/versions/{{pk}}/{verb}/": {} for verb in ("rest", "withdraw", "bring-back")},
        "/play/games/{token}/turn/": {"turn": "a1", "ply": "0"}, "/play/games/{token}/resign/": {},
        "/account/tokens/{pk}/revoke/": {}, "/teams/{slug}/members/": {"username": "pia"},
        "/teams/{slug}/members/{pk}/captain/": {}, "/teams/{slug}/members/{pk}/remove/": {"pk": otto},
        "/account/webhooks/{pk}/secret/": {}, "/account/webhooks/{pk}/delete/": {},
        **{f"/account/webhooks/{{pk}}/{verb}/": {} for verb in ("pause", "resume", "test")},
        "/account/deliveries/{pk}/resend/": {},
    }


def taking_posts(client: Client) -> set[str]:
    """The patterns of pages that answer a POST with something else than that there is no such method."""
    nouns = surface.nouns()
    return {pattern for pattern in surface.pages()
            if client.post(surface.fill(pattern, nouns)[0]).status_code not in {404, 405}}


class TestEveryForm:
    @pytest.mark.parametrize("role", ["anyone", "mia", "organiser"])
    def test_is_refused_without_its_token(self, planted: World, role: str) -> None:
        nouns = surface.nouns()
        client = Client(enforce_csrf_checks=True)
        if role != "anyone":
            client.force_login(make_user(role))
        for pattern in (*surface.pages(), *surface.admin_pages()):
            address = pattern if pattern.startswith("/admin/") else surface.fill(pattern, nouns)[0]
            with written() as tables:
                answer = client.post(address)
            assert (answer.status_code, tables) == (302 if pattern in NEEDS_NO_TOKEN else 403, set()), address

    def test_of_the_api_is_refused_without_it_too_when_a_session_asks(self, planted: World) -> None:
        client, nouns = Client(enforce_csrf_checks=True), surface.nouns()
        client.force_login(make_user("organiser"))
        for method, path in surface.operations():
            if method != "get":
                with written() as tables:
                    answer = getattr(client, method)(surface.fill(path, nouns)[0], {}, content_type="application/json")
                assert (answer.status_code, tables) == (403, set()), (method, path)


class TestAFormAboutSomebodysThings:
    def test_is_in_the_table(self, planted: World) -> None:
        # A page is taken for one that takes a POST when it answers one at all; most others say 405.
        acting = taking_posts(clients("mia")[0]) - ANYBODYS - OWN
        reading = {pattern for pattern in acting if pattern not in bodies(planted)}
        browser, nouns = clients("mia")[0], surface.nouns()
        for pattern in reading:
            with written() as tables:
                browser.post(surface.fill(pattern, nouns)[0], {"x": "y"})
            assert tables == set(), f"{pattern} writes, and has no row in the table"

    @pytest.mark.parametrize("role", ["anyone", "noor", "olga", "pia", "quinn"])
    def test_changes_nothing_for_a_stranger(self, planted: World, role: str) -> None:
        browser, nouns = clients(role)[0], surface.nouns()
        browser.get("/")
        for pattern, body in bodies(planted).items():
            for address in surface.fill(pattern, nouns):
                # Events of olga's are hers to run.
                if role == "olga" and "/events/olgas/" in address:
                    continue
                with written() as tables:
                    browser.post(address, body)
                assert tables == set(), address

    def test_changes_something_for_its_owner(self, planted: World) -> None:
        """Or the test above would say nothing."""
        changed, nouns = set(), surface.nouns()
        browser = clients("mia")[0]
        for pattern, body in bodies(planted).items():
            for address in surface.fill(pattern, nouns):
                with transaction.atomic():
                    with written() as tables:
                        browser.post(address, body)
                    transaction.set_rollback(True)
                if tables:
                    changed.add(pattern)
        assert changed == set(bodies(planted))

    def test_that_uploads_takes_nobodys_name(self, planted: World) -> None:
        browser = clients("noor")[0]
        with written() as tables:
            browser.post("/upload/", {"archive": SimpleUploadedFile("a.zip", make_archive("ant"))})
        assert tables == set()
