"""The position debugger: ask a bot for its move in a position of a replay. The answer has its own page."""

import re
from typing import Any, Final

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from engines.records.replay import drawn_board, turns_from
from engines.rules.registry import find
from frontend.drawing import board
from frontend.live.replays import NO_RESULT
from frontend.text import endings, wording
from frontend.text.languages import in_language
from frontend.views.shared.acting import asked
from frontend.views.shared.conditional import render_unless_known
from frontend.views.shared.numbers import whole_number
from frontend.views.shared.private import private
from tournaments.models import Game, Question, Version
from tournaments.models.lifecycle import QUESTION_OPEN
from tournaments.platform.refusals import Refused
from tournaments.selectors.casual import questions as reads
from tournaments.selectors.matches import games as game_reads
from tournaments.services.casual.questions import ask_in_game
from tournaments.web.visitors import asker_of, remember

_NAMED: Final = re.compile(r"(?P<bot>.{1,60}?)(?:\s+v(?P<number>\d{1,9}))?\s*")
_DIGITS: Final = 9


@require_POST
def ask(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask the version in `version`, or the bot named in `bot`, for its move after `ply` plies of a game."""
    game = get_object_or_404(game_reads.whole_games(request.user), pk=pk)
    number = whole_number(request.POST.get("ply", ""), _DIGITS)
    ply = -1 if number is None else number
    asker = asker_of(request)
    question = asked(request, lambda **facts: ask_in_game(**facts, version=_version(request, game)), asker=asker,
                     game=game, ply=ply)
    if question is None:
        return redirect(f"{reverse('game', args=[pk])}?turn={max(0, ply)}")
    return remember(redirect("question", question.token), asker)


def page(request: HttpRequest, token: str) -> HttpResponse:
    question = get_object_or_404(reads.questions(), token=token)
    return private(render(request, "frontend/casual/question.html", _context(request, question)))


def part(request: HttpRequest, token: str) -> HttpResponse:
    """The part of the page that changes, for its script; 304 if it is unchanged."""
    question = get_object_or_404(reads.questions(), token=token)
    etag = in_language(f"{question.pk}-{question.status}-{question.attempt}")
    return private(render_unless_known(request, "frontend/casual/_question.html", etag,
                                       lambda: _context(request, question)))


class _NoSuchBot(Refused):
    """No bot or version has that name."""


def _version(request: HttpRequest, game: Game) -> Version:
    """The chosen version: one of the two in the game, or another one by name. Raises Refused."""
    named = request.POST.get("bot", "").strip().replace("\x00", "")
    if not named:
        return game.seat1 if request.POST.get("version") == str(game.seat1_id) else game.seat0
    match = _NAMED.fullmatch(named)
    name, number = (match["bot"].strip(), match["number"]) if match else ("", None)
    versions = reads.askable_versions().filter(bot__name__iexact=name) or reads.askable_versions().filter(
        bot__slug=name)
    found = next((version for version in versions if number is None or version.number == int(number)), None)
    if found is None:
        raise _NoSuchBot(
            gettext("There is no active version %(number)s of %(bot)r.") % {"number": number, "bot": name}
            if number else gettext("There is no bot %(bot)r with an active version.") % {"bot": named[:60]})
    return found


def _context(request: HttpRequest, question: Question) -> dict[str, Any]:
    ruleset = find(question.ruleset)
    turns, position = turns_from(ruleset.start(question.size), [(text, None) for text in question.turns])
    seat = position.seat_to_move
    resigns = question.answer == "resign"
    if question.answer and not resigns:
        turns += turns_from(position, [(question.answer, question.seconds)])[0]
    document: board.Document = {"ruleset": {"slug": ruleset.slug, "name": ruleset.name},
                                "players": [{"colour": colour} for colour in ruleset.colours],
                                "board": drawn_board(ruleset, question.size), "initial": [], "turns": turns,
                                "result": NO_RESULT}
    frame = board.frame_at(document, len(turns))
    said = _said(question)
    game = question.game if question.game and game_reads.games(request.user).filter(pk=question.game_id) else None
    return {
        "section": "games", "question": question, "said": said, "seat": seat, "colour": ruleset.colours[seat],
        "words": wording.seat_words(document, seat), "game": game, "ply": len(question.turns),
        "document": document, "open": question.status in QUESTION_OPEN,
        "board": board.svg(document, frame, said), "text": board.text(document, frame),
        "stderr": None if question.status in QUESTION_OPEN else reads.stderr_for(request.user, question),
    }


def _said(question: Question) -> str:
    """Describe the state or the answer in a sentence."""
    name = {"version": question.version}
    if question.status in QUESTION_OPEN:
        return (gettext("Asking %(version)s again after a service fault.") if question.setback else
                gettext("Asking %(version)s.")) % name
    if question.answer == "resign":
        return gettext("%(version)s resigns here.") % name
    if question.answer:
        return gettext("%(version)s plays %(turn)s.") % {**name, "turn": question.answer.replace(",", " ")}
    if question.fault:
        return gettext("%(version)s would forfeit here: %(fault)s.") % {
            **name, "fault": endings.fault(question.fault)}
    return gettext("%(version)s could not be asked because of a service fault.") % name
