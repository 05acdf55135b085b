"""Addresses of the pages."""

from django.urls import path

from frontend.views import bots, events, games, home, ladders, submissions

urlpatterns = [
    path("", home.page, name="home"),
    path("favicon.ico", home.favicon),
    path("live/", home.live, name="home-live"),
    path("ladders/", ladders.index, name="ladders"),
    path("ladders/<slug:slug>/", ladders.page, name="ladder"),
    path("events/", events.index, name="events"),
    path("events/<slug:slug>/", events.page, name="event"),
    path("events/<slug:slug>/live/", events.live, name="event-live"),
    path("bots/", bots.index, name="bots"),
    path("bots/<slug:slug>/", bots.page, name="bot"),
    path("submissions/<int:pk>/", submissions.page, name="submission"),
    path("games/", games.index, name="games"),
    path("games/<int:pk>/", games.page, name="game"),
    path("games/<int:pk>.json", games.as_json, name="game-json"),
    path("games/<int:pk>.txt", games.as_text, name="game-text"),
    path("games/<int:pk>.svg", games.as_svg, name="game-svg"),
]
