"""The vectors of all languages, and what is Python's own."""

import base64
import json
import unittest
from email.message import Message
from pathlib import Path

from payment_checkout import Refused, verify_webhook, webhook_secrets

VECTORS = json.loads((Path(__file__).parents[2] / "vectors.json").read_text(encoding="utf-8"))
GENUINE = VECTORS["requests"][0]


def outcome(vector, headers=None, body=None):
    raw = vector["body"].encode() if "body" in vector else base64.b64decode(vector["body_base64"])
    options = {"tolerance_seconds": vector["tolerance_seconds"]} if "tolerance_seconds" in vector else {}
    try:
        event = verify_webhook(
            raw if body is None else body,
            vector["headers"] if headers is None else headers,
            vector["secrets"],
            now=vector["now"],
            **options,
        )
    except Refused as refused:
        return refused.reason
    assert event["id"] == "evt_1"
    return "accepted"


class Vectors(unittest.TestCase):
    def test_every_request_is_accepted_or_refused_as_in_all_languages(self):
        found = {vector["name"]: outcome(vector) for vector in VECTORS["requests"]}
        self.assertGreater(len(found), 100)
        self.assertEqual(found, {vector["name"]: vector["expect"] for vector in VECTORS["requests"]})

    def test_every_configured_secret_is_read_or_refused_as_in_all_languages(self):
        for vector in VECTORS["secrets"]:
            with self.subTest(vector["configured"]):
                if vector["secrets"] is not None:
                    self.assertEqual(webhook_secrets(vector["configured"]), vector["secrets"])
                    continue
                with self.assertRaises(ValueError) as raised:
                    webhook_secrets(vector["configured"])
                # No secret is shown, not even a malformed one.
                self.assertNotRegex(str(raised.exception), r"hunter2|[\w+/]{20}")


class Arguments(unittest.TestCase):
    def test_headers_may_be_pairs_bytes_or_those_of_a_library(self):
        message = Message()
        for name, value in GENUINE["headers"].items():
            message[name] = value
        pairs = list(GENUINE["headers"].items())
        for headers in (message, pairs, [(name.encode(), value.encode()) for name, value in pairs]):
            self.assertEqual(outcome(GENUINE, headers), "accepted")
        message["webhook-id"] = "evt_2"
        self.assertEqual(outcome(GENUINE, message), "malformed_header")

    def test_secrets_may_be_a_list(self):
        vector = {**GENUINE, "secrets": [VECTORS["secrets"][2]["secrets"][0], GENUINE["secrets"]]}
        self.assertEqual(outcome(vector), "accepted")

    def test_what_no_request_can_cause_raises_another_error(self):
        with self.assertRaisesRegex(TypeError, "the bytes that arrived, not dict"):
            outcome(GENUINE, body={"id": "evt_1"})
        with self.assertRaisesRegex(TypeError, "the bytes that arrived, not str"):
            outcome(GENUINE, body=GENUINE["body"])
        for wrong in ({"secrets": []}, {"secrets": ""}, {"tolerance_seconds": -1}):
            with self.assertRaises(ValueError):
                outcome({**GENUINE, **wrong})

    def test_the_current_time_is_the_default(self):
        with self.assertRaisesRegex(Refused, "^timestamp_too_old: it was sent"):
            verify_webhook(GENUINE["body"].encode(), GENUINE["headers"], GENUINE["secrets"])


if __name__ == "__main__":
    unittest.main()
