"""The explorer of openings: how rated games of a ruleset and size continued from a position."""

from itertools import pairwise

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from engines.records.older import shown_document
from engines.rules.registry import RULESETS
from engines.rules.ruleset import SetupError
from engines.rules.symmetry import EXPLORED_PLIES
from frontend.live.explorer import address, context
from frontend.views.shared.numbers import number_in
from frontend.views.site.pictures import asked_turn
from ratings.openings import BAND_LIMITS, BANDS
from tournaments.selectors.ladders import openings as reads
from tournaments.selectors.matches import games as game_reads

_LOW, _HIGH, _BETWEEN = (gettext_lazy("below %(high)s"), gettext_lazy("%(low)s and above"),
                         gettext_lazy("%(low)s to %(high)s"))
# The text of the turns is cut off here: twelve turns with many stones are shorter.
_LONGEST = 2000


def page(request: HttpRequest, slug: str, size: int) -> HttpResponse:
    """The position after `?turns=`, separated by spaces, and the turns of games there, by `?band=` of ratings.

    If a turn cannot be played, the page shows the position before it, and says why, with status 400.
    """
    if slug not in RULESETS:
        raise Http404(gettext("There is no ruleset with that name."))
    ruleset, band, refused = RULESETS[slug], number_in(request, "band"), ""
    band = band if band is not None and band < BANDS else None
    try:
        ruleset.check_size(size)
        reached = reads.reach(ruleset, size, request.GET.get("turns", "")[:_LONGEST].split())
    except SetupError as error:
        raise Http404(f"{error}.") from None
    except reads.TurnsRefused as error:
        refused, reached = str(error), reads.reach(ruleset, size, error.legal)
    explored = reads.explore(reached, band)
    games = game_reads.brief(game_reads.games(request.user).filter(pk__in=explored.games))
    return render(request, "frontend/ladders/openings.html", {
        "section": "ladders", "slug": slug, "name": ruleset.name, "size": size, "refused": refused,
        "explored": explored, "counted": reads.counted(slug, size), "most": EXPLORED_PLIES,
        "sizes": [(each, reverse("openings", args=[slug, each])) for each in reads.sizes(slug) if each != size],
        "bands": [(label, address(reached.turns, value), value == band) for value, label in _bands()],
        "banded": band is not None, "games": games, **context(reached, explored, band),
    }, status=400 if refused else 200)


def of_game(request: HttpRequest, pk: int) -> HttpResponse:
    """Redirect to the position of the game at `?turn=N`, or to the last one that is explored."""
    game = get_object_or_404(game_reads.whole_games(request.user), pk=pk)
    document = shown_document(game.record)
    if document["older"]:
        raise Http404(gettext("The game was played by older rules, so its position cannot be explored."))
    turns = [turn["text"] for turn in document["turns"][:min(asked_turn(request, document), EXPLORED_PLIES)]]
    page_ = reverse("openings", args=[document["ruleset"]["slug"], document["board"]["size"]])
    return redirect(f"{page_}{address(turns, None)}")


def _bands() -> list[tuple[int | None, str]]:
    """The bands of ratings with their labels; first all of them."""
    labels = [(_LOW % {"high": BAND_LIMITS[0]}), *(_BETWEEN % {"low": low, "high": high - 1}
              for low, high in pairwise(BAND_LIMITS)), _HIGH % {"low": BAND_LIMITS[-1]}]
    return [(None, gettext("all ratings")), *enumerate(map(str, labels))]
