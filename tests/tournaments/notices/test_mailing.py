"""The text of mails."""

import re
from pathlib import Path

import pytest

from tournaments.services.notices import mailing
from tournaments.services.notices.kinds import CHOICES, COMMON_CHOICES

# Payloads as the services emit them.
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
    **{kind: {"standstills": [{"queue": "scware", "reason": "tier", "since": "2026-11-12T15:00:00+00:00",
                               "text": "No worker of the tier “standard” that plays Scware is online."}]}
       for kind in ("standstill.began", "standstill.ended")},
    "followed.news": {"about": "event", "slug": "spring", "name": "Spring & Sons", "more": 2, "news": [
        {"text": "Spring & Sons has started.", "path": "/events/spring/", "event": "spring"},
        {"text": "Round 2 of Spring & Sons is drawn.", "path": "/events/spring/", "event": "spring"}]},
    "version.well": {"bot": "alder", "version": 2, "ladder": "scware-6x6"},
}


class TestAMail:
    def test_is_tested_here_for_every_kind(self):
        assert set(PAYLOADS) == set(CHOICES)

    def test_is_of_a_documented_kind(self):
        page = (Path(__file__).parents[3] / "docs/reference/webhooks.md").read_text("utf-8")
        assert re.findall(r"^\| `([a-z.]+)` \|", page, re.MULTILINE) == [*CHOICES, "test"]

    def test_contains_all_facts_and_how_to_unsubscribe(self, settings):
        settings.BASE_URL = "https://squarefield.example"
        shown = {"name", "bot", "ladder", "reason", "until", "step", "refusal", "event"}
        for kind, payload in PAYLOADS.items():
            subject, body = mailing.text(kind, payload)
            assert subject.startswith("[Squarefield] ")
            missing = [fact for fact in payload.keys() & shown if str(payload[fact]) not in subject + body]
            assert (kind, missing) == (kind, [])
            assert "https://squarefield.example/" in body
            assert ("/account/notices/" in body) is (kind in COMMON_CHOICES)
            assert "\n\n\n" not in body
        assert "scware, since 2026-11-12T15:00:00+00:00: No worker of the tier “standard”" in mailing.text(
            "standstill.began", PAYLOADS["standstill.began"])[1]
        assert mailing.text("event.finished", {**PAYLOADS["event.finished"], "status": "cancelled"})[0] == (
            "[Squarefield] Spring & Sons was cancelled")

    def test_has_a_subject_of_one_line_of_visible_characters(self):
        subject, _ = mailing.text("event.started", {"event": "x", "name": "a\r\nBcc: b\u202e" + "c" * 500})
        assert "\n" not in subject
        assert "\r" not in subject
        assert "\u202e" not in subject
        assert len(subject) <= 150

    def test_is_not_sent_without_an_address(self):
        with pytest.raises(mailing.Unmailable):
            mailing.send("event.started", PAYLOADS["event.started"], to="", number=1)
