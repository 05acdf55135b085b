from django.db import migrations


def _carry_over(apps, schema_editor):
    """Matches belonged to rounds of events only; a game's sides were read from the game."""
    matches, games, sides = (apps.get_model("tournaments", name).objects for name in ("Match", "Game", "Side"))
    rounds = apps.get_model("tournaments", "Round").objects.select_related("event")
    for round_ in rounds.iterator():
        matches.filter(round=round_.pk).update(
            event=round_.event_id, ladder=round_.event.ladder_id, created_at=round_.event.started_at)
        games.filter(match__round=round_.pk).update(event=round_.event_id)
    batch = []
    for game in games.select_related("match", "seat0", "seat1").defer("record", "stderr0", "stderr1").iterator():
        seats = (game.seat0, game.seat1)
        for seat in (0, 1):
            score = 0.5 if game.winner is None else float(game.winner == seat)
            batch.append(sides.model(
                game=game, seat=seat, bot_id=seats[seat].bot_id, version=seats[seat],
                opponent_id=seats[1 - seat].bot_id, ladder_id=game.match.ladder_id, score=score,
                at_fault=game.ended_by == "conduct" and game.winner == 1 - seat))
        if len(batch) >= 1000:
            sides.bulk_create(batch)
            batch.clear()
    sides.bulk_create(batch)


class Migration(migrations.Migration):

    dependencies = [
        ('tournaments', '0004_service'),
    ]

    operations = [
        migrations.RunPython(_carry_over, migrations.RunPython.noop),
    ]
