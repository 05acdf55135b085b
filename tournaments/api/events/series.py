"""Series: events that are held again and again."""

from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.viewsets import ReadOnlyModelViewSet

from tournaments.api.events.events import FormatSerializer
from tournaments.api.plumbing.actions import Verb, described
from tournaments.api.plumbing.slugs import BySlug
from tournaments.models import Series
from tournaments.selectors.events import events as reads
from tournaments.services.events import series as verbs


class SeriesSerializer(serializers.ModelSerializer):
    ladder = serializers.SlugRelatedField(slug_field="slug", read_only=True, help_text="Slug of the ladder.")
    created_by = serializers.CharField(source="created_by.username", help_text="Its organiser.")
    announced_run_at = serializers.DateTimeField(allow_null=True, help_text="The start of the event that is announced "
                                                                            "and has not started; null for none.")
    following_run_at = serializers.DateTimeField(allow_null=True, help_text="The start of the event that it announces "
                                                                            "after that one; null while it is paused.")
    next_run_at = serializers.DateTimeField(allow_null=True, help_text="The same as `following_run_at`, also while it "
                                                                       "is paused; for clients that know no other.")

    class Meta:
        model = Series
        read_only_fields = fields = ["slug", "name", "ladder", "cron", "time_zone", "enter_ladder", "format", "cycles",
                                     "swiss_rounds", "seeding", "tie_breaks", "openings", "rated", "private",
                                     "max_entries", "active", "announced_run_at", "following_run_at",
                                     "next_run_at", "created_by", "created_at"]


class NewSeriesSerializer(FormatSerializer):
    cron = serializers.CharField(max_length=100, help_text="When: minute, hour, day of month, month, day of week, such "
                                                           "as 0 18 * * FRI.")
    time_zone = serializers.CharField(default="UTC", max_length=60,
                                      help_text="Whose clock the times are by: a name such as Europe/Berlin.")
    enter_ladder = serializers.BooleanField(default=False, help_text="Enter every active bot of the ladder by itself.")
    rated = serializers.BooleanField(default=True, help_text="Its games count for the ladder.")


@described(list="Series, newest first.", retrieve="One series. Its events are found by `/api/events/?series=`.")
class SeriesViewSet(BySlug, ReadOnlyModelViewSet):
    queryset = Series.objects.all()
    serializer_class = SeriesSerializer
    fresh = True

    def get_queryset(self) -> QuerySet[Series]:
        return reads.series(self.request.user)

    create = Verb(verbs.create_series, "Set up a series. Its first event is announced at once. For the site's "
                                       "organisers.", form=NewSeriesSerializer, code=201, actor="created_by")
    pause = Verb(verbs.pause_series, "Announce no more events until it is resumed. For its organiser.")
    resume = Verb(verbs.resume_series, "Go on with the next time to come; those of the pause are not made up for. For "
                                       "its organiser.")
    end = Verb(verbs.end_series, "Announce no more events, ever; what is announced stays, and may be cancelled. For "
                                 "its organiser.")
