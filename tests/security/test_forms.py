"""The pages' forms: each requires its CSRF token, and none changes other users' objects."""

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.test import Client
from django.urls import resolve

from tests.factories import make_user
from tests.security import surface
from tests.security.planted import clients
from tests.security.test_writing import written
from tests.tournaments.api.roles import World
from tests.tournaments.conftest import make_archive
from tournaments.models import Entry, Version

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.xdist_group("the planted site")]
# Pages that act on no one's objects: signing in and out, and actions that anyone may start.
ANYBODYS = {"/account/login/", "/account/login/second-factor/", "/account/logout/", "/account/signup/",
            "/account/password/reset/", "/play/{slug}/", "/games/{pk}/ask/", "/games/{pk}/analyse/",
            "/bots/{slug}/follow/",
            "/events/{slug}/follow/"}
OWN = {"/account/profile/", "/account/tokens/", "/account/notices/", "/account/webhooks/", "/account/browsers/",
       "/account/email/",
       "/account/password/change/", "/account/password/set/", "/account/reauthenticate/", "/account/second-factor/",
       "/account/second-factor/codes/", "/account/second-factor/off/", "/teams/", "/upload/",
       "/events/new/", "/challenges/new/",
       *(f"/account/following/{verb}/" for verb in ("mails-on", "mails-off", "feed-renew", "feed-off"))}

# The language of the pages and whether they show results, which a request from another site may change without harm;
# and the end of e-mails, where the address itself has a signed token (here a made-up one). With the answer's status.
NEEDS_NO_TOKEN = {"/language/": 302, "/results/": 302, "/unsubscribe/{token}/": 404}


def bodies(world: World) -> dict[str, dict[str, Any]]:
    """Return what an owner sends to each page that acts on a user's objects."""
    ant, dog = world.versions["ant"], world.versions["dog"]
    bot = {"bot": str(ant.bot_id)}
    otto = User.objects.get(username="otto").pk
    entry = Entry.objects.filter(bot=ant.bot).earliest("pk")
    running = Entry.objects.filter(bot=ant.bot, event__status="running", event__created_by__username="mia")[0]
    return {
        "/ladders/{slug}/join/": {"version": dog.pk}, "/ladders/{slug}/leave/": bot,
        "/ladders/{slug}/bring-back/": bot, "/ladders/{slug}/take-over/": {**bot, "on_trial": "yes"},
        "/ladders/{slug}/try/": {"version": Version.objects.filter(bot=ant.bot).order_by("-number")[0].pk},
        "/trials/{pk}/withdraw/": {}, "/challenges/{pk}/cancel/": {},
        "/events/{slug}/edit/": {"name": "New", "cycles": "1", "starts_at": "2099-01-01T12:00"},
        "/events/{slug}/enter/": {"version": dog.pk}, "/events/{slug}/leave/": {"entry": str(entry.pk)},
        "/events/{slug}/disqualify/": {"entry": str(running.pk), "reason": "copied"},
        "/events/{slug}/invite/": {"username": "quinn"}, "/events/{slug}/uninvite/": {"username": "pia"},
        **{f"/events/{{slug}}/{verb}/": {} for verb in ("start", "pause", "resume", "cancel")},
        **{f"/series/{{slug}}/{verb}/": {} for verb in ("pause", "resume", "end")},
        "/bots/{slug}/team/": {"team": ""}, "/bots/{slug}/judging/": {"judges": "yes"},
        **{f"/versions/{{pk}}/{verb}/": {} for verb in ("rest", "withdraw", "bring-back")},
        "/play/games/{token}/turn/": {"turn": "a1", "ply": "0"}, "/play/games/{token}/resign/": {},
        "/play/games/{token}/rematch/": {},
        "/account/tokens/{pk}/revoke/": {}, "/teams/{slug}/members/": {"username": "pia"},
        "/teams/{slug}/members/{pk}/captain/": {}, "/teams/{slug}/members/{pk}/remove/": {"pk": otto},
        "/account/webhooks/{pk}/secret/": {}, "/account/webhooks/{pk}/delete/": {},
        **{f"/account/webhooks/{{pk}}/{verb}/": {} for verb in ("pause", "resume", "test")},
        "/account/deliveries/{pk}/resend/": {}, "/account/following/{pk}/remove/": {},
        "/account/browsers/{pk}/remove/": {},
    }


class TestEveryForm:
    def test_is_refused_without_a_csrf_token(self, planted: World) -> None:
        nouns = surface.nouns()
        client = Client(enforce_csrf_checks=True)
        client.force_login(make_user("organiser"))
        for pattern in surface.pages():
            address = surface.fill(pattern, nouns)[0]
            with written() as tables:
                answer = client.post(address)
            assert (answer.status_code, tables) == (NEEDS_NO_TOKEN.get(pattern, 403), set()), address

    def test_of_the_admin_is_refused_without_a_csrf_token(self, planted: World) -> None:
        """Rendering the refusal of each page would take seconds; what the middleware reads does not."""
        client = Client(enforce_csrf_checks=True)
        client.force_login(make_user("organiser"))
        assert client.post("/admin/tournaments/match/live/").status_code == 403
        views = {pattern: resolve(re.sub(r"{\w+}", "1", pattern)).func for pattern in surface.admin_pages()}
        assert [pattern for pattern, view in views.items() if getattr(view, "csrf_exempt", False)] == []

    def test_of_the_api_is_refused_in_a_session_without_a_csrf_token(self, planted: World) -> None:
        client, nouns = Client(enforce_csrf_checks=True), surface.nouns()
        client.force_login(make_user("organiser"))
        for method, path in surface.operations():
            if method != "get":
                with written() as tables:
                    answer = getattr(client, method)(surface.fill(path, nouns)[0], {}, content_type="application/json")
                assert (answer.status_code, tables) == (403, set()), (method, path)


class TestAFormOnAUsersObjects:
    def test_is_in_the_table(self, planted: World) -> None:
        browser, nouns = clients("mia")[0], surface.nouns()
        browser.get("/account/")  # creates her profile
        for pattern in sorted(set(surface.pages()) - ANYBODYS - OWN - set(bodies(planted))):
            with written() as tables:
                browser.post(surface.fill(pattern, nouns)[0], {"x": "y"})
            assert tables == set(), f"{pattern} writes but has no row in the table"

    @pytest.mark.parametrize("role", ["anyone", "noor", "olga"])
    def test_changes_nothing_for_another_user(self, planted: World, role: str) -> None:
        browser, nouns = clients(role)[0], surface.nouns()
        browser.get("/")
        for pattern, body in bodies(planted).items():
            for address in surface.fill(pattern, nouns):
                # Olga runs her own events.
                if role == "olga" and "/events/olgas/" in address:
                    continue
                with written() as tables:
                    browser.post(address, body)
                assert tables == set(), address

    def test_changes_something_for_its_owner(self, planted: World) -> None:
        """Without this, the test above would prove nothing."""
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

    def test_for_uploads_refuses_another_authors_bot_name(self, planted: World) -> None:
        browser = clients("noor")[0]
        with written() as tables:
            browser.post("/upload/", {"archive": SimpleUploadedFile("a.zip", make_archive("ant"))})
        assert tables == set()
