"""Pages are entirely in the reader's language; texts for programs are in English."""

import functools
import gettext
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.cache import caches
from django.core.management import call_command
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from engines.records.endings import FORFEIT, OTHERWISE
from engines.rules.outcome import FORFEITED, JOINED, RESIGNED, SPOKEN, SPOKEN_DRAWS
from engines.rules.registry import RULESETS
from frontend.documents import library, reference
from frontend.text import core_words
from tests.archives import manifest, packed, upload
from tests.effort import ALL
from tests.factories import make_event, make_user, make_version, play_event
from tests.frontend.every_address import addresses
from tests.frontend.text import pseudo
from tests.frontend.untrusted import MARKER
from tests.frontend.whole_site import fill
from tournaments.models import AuditEntry, Bot, Event, Submission, Version
from tournaments.scoring.standings import TIE_BREAKS
from tournaments.services.accounts.bans import ban

GERMAN = {"Accept-Language": "de-AT,de;q=0.9,en;q=0.5"}
ROOT = pseudo.CATALOGUE.parents[4]
needs_gettext = pytest.mark.skipif(shutil.which("msgfmt") is None, reason="needs GNU gettext")


def compiled(path: Path) -> dict:
    """Return a compiled catalogue's messages, including plural forms."""
    with path.open("rb") as file:
        return gettext.GNUTranslations(file)._catalog


@functools.cache
def entries(path: Path) -> dict[str, list[str]]:
    """Return a catalogue's messages, with context and plural, and their translations; fuzzy ones have none."""
    text = subprocess.run(["msgcat", "--no-wrap", str(path)], check=True, capture_output=True, text=True).stdout
    found = {}
    for block in text.split("\n\n")[1:]:
        asked = re.findall(r'^(?:msgctxt|msgid|msgid_plural) (".*")$', block, re.MULTILINE)
        given = [] if re.search("^#,.*fuzzy", block, re.MULTILINE) else re.findall(
            r'^msgstr(?:\[\d\])? "(.*)"$', block, re.MULTILINE)
        found["\n".join(asked)] = given
    return found


def stored_in(settings, directory: Path) -> dict:
    default = {**settings.STORAGES["default"], "OPTIONS": {"location": str(directory)}}
    return {**settings.STORAGES, "default": default}


def without_nonce(page: HttpResponse) -> str:
    return re.sub('nonce=".*?"', "", page.content.decode())


def _english_titles() -> Iterator[str]:
    """Yield the titles of documents and of the API's objects."""
    yield library.contents().title
    yield from (document.text.title for document in map(library.find, library.files()))
    for tag in reference.tags().values():
        yield from (schema.name for schema in tag.schemas)


@needs_gettext
class TestCatalogue:
    @pytest.fixture
    def extracted(self, tmp_path, monkeypatch, settings) -> dict[str, list[str]]:
        """Return the catalogue that the command extracts from the current sources."""
        for name in ("frontend", "tournaments"):
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        settings.LOCALE_PATHS = [tmp_path / "frontend" / "locale"]
        monkeypatch.chdir(tmp_path)
        call_command("messages")
        return entries(tmp_path / pseudo.CATALOGUE.relative_to(ROOT))

    @pytest.mark.slow
    def test_translates_every_marked_text_and_nothing_else(self, extracted):
        assert set(extracted) == set(entries(pseudo.CATALOGUE)), "run `make messages` and translate what is new"
        assert [asked for asked, given in extracted.items() if not given or not all(given)] == []

    def test_is_compiled(self, tmp_path):
        subprocess.run(["msgfmt", str(pseudo.CATALOGUE), "-o", str(tmp_path / "fresh.mo")], check=True)
        assert compiled(tmp_path / "fresh.mo") == compiled(pseudo.CATALOGUE.with_suffix(".mo"))

    def test_keeps_placeholders(self):
        placeholders = re.compile(r"%\(\w+\)[a-z]|%%|</?[a-z]+")
        for asked, given in entries(pseudo.CATALOGUE).items():
            wanted = set(placeholders.findall(asked))
            assert [text for text in given if set(placeholders.findall(text)) != wanted] == [], asked

    def test_contains_the_texts_of_framework_independent_modules(self):
        needed = [word for ruleset in RULESETS.values() for word in ruleset.words()]
        needed += [word for tie_break in TIE_BREAKS.values() for word in (tie_break.name, tie_break.description)]
        needed += [*SPOKEN.values(), *SPOKEN_DRAWS.values(), *FORFEITED.values(), *JOINED, RESIGNED, FORFEIT, OTHERWISE]
        assert [word for word in needed if word not in core_words.WORDS] == []


