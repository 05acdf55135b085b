"""Webhooks, their deliveries, bans and the audit log through the API."""


import pytest
from rest_framework.test import APIClient

from tests.factories import START, make_user, make_version
from tests.tournaments.api.contract import malformed, post, problem, read
from tournaments.models import AuditEntry, Ban, Delivery, Webhook
from tournaments.services.notices import outbox
from tournaments.services.notices.webhooks import MOST_WEBHOOKS, create_webhook
from tournaments.services.shared import audit

URL = "https://example.org/hook"


@pytest.fixture
def webhook(author: APIClient) -> Webhook:
    return create_webhook(owner=make_user("mia"), url=URL, kinds=[], now=START)


class TestAWebhook:
    def test_is_created_and_shows_its_secret_only_once(self, author: APIClient) -> None:
        made = post(author, "webhooks/", url=URL, kinds=["event.started"])
        assert made.status_code == 201
        secret = made.json()["secret"]
        assert secret == Webhook.objects.get().secret
        assert secret.startswith("whsec_")
        for path in ("webhooks/", f"webhooks/{made.json()['id']}/", "deliveries/"):
            assert secret not in author.get(f"/api/{path}").content.decode()
        assert secret not in str(list(AuditEntry.objects.values()))

    def test_is_refused_with_the_reason(self, author: APIClient) -> None:
        for facts, sentence in (
            ({"url": "https://2130706433/"}, "127.0.0.1 is not on the public internet"),
            ({"url": "http://example.org/"}, "The address must begin with https:// and a host."),
            ({"url": "https://a:b@example.org/"}, "The address must not have a user name or password"),
            ({"url": URL, "kinds": ["event.exploded"]}, "Unknown kind of notice 'event.exploded': choose from subm"),
        ):
            status, said = problem(post(author, "webhooks/", **facts))
            assert (status, said[:len(sentence)]) == (409, sentence)
        assert not Webhook.objects.exists()

    def test_is_limited_in_number(self, author: APIClient, webhook: Webhook) -> None:
        assert [post(author, "webhooks/", url=URL).status_code for _ in range(MOST_WEBHOOKS - 1)] == [201] * (
            MOST_WEBHOOKS - 1)
        assert "delete one first" in post(author, "webhooks/", url=URL).json()["detail"]

    def test_is_visible_only_to_its_owner(self, anyone: APIClient, organiser: APIClient, webhook: Webhook) -> None:
        outbox.emit("event.started", to=[webhook.owner_id], payload={}, now=START)
        for name, pk in (("webhooks", webhook.pk), ("deliveries", Delivery.objects.get().pk)):
            assert [anyone.get(f"/api/{name}/{key}").status_code for key in ("", f"{pk}/")] == [401, 401]
            assert read(organiser, f"{name}/")["results"] == []
            assert organiser.get(f"/api/{name}/{pk}/").status_code == 404

    def test_is_changed_paused_and_resumed(self, author: APIClient, webhook: Webhook) -> None:
        path = f"/api/webhooks/{webhook.pk}/"
        answer = author.patch(path, {"active": False, "kinds": ["version.rested"]}, format="json").json()
        assert (answer["active"], answer["kinds"], answer["url"]) == (False, ["version.rested"], URL)
        assert "paused" in post(author, f"webhooks/{webhook.pk}/test/").json()["detail"]
        assert author.patch(path, {"active": True}, format="json").json()["active"]
        assert author.patch(path, {"url": "https://10.0.0.1/"}, format="json").status_code == 409

    def test_gets_a_new_secret_on_demand_and_is_deleted_with_its_log(self, author: APIClient, webhook: Webhook) -> None:
        renewed = post(author, f"webhooks/{webhook.pk}/secret/").json()["secret"]
        assert renewed != webhook.secret
        assert Webhook.objects.get().secret == renewed
        post(author, f"webhooks/{webhook.pk}/test/")
        assert author.delete(f"/api/webhooks/{webhook.pk}/").status_code == 204
        assert not Webhook.objects.exists()
        assert not Delivery.objects.exists()


