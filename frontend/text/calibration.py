"""Sentences about the calibration of a bot's own evaluation."""

from django.utils.translation import gettext

from frontend.text.analysis import whole_percent
from tournaments.selectors.bots.calibration import Calibration

# A bin with fewer games says too little to be named in a sentence.
LEAST_GAMES = 10


def calibration_words(found: Calibration) -> str:
    """The bin that matters most in words, and the mean difference."""
    mean = gettext("On average over its turns, the reported chance differs from the score by %(error)s.") % {
        "error": whole_percent(found.error)}
    sure = [tally for place, tally in found.bins.items() if tally.games >= LEAST_GAMES and tally.reported >= 0.5]
    if not sure:
        return mean
    tally = max(sure, key=lambda each: each.turns)
    low, high = tally.interval
    return gettext("When it reported a chance of about %(reported)s, it scored %(scored)s of the points (95%% interval "
                   "%(low)s to %(high)s). %(mean)s") % {
        "reported": whole_percent(tally.reported), "scored": whole_percent(tally.scored), "low": whole_percent(low),
        "high": whole_percent(high), "mean": mean}
