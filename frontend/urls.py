"""URLs of the pages."""

from allauth.mfa.base.views import authenticate
from django.urls import include, path, re_path, register_converter
from django.urls.converters import IntConverter, PathConverter, StringConverter

from frontend.feeds import BotFeed, EventFeed, EventsFeed, NewsFeed
from frontend.text import languages, spoilers
from frontend.text.languages import in_english
from frontend.views.accounts import account, people, second_factor, teams
from frontend.views.bots import bots, submissions, uploads, versions
from frontend.views.casual import play, questions
from frontend.views.events import events, organising, scheduling
from frontend.views.ladders import challenges, ladders, official, openings, trials
from frontend.views.matches import analyses, directing, fairness, games, sharing, watching
from frontend.views.notices import following, notices
from frontend.views.site import app, documents, downloads, home, pictures, search


class _Seat(IntConverter):
    regex = "[01]"


class _Game(IntConverter):
    regex = "[12]"


class _Icon(StringConverter):
    regex = "(?:any|maskable)-(?:180|192|512)"


class _Username(PathConverter):
    # Matches any name. A name with a line break, which only a script can create, must not break pages that link to it.
    regex = r"[\s\S]+"


register_converter(_Seat, "seat")
register_converter(_Game, "game")
register_converter(_Icon, "icon")
register_converter(_Username, "username")

