"""What the client sends, and what it makes of the answers."""

import json
import threading
import unittest
from http.server import BaseHTTPRequestHandler, HTTPServer

from payment_checkout import ApiError, Client, ConnectionFailed

KEY = "sk_test_abc"


class Service(HTTPServer):
    """Answers what the test says, in its order, and remembers what it was sent."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers, self.requests = [], []


class Handler(BaseHTTPRequestHandler):
    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.requests.append((self.command, self.path, headers, body))
        status, sent, answer = self.server.answers.pop(0)
        text = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(text)), **sent}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_PUT = do_DELETE = answer

    def log_message(self, *_):
        pass


class ClientTest(unittest.TestCase):
    def setUp(self):
        self.service = Service()
        thread = threading.Thread(target=self.service.serve_forever, args=(0.01,))
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(self.service.server_close)
        self.addCleanup(self.service.shutdown)
        self.url = f"http://127.0.0.1:{self.service.server_port}"
        self.waits = []
        self.client = Client(self.url + "/", f"{KEY}\n", sleep=self.waits.append)

    def answer(self, *answers):
        self.service.answers = [(one[0], {}, one[1]) if len(one) == 2 else one for one in answers]

    def test_a_post_has_the_key_the_body_and_an_idempotency_key(self):
        self.answer((201, {"id": "pay_1"}))
        order = {"pay_amount": "25.00", "order_id": "é"}
        self.assertEqual(self.client.create_payment(order, idempotency_key="order-1"), {"id": "pay_1"})
        [(method, path, headers, body)] = self.service.requests
        self.assertEqual((method, path, json.loads(body)), ("POST", "/v1/payment", order))
        self.assertEqual(headers["x-api-key"], KEY)
        self.assertEqual(headers["idempotency-key"], "order-1")
        self.assertEqual(headers["content-type"], "application/json")

    def test_a_query_has_what_is_given(self):
        self.answer((200, {"data": [], "pagination": {"next_cursor": None}}))
        self.client.list_payments(status=["SETTLED", "EXPIRED"], limit=5, order_id="a&b")
        self.assertEqual(
            self.service.requests[0][1], "/v1/payments?limit=5&status=SETTLED%2CEXPIRED&order_id=a%26b"
        )

    def test_items_walk_all_pages(self):
        # The feed has a cursor on its last page, too.
        pages = [([1, 2], "c1", True), ([3], "c2", False)]
        for data, cursor, more in pages:
            pagination = {"next_cursor": cursor, "has_more": more}
            self.service.answers.append((200, {}, {"data": data, "pagination": pagination}))
        self.assertEqual(list(self.client.items(self.client.list_payments, limit=2)), [1, 2, 3])
        self.assertEqual(self.service.requests[1][1], "/v1/payments?limit=2&cursor=c1")

    def test_a_passing_fault_is_tried_again_under_the_same_idempotency_key(self):
        self.answer((503, {"Retry-After": "2"}, {}), (502, b"<html>"), (201, {"id": "pay_1"}))
        self.client.create_payment({"pay_amount": "1", "order_id": "1"})
        keys = {headers["idempotency-key"] for _, _, headers, _ in self.service.requests}
        self.assertEqual((len(self.service.requests), len(keys)), (3, 1))
        self.assertEqual(self.waits, [2.0, 1.0])

    def test_a_refusal_is_an_error_with_its_facts_and_is_not_tried_again(self):
        details = {"field": "pay_amount", "constraint": "type"}
        self.answer((400, {"message": "pay_amount must be text", "details": details, "request_id": "req_1"}))
        with self.assertRaisesRegex(ApiError, "^pay_amount must be text$") as raised:
            self.client.create_payment({"pay_amount": 1, "order_id": "1"})
        error = raised.exception
        self.assertEqual((error.status, error.details, error.request_id), (400, details, "req_1"))
        self.assertEqual(self.waits, [])

    def test_what_asks_for_a_long_wait_or_never_works_is_not_tried_again(self):
        self.answer((429, {"Retry-After": "60"}, {}), (503, {"message": "network_unavailable: none"}))
        for status in (429, 503):
            with self.assertRaises(ApiError) as raised:
                self.client.get_payment("pay_1")
            self.assertEqual(raised.exception.status, status)
        self.assertEqual(self.waits, [])

    def test_a_redirect_is_not_followed(self):
        self.answer((302, {"Location": f"{self.url}/elsewhere"}, {}))
        with self.assertRaises(ApiError) as raised:
            self.client.get_status()
        self.assertEqual((raised.exception.status, len(self.service.requests)), (302, 1))

    def test_a_service_that_is_away_is_an_error_without_the_key(self):
        client = Client("http://127.0.0.1:1", KEY, retries=1, sleep=self.waits.append)
        with self.assertRaises(ConnectionFailed) as raised:
            client.get_payment("pay_1")
        self.assertEqual(self.waits, [0.5])
        self.assertNotIn(KEY, str(raised.exception) + repr(client))

    def test_what_cannot_work_is_refused_at_once(self):
        for url in ("", "ftp://pay.example", "https://a:b@pay.example", "https://pay.example/v1", "//pay"):
            with self.assertRaises(ValueError):
                Client(url, KEY)
        for key in ("", "hunter2", "sk_a\nb"):
            with self.assertRaisesRegex(ValueError, "^api_key must be") as raised:
                Client(self.url, key)
            self.assertNotIn("hunter2", str(raised.exception))
        for wrong in ("", "../status", "pay_1?x=1"):
            with self.assertRaises(ValueError):
                self.client.get_payment(wrong)


if __name__ == "__main__":
    unittest.main()
