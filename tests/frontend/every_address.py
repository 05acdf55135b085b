"""Every URL name of the site, with examples from a `WholeSite`.

A name without an example fails `test_hostile_texts.py`, so that every new page is checked like all others.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.urls import URLPattern, get_resolver, reverse

from frontend.documents.starters import LANGUAGES
from tests.frontend.whole_site import WholeSite
from tournaments.services.notices.following import unsubscribe_token

# These URLs are registered by Django and the REST framework, which have their own examples.
ELSEWHERE = re.compile("admin/|api/(?!docs/)")
NAMELESS = ("/favicon.ico", "/robots.txt", "/metrics")


def names() -> set[str]:
    """Return the URL names of all pages, feeds, pictures, downloads and actions."""
    return {pattern.name for route, pattern in _patterns(get_resolver(), "")
            if pattern.name and not ELSEWHERE.match(route)}


def _patterns(resolver: Any, before: str) -> Iterator[tuple[str, URLPattern]]:
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route, pattern
        else:
            yield from _patterns(pattern, route)


def examples(site: WholeSite) -> dict[str, list[Sequence[Any]]]:
    """Return, for each name, the arguments of its examples: one for each variant of the page."""
    events = [(event.slug,) for event in (site.event, site.cup, site.own)]
    bots = [(version.bot.slug,) for version in (site.version, site.versions[4], site.versions[-1])]
    games = [(site.game.pk,), (site.other_game.pk,)]
    uploads = [(upload.pk,) for upload in (site.submission, site.at_the_door, site.version.submission)]
    casual = [(game.token,) for game in site.casual_games]
    reader, reset = user_pk_to_url_str(site.owner), default_token_generator.make_token(site.owner)
    table: list[tuple[str, list[Sequence[Any]]]] = [
        (("home home-live site-card language ladders challenges challenge-new events events-feed event-new bots "
          "upload account account-profile token-make teams notices webhook-make rules documents api-docs games "
          "watch watch-live director director-news results trials account_login account_logout account_inactive "
          "manifest service-worker offline downloads following browser-add account_signup "
          "account_reauthenticate account_email account_email_verification_sent account_change_password "
          "account_set_password account_reset_password account_confirm_login_code "
          "account_reset_password_from_key_done account_reset_password_done mfa_authenticate all-round search "
          "second-factor second-factor-codes second-factor-off"), [()]),
        ("account_confirm_email", [("made-up",)]),
        ("account_reset_password_from_key", [(reader, "made-up"), (reader, reset)]),
        ("ladder ladder-table ladder-join ladder-leave ladder-bring-back ladder-fairness ladder-try ladder-take-over",
         [(site.ladder.slug,)]),
        ("trial trial-live trial-withdraw", [(site.trial.pk,)]),
        ("challenge challenge-cancel", [(site.challenge.pk,)]),
        (("event event-feed event-fairness event-live event-boards event-card event-crosstable event-edit event-enter "
          "event-leave event-return event-invite event-uninvite event-disqualify "
          "event-follow"), events),
        ("event-run", [(event.slug, "pause") for event in (site.event, site.own)]),
        ("series series-edit", [(site.series.slug,), (site.league.slug,)]),
        ("series-run", [(site.series.slug, "pause")]),
        ("bot bot-card bot-feed bot-give bot-judging bot-follow play", bots),
        ("pair", [(site.bot.slug, site.other_bot.slug)]),
        ("version-rest version-withdraw version-bring-back", [(site.version.pk,)]),
        ("casual-game casual-part casual-turn casual-resign casual-rematch", casual),
        ("question question-part", [(site.question.token,)]),
        ("token-revoke", [(site.token.pk,)]),
        ("person", [(user.username,) for user in (site.owner, site.other_bot.owner, site.staff)]),
        ("team team-add", [(site.team.slug,)]),
        ("team-appoint team-remove", [(site.team.slug, site.membership.user_id)]),
        ("submission submission-live", uploads), ("submission-game", [(site.submission.pk, 1)]),
        ("webhook webhook-secret webhook-delete", [(site.webhook.pk,)]),
        ("webhook-change", [(site.webhook.pk, "pause")]), ("delivery-resend", [(site.delivery.pk,)]),
        ("openings", [(site.ladder.ruleset, site.ladder.size), ("squ", 8)]),
        ("icon", [("any-192",), ("maskable-512",)]), ("news-channel", [("mails-on",)]),
        ("unfollow", [(site.follow.pk,)]), ("browser-remove", [(site.browser.pk,)]),
        ("news-feed", [(site.feed.key,)]), ("unsubscribe", [(unsubscribe_token(site.owner),)]),
        ("rule play-ruleset", [("squ",), ("squaresquared",)]), ("document", [("write-a-bot",), ("operations",)]),
        ("decision", [("0014-questions",)]), ("api-docs-tag", [("events",)]),
        ("download", [("squarefield.pyz",), ("SHA256SUMS",)]), ("download-index", [("squarefield",)]),
        ("starter", [(slug,) for slug in LANGUAGES]),
        ("game game-openings game-analysis game-analysis-part game-analyse ask", games),
        ("game-json game-text game-svg game-png game-gif game-card game-embed game-sgf", games),
        ("game-logs", [(site.game.pk, 0), (site.game.pk, 1)]),
        ("match", [(site.live_match.pk,)]),
        ("director-game", games),
        ("match-game match-turns director-match", [(site.live_match.pk, 1), (site.live_match.pk, 2)]),
    ]
    return {name: rows for named, rows in table for name in named.split()}


def addresses(site: WholeSite) -> list[tuple[str, str]]:
    """Return name and URL of every example."""
    return [(name, reverse(name, args=arguments)) for name, rows in examples(site).items() for arguments in rows]


def one_of_each(site: WholeSite) -> list[tuple[str, str]]:
    """Return name and URL of the first example of each name."""
    return [(name, reverse(name, args=rows[0])) for name, rows in examples(site).items()]