urlpatterns = [
    path("", home.page, name="home"),
    path("favicon.ico", home.favicon),
    path("card.png", in_english(pictures.site_card), name="site-card"),
    path("robots.txt", in_english(home.robots)),
    path("manifest.webmanifest", in_english(app.manifest), name="manifest"),
    path("icons/<icon:name>.png", in_english(app.icon), name="icon"),
    path("sw.js", in_english(app.service_worker), name="service-worker"),
    path("offline/", app.offline, name="offline"),
    path("live/", home.live, name="home-live"),
    path("search/", search.page, name="search"),
    path("language/", languages.choose, name="language"),
    path("results/", spoilers.choose, name="results"),
    path("all-round/", official.all_round, name="all-round"),
    path("ladders/", ladders.index, name="ladders"),
    path("ladders/<slug:slug>/", ladders.page, name="ladder"),
    path("ladders/<slug:slug>/table/", official.table, name="ladder-table"),
    path("ladders/<slug:slug>/join/", ladders.join, name="ladder-join"),
    path("ladders/<slug:slug>/leave/", ladders.leave, name="ladder-leave"),
    path("ladders/<slug:slug>/bring-back/", ladders.bring_back, name="ladder-bring-back"),
    path("ladders/<slug:slug>/fairness/", fairness.ladder, name="ladder-fairness"),
    path("ladders/<slug:slug>/try/", trials.enter, name="ladder-try"),
    path("ladders/<slug:slug>/take-over/", trials.choose, name="ladder-take-over"),
    path("openings/<slug:slug>/<int:size>/", openings.page, name="openings"),
    path("trials/", trials.index, name="trials"),
    path("trials/<int:pk>/", trials.page, name="trial"),
    path("trials/<int:pk>/live/", trials.live, name="trial-live"),
    path("trials/<int:pk>/withdraw/", trials.withdraw, name="trial-withdraw"),
    path("challenges/", challenges.index, name="challenges"),
    path("challenges/new/", challenges.new, name="challenge-new"),
    path("challenges/<int:pk>/", challenges.page, name="challenge"),
    path("challenges/<int:pk>/cancel/", challenges.cancel, name="challenge-cancel"),
    path("events/", events.index, name="events"),
    path("events/feed/", in_english(EventsFeed()), name="events-feed"),
    path("events/new/", scheduling.new, name="event-new"),
    path("events/<slug:slug>/", events.page, name="event"),
    path("events/<slug:slug>/feed/", in_english(EventFeed()), name="event-feed"),
    path("events/<slug:slug>/fairness/", fairness.event, name="event-fairness"),
    path("events/<slug:slug>/live/", events.live, name="event-live"),
    path("events/<slug:slug>/boards/", watching.beside, name="event-boards"),
    path("events/<slug:slug>/card.png", in_english(pictures.event_card), name="event-card"),
    path("events/<slug:slug>/crosstable/", events.crosstable, name="event-crosstable"),
    path("events/<slug:slug>/edit/", scheduling.edit, name="event-edit"),
    path("events/<slug:slug>/enter/", organising.enter, name="event-enter"),
    path("events/<slug:slug>/leave/", organising.leave, name="event-leave"),
    path("events/<slug:slug>/return/", organising.bring_back, name="event-return"),
    path("events/<slug:slug>/disqualify/", organising.disqualify, name="event-disqualify"),
    path("events/<slug:slug>/invite/", organising.invite, name="event-invite"),
    path("events/<slug:slug>/uninvite/", organising.invite, {"back": True}, name="event-uninvite"),
    re_path(r"^events/(?P<slug>[-\w]+)/(?P<verb>start|pause|resume|cancel)/$", organising.run, name="event-run"),
    path("events/<slug:slug>/follow/", following.follow_event, name="event-follow"),
    path("series/<slug:slug>/", events.series, name="series"),
    path("series/<slug:slug>/edit/", scheduling.edit_a_series, name="series-edit"),
    re_path(r"^series/(?P<slug>[-\w]+)/(?P<verb>pause|resume|end)/$", organising.run_series, name="series-run"),
    path("bots/", bots.index, name="bots"),
    path("bots/<slug:slug>/", bots.page, name="bot"),
    path("bots/<slug:slug>/card.png", in_english(pictures.bot_card), name="bot-card"),
    path("bots/<slug:slug>/feed/", in_english(BotFeed()), name="bot-feed"),
    path("bots/<slug:slug>/follow/", following.follow_bot, name="bot-follow"),
    path("bots/<slug:slug>/vs/<slug:other>/", official.pair, name="pair"),
    path("bots/<slug:slug>/team/", versions.give, name="bot-give"),
    path("bots/<slug:slug>/judging/", bots.judging, name="bot-judging"),
    path("versions/<int:pk>/rest/", versions.change, {"verb": "rest"}, name="version-rest"),
    path("versions/<int:pk>/withdraw/", versions.change, {"verb": "withdraw"}, name="version-withdraw"),
    path("versions/<int:pk>/bring-back/", versions.change, {"verb": "bring-back"}, name="version-bring-back"),
    path("play/games/<slug:token>/", play.page, name="casual-game"),
    path("play/games/<slug:token>/part/", play.part, name="casual-part"),
    path("play/games/<slug:token>/turn/", play.turn, name="casual-turn"),
    path("play/games/<slug:token>/resign/", play.resign, name="casual-resign"),
    path("play/games/<slug:token>/rematch/", play.rematch, name="casual-rematch"),
    path("play/ruleset/<slug:slug>/", play.choose, name="play-ruleset"),
    path("play/<slug:slug>/", play.new, name="play"),
    path("questions/<slug:token>/", questions.page, name="question"),
    path("questions/<slug:token>/part/", questions.part, name="question-part"),
    path("upload/", uploads.page, name="upload"),
    path("account/", account.page, name="account"),
    path("account/profile/", account.profile, name="account-profile"),
    path("account/tokens/", account.make, name="token-make"),
    path("account/tokens/<int:pk>/revoke/", account.revoke, name="token-revoke"),
    path("account/second-factor/", second_factor.page, name="second-factor"),
    path("account/second-factor/codes/", second_factor.codes, name="second-factor-codes"),
    path("account/second-factor/off/", second_factor.off, name="second-factor-off"),
    # allauth's step after the password. The three pages above replace its other pages for second factors.
    path("account/login/second-factor/", authenticate, name="mfa_authenticate"),
    # Sign-up, sign-in, password and e-mail address.
    path("account/", include("allauth.account.urls")),
    # Staff can give a user any name.
    path("people/<username:username>/", people.page, name="person"),
    path("teams/", teams.index, name="teams"),
    path("teams/<slug:slug>/", teams.page, name="team"),
    path("teams/<slug:slug>/members/", teams.add, name="team-add"),
    path("teams/<slug:slug>/members/<int:pk>/captain/", teams.appoint, name="team-appoint"),
    path("teams/<slug:slug>/members/<int:pk>/remove/", teams.remove, name="team-remove"),
    path("submissions/<int:pk>/", submissions.page, name="submission"),
    path("submissions/<int:pk>/live/", submissions.live, name="submission-live"),
    path("submissions/<int:pk>/games/<int:number>/", submissions.game, name="submission-game"),
    path("account/notices/", notices.page, name="notices"),
    path("account/following/", following.page, name="following"),
    path("account/following/<int:pk>/remove/", following.unfollow, name="unfollow"),
    re_path(r"^account/following/(?P<verb>mails-on|mails-off|feed-renew|feed-off)/$", following.channel,
            name="news-channel"),
    path("account/browsers/", following.subscribe, name="browser-add"),
    path("account/browsers/<int:pk>/remove/", following.unsubscribe_browser, name="browser-remove"),
    path("news/<slug:key>/", in_english(NewsFeed()), name="news-feed"),
    path("unsubscribe/<str:token>/", following.end_mails, name="unsubscribe"),
    path("account/webhooks/", notices.make, name="webhook-make"),
    path("account/webhooks/<int:pk>/", notices.webhook, name="webhook"),
    path("account/webhooks/<int:pk>/secret/", notices.renew, name="webhook-secret"),
    path("account/webhooks/<int:pk>/delete/", notices.delete, name="webhook-delete"),
    re_path(r"^account/webhooks/(?P<pk>\d{1,18})/(?P<verb>pause|resume|test)/$", notices.change, name="webhook-change"),
    path("account/deliveries/<int:pk>/resend/", notices.again, name="delivery-resend"),
    path("rules/", documents.rules_index, name="rules"),
    path("rules/<slug:slug>/", documents.rules, name="rule"),
    path("docs/", documents.index, name="documents"),
    path("docs/<slug:name>/", documents.page, name="document"),
    path("docs/decisions/<slug:name>/", documents.decision, name="decision"),
    path("docs/starters/<slug:language>.zip", in_english(documents.starter), name="starter"),
    path("downloads/", downloads.page, name="downloads"),
    path("downloads/<slug:project>/", in_english(downloads.index), name="download-index"),
    path("downloads/<str:name>", in_english(downloads.file), name="download"),
    path("games/", games.index, name="games"),
    path("games/<int:pk>/", games.page, name="game"),
    path("games/<int:pk>/openings/", openings.of_game, name="game-openings"),
    path("games/<int:pk>/ask/", questions.ask, name="ask"),
    path("games/<int:pk>/analysis/", analyses.page, name="game-analysis"),
    path("games/<int:pk>/analysis/part/", analyses.part, name="game-analysis-part"),
    path("games/<int:pk>/analyse/", analyses.ask, name="game-analyse"),
    path("games/<int:pk>.json", in_english(games.as_json), name="game-json"),
    path("games/<int:pk>.sgf", in_english(games.as_sgf), name="game-sgf"),
    path("games/<int:pk>.txt", in_english(games.as_text), name="game-text"),
    path("games/<int:pk>.svg", in_english(sharing.as_svg), name="game-svg"),
    path("games/<int:pk>.png", in_english(sharing.as_png), name="game-png"),
    path("games/<int:pk>.gif", in_english(sharing.as_gif), name="game-gif"),
    path("games/<int:pk>/card.png", in_english(pictures.game_card), name="game-card"),
    path("games/<int:pk>/embed/", games.embed, name="game-embed"),
    path("games/<int:pk>/logs/<seat:seat>/", games.logs, name="game-logs"),
    path("matches/<int:pk>/", watching.match, name="match"),
    path("matches/<int:pk>/<game:number>/", watching.game, name="match-game"),
    path("matches/<int:pk>/<game:number>/turns.json", watching.turns, name="match-turns"),
    path("watch/", watching.page, name="watch"),
    path("watch/live/", watching.live, name="watch-live"),
    path("watch/director/", directing.page, name="director"),
    path("watch/director/news.json", directing.news, name="director-news"),
    path("watch/director/matches/<int:pk>/<game:number>/", directing.match, name="director-match"),
    path("watch/director/games/<int:pk>/", directing.game, name="director-game"),
]