@pytest.mark.django_db
class TestChoice:
    def test_is_english_unless_the_browser_prefers_another_language(self, client):
        for headers, language, heading in (({}, "en", "Ladders"), (GERMAN, "de", "Ranglisten")):
            page = client.get("/ladders/", headers=headers)
            assert page["Content-Language"] == language
            assert f'<html lang="{language}"' in page.content.decode()
            assert f"<h1>{heading}</h1>" in page.content.decode()
            assert {"Accept-Language", "Cookie"} <= set(page["Vary"].split(", "))
            assert translation.get_language() == "en"
        for address in ("/nowhere/", reverse("api-docs")):
            assert '<html lang="de"' in client.get(address, headers=GERMAN).content.decode()

    def test_is_the_readers_without_script_and_csrf_token(self):
        visitor = Client(enforce_csrf_checks=True)
        page = visitor.get("/games/?bot=alder").content.decode()
        assert '<input type="hidden" name="next" value="/games/?bot=alder">' in " ".join(page.split())
        assert '<button name="language" value="de" lang="de">Deutsch</button>' in page
        for language, leads_to, reached in (("en", "/ladders/?x=1", "/ladders/?x=1"),
                                            ("de", "https://evil.example/", "/")):
            answer = visitor.post("/language/", {"language": language, "next": leads_to})
            assert (answer.status_code, answer["Location"]) == (302, reached)
            for headers in ({}, GERMAN):
                assert visitor.get("/ladders/", headers=headers)["Content-Language"] == language

    def test_ignores_unknown_languages(self, client):
        for wrong in ("tlh", "../de", "", "x" * 900):
            client.post("/language/", {"language": wrong, "next": "/"})
            assert client.get("/ladders/", headers={"Accept-Language": wrong})["Content-Language"] == "en"


@pytest.fixture(scope="module")
def event(module_db) -> Event:
    event = play_event(make_event([make_version(name) for name in ("Alder", "Birch", "Cedar")],
                                  ruleset="square-grid-hex", size=3))
    make_version("Adler", owner="ben")
    return event


@pytest.mark.django_db
class TestTextForPrograms:
    def test_is_english(self, client, event):
        client.cookies["language"] = "de"
        answer = client.get("/api/bots/nobody/", headers=GERMAN)
        assert answer.json()["detail"] == "No Bot matches the given query."
        assert "Accept-Language" not in answer.get("Vary", "")
        client.force_login(make_user("ben"))
        answer = client.post(f"/api/versions/{Version.objects.get(bot__name='Alder').pk}/rest/", headers=GERMAN)
        assert answer.json()["detail"] == "Alder is not your bot: only its owner and its team can manage it."

    def test_is_english_in_feeds_and_downloads(self, client, event):
        game = event.matches.first().games.first()
        for address in ("/events/feed/", f"/events/{event.slug}/feed/", f"/games/{game.pk}.txt"):
            answer = client.get(address, headers=GERMAN)
            assert answer.content == Client().get(address).content
            assert "Accept-Language" not in answer.get("Vary", "")

    def test_is_english_in_the_admin_the_audit_log_and_refusals_of_uploads(
            self, client, admin_client, event, tmp_path, settings):
        assert "Site administration" in admin_client.get("/admin/", headers=GERMAN).content.decode()
        version, settings.STORAGES = Version.objects.get(bot__name="Adler"), stored_in(settings, tmp_path)
        client.force_login(version.bot.owner)
        client.post(f"/versions/{version.pk}/rest/", headers=GERMAN)
        entry = AuditEntry.objects.latest("pk")
        assert (entry.verb, entry.kind, entry.name) == ("rest", "version", "Adler v1")
        Bot.objects.filter(name="Adler").update(slug="adler")
        ban(actor=make_user("organiser", staff=True), user=None, bot=version.bot, reason="It cheated.",
            now=timezone.now())
        client.force_login(make_user("mia"))
        client.post("/upload/", {"archive": upload(packed(manifest("Adler")))}, headers=GERMAN)
        assert Submission.objects.latest("pk").refusal == "Adler is banned: It cheated."


