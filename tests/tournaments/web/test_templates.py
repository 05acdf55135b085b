"""Loading templates: pages lose their indentation, other templates are unchanged."""

from pathlib import Path

from django.template.loader import get_template


class TestTemplates:
    def test_of_pages_lose_their_indentation(self):
        source = get_template("404.html").template.source
        assert source.startswith('{% extends "frontend/base.html" %}\n')
        assert "\n " not in source

    def test_of_text_stay_unchanged(self):
        template = get_template("frontend/matches/game.txt").template
        assert template.source == Path(template.origin.name).read_text(encoding="utf-8")
