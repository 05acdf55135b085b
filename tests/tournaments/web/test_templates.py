"""Templates as they are loaded: pages without the indentation, everything else as it is."""

from pathlib import Path

from django.template.loader import get_template


class TestTemplates:
    def test_of_pages_lose_their_indentation(self):
        source = get_template("404.html").template.source
        assert source.startswith('{% extends "frontend/base.html" %}\n')
        assert "\n " not in source

    def test_of_mails_stay_as_they_are(self):
        template = get_template("frontend/matches/game.txt").template
        assert template.source == Path(template.origin.name).read_text(encoding="utf-8")