@pytest.mark.django_db
class TestCaches:
    @pytest.fixture(autouse=True)
    def _cached(self, settings):
        # Rolled-back tests reuse the same ids, so these have a cache of their own.
        settings.CACHES = {**settings.CACHES, "default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache",
                                                          "LOCATION": "languages"}}
        settings.SHARED_PAGE_SECONDS, settings.KEPT_TABLE_SECONDS = 600, 600
        yield
        for each in caches.all():
            each.clear()

    def test_do_not_mix_languages(self, client, event):
        for noun, slug, parts in (("ladders", event.ladder.slug, ("", "fairness/")),
                                  ("events", event.slug, ("", "live/", "crosstable/", "fairness/"))):
            for part in parts:
                address = f"/{noun}/{slug}/{part}"
                english, german, again = (without_nonce(client.get(address, headers=headers))
                                          for headers in ({}, GERMAN, {}))
                assert again == english, address
                for page, word, other in (
                        (english, "Bot by bot|Standings|Crosstable", "Tabelle|Kreuztabelle"),
                        (german, "Bot für Bot|Tabelle|Kreuztabelle", "Standings|Crosstable|Bot by bot")):
                    assert re.search(word, page), address
                    assert not re.search(f">(?:{other})<", page), address

    def test_have_the_language_in_every_template_key(self):
        tags = [tag for path in (ROOT / "frontend/templates").rglob("*.html")
                for tag in re.findall(r"{% cache .*? %}", path.read_text(encoding="utf-8"))]
        assert tags
        # An event's ETag contains the language.
        assert [tag for tag in tags if "LANGUAGE_CODE" not in tag and "etag" not in tag] == []

    def test_of_browsers_do_not_mix_languages(self, client, event):
        for address in ("/live/", "/watch/live/", f"/events/{event.slug}/live/", f"/events/{event.slug}/boards/"):
            known = {"If-None-Match": client.get(address)["ETag"]}
            assert client.get(address, headers=known).status_code == 304, address
            assert client.get(address, headers={**known, **GERMAN}).status_code == 200, address


@needs_gettext
@pytest.mark.django_db
@pytest.mark.slow
class TestEveryPage:
    # Pages that differ between a visitor, an owner and staff; all others are read by the owner, except with --all.
    DIFFER = {"home", "event", "ladder", "bot", "game", "series", "casual-game", "question",
              "submission", "second-factor", "account_login", "account_signup", "game-analysis", "challenge", "trial"}
    PICTURES = ("-card", "-gif", "-png", "-svg")
    # Names, units, HTTP methods, and turns in notation.
    KNOWN = ("Squarefield", "Deutsch", "English", "https://", "UTC", "SHA-256", "min", "GET", "POST", "PATCH", "DELETE",
             "pass", "swap", "resign",
             *(ruleset.name for ruleset in RULESETS.values()))
    # Paths of the API, truncated untrusted texts, and texts with German translations by Django and allauth.
    UNTRANSLATED = re.compile(rf"/[a-z{{}}/_]+|.*({MARKER}|WWWW|[Pp]asswor[td]).*", re.DOTALL)

    def test_has_no_unmarked_text(self, settings, redis_url, tmp_path):
        settings.STORAGES = stored_in(settings, tmp_path)
        site = fill(settings)
        settings.LOCALE_PATHS = [pseudo.make(tmp_path / "locale")]
        known = pseudo.pattern_of((*self.KNOWN, *pseudo.data(), *_english_titles()))
        found = []
        for person in (None, site.owner, site.staff):
            client = Client(headers=GERMAN, raise_request_exception=False)
            for name, address in addresses(site):
                if name.endswith(self.PICTURES) or (person is not site.owner and name not in self.DIFFER and not ALL):
                    continue
                if person is not None:
                    client.force_login(person)
                answer = client.get(address)
                if answer["Content-Type"].startswith("text/html"):
                    found += [(name, text) for text in pseudo.unmarked(answer.content.decode(), known=known)
                              if not self.UNTRANSLATED.fullmatch(text)]
        assert list(dict.fromkeys(found)) == []
