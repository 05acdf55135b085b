"""Encryption of push messages and the site's signature, against the examples of their RFCs."""

import json
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature

from tests.factories import START
from tournaments.platform.messaging.web_push import (
    LONGEST_MESSAGE,
    authorization,
    bytes_of,
    encrypt,
    make_key,
    point_of,
    private_key,
    public_key,
    text_of,
)

# RFC 8291, section 5 and appendix A.
SENDER = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"
RECEIVER = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
AUTH = "BTBZMqHH6r4Tts7J_aSIgg"
SALT = "DGv6ra1nlYgDCS1FRnbzlw"
MESSAGE = b"When I grow up, I want to be a watermelon"
BODY = ("DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3"
        "jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")


class TestAMessage:
    def test_is_encrypted_as_in_the_example_of_rfc_8291(self):
        body = encrypt(MESSAGE, receiver=bytes_of(RECEIVER), auth=bytes_of(AUTH), sender=private_key(SENDER),
                       salt=bytes_of(SALT))
        assert text_of(body) == BODY

    def test_fits_into_what_every_push_service_accepts(self):
        body = encrypt(b"x" * LONGEST_MESSAGE, receiver=bytes_of(RECEIVER), auth=bytes_of(AUTH))
        assert len(body) <= 4096
        with pytest.raises(ValueError, match="at most 3000 bytes"):
            encrypt(b"x" * (LONGEST_MESSAGE + 1), receiver=bytes_of(RECEIVER), auth=bytes_of(AUTH))

    def test_needs_a_point_of_the_curve(self):
        with pytest.raises(ValueError, match=r"."):
            encrypt(MESSAGE, receiver=b"\4" + b"\1" * 64, auth=bytes_of(AUTH))


class TestTheAuthorization:
    def test_is_a_token_signed_with_the_key_that_it_names(self):
        key = private_key(make_key())
        header = authorization(key, audience="https://push.example", contact="https://site.example", now=START)
        token, named = header.removeprefix("vapid t=").split(", k=")
        assert named == text_of(point_of(key))
        signed, _, signature = token.rpartition(".")
        raw = bytes_of(signature)
        der = encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        public_key(bytes_of(named)).verify(der, signed.encode(), ec.ECDSA(hashes.SHA256()))
        head, claims = (json.loads(bytes_of(part)) for part in signed.split("."))
        assert head == {"typ": "JWT", "alg": "ES256"}
        assert claims == {"aud": "https://push.example", "sub": "https://site.example",
                          "exp": int((START + timedelta(hours=12)).timestamp())}

    def test_needs_a_key_of_32_bytes(self):
        for text in ("", "abc", "é", "A" * 43 + "==" * 30):
            with pytest.raises(ValueError, match=r"."):
                private_key(text)
