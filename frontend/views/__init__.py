"""Views: each loads through `tournaments.selectors` and renders a template."""