class TestADelivery:
    def test_of_a_test_is_logged_and_can_be_resent_once_it_has_ended(self, author: APIClient, webhook: Webhook) -> None:
        sent = post(author, f"webhooks/{webhook.pk}/test/")
        assert (sent.status_code, sent.json()["kind"], sent.json()["status"]) == (202, "test", "pending")
        path = f"deliveries/{sent.json()['id']}/"
        assert "still pending" in post(author, f"{path}resend/").json()["detail"]
        Delivery.objects.update(status="failed", answer="500", ended_at=START)
        assert author.get(f"/api/{path}").json()["answer"] == "500"
        assert post(author, f"{path}resend/").json()["status"] == "pending"

    def test_of_a_test_is_rate_limited(self, author: APIClient, webhook: Webhook) -> None:
        codes = [post(author, f"webhooks/{webhook.pk}/test/").status_code for _ in range(6)]
        assert codes == [202] * 5 + [409]

    @pytest.mark.database
    def test_is_found_by_webhook_status_and_kind(self, author: APIClient, webhook: Webhook) -> None:
        outbox.emit("event.started", to=[webhook.owner_id], payload={}, now=START)
        for query, rows in (({"status": "pending"}, 1), ({"status": "failed"}, 0), ({"kind": "event.started"}, 1),
                            ({"webhook": webhook.pk}, 1), ({"webhook": webhook.pk + 1}, 0)):
            assert len(read(author, "deliveries/", **query)["results"]) == rows
        for number in ("-1", "-9" * 20, "9" * 40, "1.5"):
            assert malformed(author.get("/api/deliveries/", {"webhook": number})) == ["webhook"]


class TestABan:
    def test_of_a_bot_or_a_user_is_created_and_lifted_by_staff(self, organiser: APIClient) -> None:
        bot = make_version("Morphy").bot
        made = post(organiser, "bans/", bot=bot.slug, reason="it calls home")
        assert (made.status_code, made.json()["bot"], made.json()["user"]) == (201, bot.slug, None)
        assert post(organiser, "bans/", bot=bot.slug, reason="again").json()["detail"] == "Morphy is already banned."
        assert post(organiser, "bans/", user="mia", reason="spam").status_code == 201
        assert len(read(organiser, "bans/", stands=True)["results"]) == 2
        lifted = post(organiser, f"bans/{made.json()['id']}/lift/")
        assert lifted.json()["lifted_at"] is not None
        assert post(organiser, f"bans/{made.json()['id']}/lift/").status_code == 409
        assert [ban["user"] for ban in read(organiser, "bans/", stands=True)["results"]] == ["mia"]

    def test_is_refused_without_a_valid_subject_and_reason(self, organiser: APIClient, author: APIClient) -> None:
        for facts, code in (
            ({}, 409), ({"user": "nobody"}, 400), ({"bot": "none"}, 400), ({"user": "organiser"}, 409),
            ({"user": "mia", "reason": None}, 400), ({"user": "mia", "reason": " "}, 400),
        ):
            assert post(organiser, "bans/", **{"reason": "why", **facts}).status_code == code, facts
        assert not Ban.objects.exists()


class TestTheAuditLog:
    def test_is_read_and_searched_by_staff(self, anyone: APIClient, author: APIClient, organiser: APIClient) -> None:
        mia = make_user("mia")
        AuditEntry.objects.all().delete()
        audit.record(actor=mia, verb="rest", target=make_version("Morphy"), now=START, cause="holiday")
        audit.record(actor=None, verb="switch off", target=mia, now=START)
        newest, oldest = read(organiser, "audit/")["results"]
        assert (newest["actor"], newest["verb"]) == (None, "switch off")
        assert (oldest["actor"], oldest["kind"], oldest["name"], oldest["detail"]) == (
            "mia", "version", "Morphy v1", {"cause": "holiday"})
        for query, rows in (({"actor": "mia"}, 1), ({"verb": "rest"}, 1), ({"kind": "user"}, 1),
                            ({"target": oldest["target"], "kind": "version"}, 1),
                            ({"since": "2026-11-12T15:00:00Z"}, 0), ({"before": "2026-11-12T15:00:00Z"}, 2)):
            assert len(read(organiser, "audit/", **query)["results"]) == rows
        for name in ("audit", "bans"):
            assert [client.get(f"/api/{name}/").status_code for client in (anyone, author)] == [401, 403]
        assert post(organiser, "audit/", verb="x").status_code == 405
        assert organiser.delete(f"/api/audit/{newest['id']}/").status_code == 405
