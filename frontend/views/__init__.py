"""Views: each reads through `tournaments.selectors` and renders a template."""
