"""`manage.py demo`: the whole service on one machine, with the reference bots playing in every ruleset."""
