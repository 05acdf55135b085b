"""What mails say."""

import pytest
from django.template.loader import get_template

from tournaments.models.notices import NOTICES
from tournaments.services.notices import mailing

# As the verbs emit them.
PAYLOADS = {
    "submission.accepted": {"submission": 7, "bot": "alder", "name": "Alder", "version": 2, "version_id": 9},
    "submission.refused": {"submission": 7, "name": "Alder", "step": "build",
                           "refusal": "The build failed: <no> & 'x'."},
    "event.changed": {"event": "spring", "name": "Spring & Sons", "status": "scheduled", "changed": ["cycles", "name"],
                      "starts_at": "2026-11-12T15:00:00+00:00"},
    "event.started": {"event": "spring", "name": "Spring & Sons", "status": "running"},
    "event.finished": {"event": "spring", "name": "Spring & Sons", "status": "finished"},
    "version.rested": {"bot": "alder", "version": 2, "ladder": "scware-6x6", "reason": "three faults in a row",
                       "until": "2026-11-12T15:00:00+00:00"},
    **{kind: {"trial": 5, "bot": "alder", "name": "Alder", "version": 2, "against": 1, "ladder": "scware-6x6",
              "reason": "Alder v2 passed against v1: LLR 2.97 reached 2.94 after 57 pairs of games.", "llr": 2.97,
              "pairs": 57, "elo": 80.0, "low": 20.0, "high": 140.0}
       for kind in ("candidate.passed", "candidate.failed", "candidate.inconclusive")},
    "version.well": {"bot": "alder", "version": 2, "ladder": "scware-6x6"},
}


class TestAMail:
    def test_has_a_text_of_its_own_for_every_kind(self, settings):
        assert set(PAYLOADS) == set(NOTICES)
        for kind in PAYLOADS:
            get_template(f"mail/{kind}.txt")

    @pytest.mark.parametrize("kind", PAYLOADS)
    def test_says_all_that_is_told_and_how_to_end_it(self, kind, settings):
        settings.BASE_URL = "https://squarefield.example"
        subject, body = mailing.text(kind, PAYLOADS[kind])
        assert subject.startswith("[Squarefield] ")
        for fact in PAYLOADS[kind].keys() & {"name", "bot", "ladder", "reason", "until", "step", "refusal", "event"}:
            assert str(PAYLOADS[kind][fact]) in subject + body
        assert "https://squarefield.example/" in body
        assert "/account/notices/" in body
        assert "\n\n\n" not in body

    def test_of_a_cancelled_event_says_so(self):
        subject, _ = mailing.text("event.finished", {**PAYLOADS["event.finished"], "status": "cancelled"})
        assert subject == "[Squarefield] Spring & Sons was cancelled"

    def test_keeps_its_subject_to_one_line_of_visible_characters(self):
        subject, _ = mailing.text("event.started", {"event": "x", "name": "a\r\nBcc: b\u202e" + "c" * 500})
        assert "\n" not in subject
        assert "\r" not in subject
        assert "\u202e" not in subject
        assert len(subject) <= 150

    def test_goes_nowhere_without_an_address(self):
        with pytest.raises(mailing.Unmailable):
            mailing.send("event.started", PAYLOADS["event.started"], to="")
