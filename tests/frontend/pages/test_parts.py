"""The template tags for parts that many pages repeat."""

from django.template import Context, Template

MARKUP = "<b>&"


def shown(source: str, **facts: object) -> str:
    return Template("{% load parts %}" + source).render(Context(facts))


class TestParts:
    def test_escape_their_arguments(self):
        for source in ("{% page_head text %}", "{% card text text %}{{ text }}{% endcard %}", "{% fact text text %}",
                       "{% scrolling_table text %}{{ text }}{% endscrolling_table %}",
                       '{% post_button "language" words=text label=text %}'):
            page = shown(source, text=MARKUP, csrf_token="token")
            assert MARKUP not in page, source
            assert "&lt;b&gt;&amp;" in page, source
            assert "&amp;lt;" not in page, source

    def test_translate_texts_in_the_template(self):
        assert "<h2>Games</h2>" in shown('{% card _("Games") %}{% endcard %}')

    def test_leave_out_missing_arguments(self):
        assert "<span" not in shown('{% card "Games" %}{% endcard %}')
        assert "aria-label" not in shown('{% post_button "language" words="Go" %}', csrf_token="token")

    def test_post_with_the_csrf_token(self):
        button = shown('{% post_button "language" words="Go" %}', csrf_token="a token")
        assert '<form method="post" action="/language/">' in button
        assert '<input type="hidden" name="csrfmiddlewaretoken" value="a token">' in button
